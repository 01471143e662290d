"""Scores of a package: what the accuracy bench found with these weights."""

import json
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

from ..card import BEGIN, END
from ..pack import hash_files, write_json
from ..scored import write_scores


@dataclass(frozen=True)
class Package:
    name: str
    folder: Path


def one_set(kind: str, value: float) -> dict:
    figure = {"value": value, "low": value - 0.1, "high": value + 0.1, "baseline": 0.25}
    return {"kind": kind, "rows": 9, "figures": {"macro_f1": figure, "auc": {"value": value / 2}}}


class ScoresTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.package, self.result = Package("signals", Path(folder.name, "signals")), Path(folder.name, "accuracy.json")
        self.package.folder.mkdir()
        (self.package.folder / "model.safetensors").write_bytes(b"weights")
        write_json(self.package.folder / "rtrun.json", {"schema": 1, "heads": [{"name": "domain"}, {"name": "pii"}]})
        self.card = self.package.folder / "README.md"
        self.card.write_text(f"# signals\n\n{BEGIN}\nold\n{END}\n\nbehind\n", encoding="utf-8")
        self.weights = hash_files(self.package.folder)["model.safetensors"]["sha256"]

    def measured(self, weights: str) -> None:
        sets = {"typos": one_set("adversarial", 0.1), "claims": one_set("derived", 0.4), "together": one_set("unseen", 0.8), "tuning": one_set("tuning", 0.9)}
        task = {"shown": ["macro_f1", "never_measured"], "baselineName": "rules", "sets": sets}
        barred = {**task, "sets": {**task["sets"], "unseen_exams": one_set("unseen", 0.6)}}
        tasks = dict.fromkeys(("pii", "pii_model", "decide"), task) | {"domain": barred}
        self.result.write_text(json.dumps({"figures": {"packages": {"signals": weights}, "tasks": tasks}}), encoding="utf-8")

    def test_a_second_guard_has_the_figures_of_its_own_tasks_and_none_of_the_shared_head(self) -> None:
        guard = Package("guard", self.package.folder)
        write_json(guard.folder / "rtrun.json", {"schema": 1, "heads": [{"name": "jailbreak"}]})
        task = lambda value: {"shown": ["macro_f1"], "baselineName": "rules", "sets": {"together": one_set("unseen", value)}}  # noqa: E731
        tasks = {"jailbreak": task(0.3), "guard": task(0.7), "cascade": task(0.9)}
        self.result.write_text(json.dumps({"figures": {"packages": {"guard": self.weights}, "tasks": tasks}}), encoding="utf-8")
        write_scores(guard, self.result)
        settings = json.loads((guard.folder / "rtrun.json").read_text(encoding="utf-8"))
        self.assertEqual({"jailbreak": {"macro_f1": 0.7}}, settings["scores"])
        card = self.card.read_text(encoding="utf-8")
        self.assertEqual([True, True, False], [f"### {name}" in card for name in ("guard", "cascade", "jailbreak")])

    def test_the_main_figure_of_each_head_on_unseen_sources(self) -> None:
        self.measured(self.weights)
        write_scores(self.package, self.result)
        settings = json.loads((self.package.folder / "rtrun.json").read_text(encoding="utf-8"))
        self.assertEqual({"domain": {"macro_f1": 0.6}, "pii": {"macro_f1": 0.8}}, settings["scores"])
        manifest = json.loads((self.package.folder / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(hash_files(self.package.folder), manifest["files"])

    def test_what_the_package_refuses_has_no_score_and_a_skill_below_a_guess_is_none(self) -> None:
        write_json(self.package.folder / "rtrun.json", {"schema": 1, "decisions": {"questions": {"types": ["choice", "score"]}}})
        figures = {"skill": {"value": 0.5}, "skill_noul": {"value": 0.5}, "skill_choice": {"value": -0.1}}
        task = {"shown": list(figures), "baselineName": "rules", "sets": {"together": {"kind": "unseen", "rows": 9, "figures": figures}}}
        content = {"figures": {"packages": {"signals": self.weights}, "tasks": {"signals": task}}}
        self.result.write_text(json.dumps(content), encoding="utf-8")
        write_scores(self.package, self.result)
        settings = json.loads((self.package.folder / "rtrun.json").read_text(encoding="utf-8"))
        self.assertEqual({"signals": {"skill": 0.5, "skill_choice": 0.0}}, settings["scores"])

    def test_the_tables_of_the_card(self) -> None:
        self.measured(self.weights)
        write_scores(self.package, self.result)
        card = self.card.read_text(encoding="utf-8")
        head = "### pii\n\n| Set | Rows | macro f1 | rules: macro f1 |\n|---|---:|---:|---:|\n"
        self.assertIn(f"{head}| together | 9 | 0.80 (0.70–0.90) | 0.25 |\n| claims (derived) | 9 | 0.40 (0.30–0.50) | 0.25 |\n| *typos* | 9 | 0.10 (0.00–0.20) | 0.25 |\n\n### pii_model", card)
        self.assertTrue(card.endswith(f"{END}\n\nbehind\n"))
        self.assertNotIn("old", card)
        self.assertNotIn("### decide", card)

    def test_a_card_without_marks_is_refused(self) -> None:
        self.measured(self.weights)
        self.card.write_text("# signals\n", encoding="utf-8")
        with self.assertRaisesRegex(ValueError, "it needs one line"):
            write_scores(self.package, self.result)

    def test_figures_of_other_weights_are_refused(self) -> None:
        self.measured("0" * 64)
        with self.assertRaisesRegex(ValueError, "none of these weights"):
            write_scores(self.package, self.result)


if __name__ == "__main__":
    unittest.main()
