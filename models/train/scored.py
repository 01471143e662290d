"""Writes into a package how well it answers: what the accuracy bench found with these very weights."""

import json
from pathlib import Path

from .card import write_card_scores
from .decide.layout import TYPES
from .pack import hash_files, write_json
from .packages import PackageSettings

BENCH = Path(__file__).parents[2] / "bench"
RESULT = BENCH / "results" / "accuracy.json"
# A package's scores are of the set that the first bar of the task is for, if there is one.
BARS = BENCH / "accuracy" / "bars.json"
# All unseen sets as one; a task with one such set has it under its own name.
TOGETHER = "together"
FIGURES = 3
# The bench measures the head alone beside the head with patterns; the package has the head alone.
HEADS = {"pii_model": "pii"}
NOT_OF_A_PACKAGE = ("pii",)
# The second guard answers the same question as a head of the first; its tasks have names of their own.
OF_GUARD = {"guard": "jailbreak", "cascade": "jailbreak"}


def write_scores(package: PackageSettings, result: Path = RESULT) -> None:
    """Sets `scores` of `rtrun.json`, the tables of the card, and the hashes of both. Raises when the bench measured other weights."""
    measured = json.loads(result.read_text(encoding="utf-8"))["figures"]
    weights = hash_files(package.folder)["model.safetensors"]["sha256"]
    if measured["packages"].get(package.name) != weights:
        raise ValueError(f"Cannot write scores of {package.name}: {result.name} has none of these weights; run the accuracy bench")
    settings = json.loads((package.folder / "rtrun.json").read_text(encoding="utf-8"))
    served = {head["name"] for head in settings.get("heads", [])} or {package.name}
    bars = {bar["task"]: bar["set"] for bar in reversed(json.loads(BARS.read_text(encoding="utf-8"))["bars"])}
    answered = settings.get("decisions", {}).get("questions", {}).get("types", TYPES)
    refused = tuple(f"_{type}" for type in TYPES if type not in answered)
    own = {task: figures for task, figures in measured["tasks"].items() if (task in OF_GUARD) == (package.name == "guard")}
    heads = HEADS | OF_GUARD
    scores = {
        heads.get(task, task): main_figures(figures, bars.get(heads.get(task, task), TOGETHER), refused)
        for task, figures in own.items()
        if task not in (*NOT_OF_A_PACKAGE, "cascade") and heads.get(task, task) in served
    }
    write_card_scores(package.folder / "README.md", {task: one for task, one in own.items() if heads.get(task, task) in served})
    write_json(package.folder / "rtrun.json", settings | {"scores": scores})
    write_json(package.folder / "manifest.json", {"schema": 1, "files": hash_files(package.folder)})


def main_figures(task: dict, wanted: str, refused: tuple[str, ...]) -> dict[str, float]:
    """The first figures that the bench shows, of texts of unseen sources; none of what the package refuses, whose names have
    one of these endings."""
    unseen = {name: one["figures"] for name, one in task["sets"].items() if one["kind"] == "unseen"}
    figures = unseen.get(wanted) or unseen.get(TOGETHER) or next(iter(unseen.values()))
    names = [name for name in task["shown"] if name in figures and not name.endswith(refused)][:FIGURES]
    # A package states figures from 0 to 1; a skill below that of a guess is none.
    return {name: max(figures[name]["value"], 0.0) for name in names}
