"""Scores of a package: what the accuracy bench found with these weights."""

import json
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

from ..pack import hash_files, write_json
from ..scored import write_scores


@dataclass(frozen=True)
class Package:
    name: str
    folder: Path


def one_set(kind: str, value: float) -> dict:
    return {"kind": kind, "figures": {"macro_f1": {"value": value}, "auc": {"value": value / 2}}}


class ScoresTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.package, self.result = Package("signals", Path(folder.name, "signals")), Path(folder.name, "accuracy.json")
        self.package.folder.mkdir()
        (self.package.folder / "model.safetensors").write_bytes(b"weights")
        write_json(self.package.folder / "rtrun.json", {"schema": 1, "heads": [{"name": "domain"}, {"name": "pii"}]})
        self.weights = hash_files(self.package.folder)["model.safetensors"]["sha256"]

    def measured(self, weights: str) -> None:
        task = {"shown": ["macro_f1"], "sets": {"together": one_set("unseen", 0.8), "typos": one_set("adversarial", 0.1)}}
        barred = {**task, "sets": {**task["sets"], "unseen_exams": one_set("unseen", 0.6)}}
        tasks = dict.fromkeys(("pii", "pii_model", "decide"), task) | {"domain": barred}
        self.result.write_text(json.dumps({"figures": {"packages": {"signals": weights}, "tasks": tasks}}), encoding="utf-8")

    def test_the_main_figure_of_each_head_on_unseen_sources(self) -> None:
        self.measured(self.weights)
        write_scores(self.package, self.result)
        settings = json.loads((self.package.folder / "rtrun.json").read_text(encoding="utf-8"))
        self.assertEqual({"domain": {"macro_f1": 0.6}, "pii": {"macro_f1": 0.8}}, settings["scores"])
        manifest = json.loads((self.package.folder / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(hash_files(self.package.folder), manifest["files"])

    def test_figures_of_other_weights_are_refused(self) -> None:
        self.measured("0" * 64)
        with self.assertRaisesRegex(ValueError, "none of these weights"):
            write_scores(self.package, self.result)


if __name__ == "__main__":
    unittest.main()
