"""Which answers of the package should not be used: weights of `calibration.abstention`, fitted on tasks that never trained."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..generators.decisions import Decision
from ..pack import pack
from ..packages import DECIDE
from ..reference import softmax
from ..results import write_result
from ..scores import rounded
from .asked import tuning_by_task
from .golden import MarkerReference, compute_decide_golden
from .layout import place_of_answer, temperature_for

# What tells right answers from wrong ones on tasks that the fit has not seen. Nothing does for the other two types, whose surest
# answers are as often wrong as the others: their probability is the same for every answer.
WEIGHED = {"choice": ("top", "none"), "noul": (), "score": ()}
# What is tried for a type, to show that it does not hold.
TRIED = {"choice": ("top", "none"), "noul": ("top",), "score": ("top",)}
# Who uses a wrong answer loses as much as who leaves two right ones.
COST_OF_WRONG = 2
ABSTAINS_AT = 0.5
# Almost no regularization: there are three weights at most.
REGULARIZATION = 1e3


@dataclass(frozen=True)
class Shown:
    """What an answer shows, and whether it is right; where no option is right, no answer is."""

    task: str
    type: str
    top: float
    none: float
    is_right: bool


def write_abstention(data: Path, package: Path) -> None:
    """Fits the weights on the package as it stands, and writes it again with them; no tensor changes."""
    described = json.loads((package / "rtrun.json").read_text(encoding="utf-8"))
    decisions, scores = described["decisions"], {key: described[key] for key in ("scores",) if key in described}
    shown = show_all(MarkerReference(package, decisions), tuning_by_task(data), decisions["calibration"]["temperatures"])
    decisions["calibration"]["abstention"] = {kind: fit([one for one in shown if one.type == kind], names) for kind, names in WEIGHED.items()}
    write_result("decide-abstention", {"left_out_tasks": leave_tasks_out(shown)})
    pack(DECIDE, package, {"decisions": decisions} | scores, lambda folder: compute_decide_golden(folder, decisions))


def show_all(reference: MarkerReference, tasks: dict[str, list[Decision]], temperatures: dict[str, float]) -> list[Shown]:
    return [
        show(task, one, reference.logits(one) / temperature_for(one, temperatures))
        for task, decisions in tasks.items()
        for one in decisions
        if one.type in WEIGHED
    ]


def show(task: str, decision: Decision, logits: np.ndarray) -> Shown:
    """Logits are those of the options, and behind them that of "none of them" where it is read."""
    options = len(decision.options)
    probabilities = softmax(logits[:options])
    none = softmax(logits)[-1] if len(logits) > options else 0.0
    return Shown(task, decision.type, float(probabilities.max()), float(none), int(probabilities.argmax()) == place_of_answer(decision))


def fit(shown: list[Shown], names: tuple[str, ...]) -> dict[str, float]:
    """The weights of these values and `bias`, by name."""
    wrong = np.array([not one.is_right for one in shown])
    cost = np.where(wrong, COST_OF_WRONG, 1)
    if not names:
        return {"bias": rounded(np.log(cost[wrong].sum() / cost[~wrong].sum()))}
    reader = LogisticRegression(C=REGULARIZATION, max_iter=5000).fit(values(shown, names), wrong, sample_weight=cost)
    return {"bias": rounded(reader.intercept_[0])} | {name: rounded(weight) for name, weight in zip(names, reader.coef_[0], strict=True)}


def abstains(shown: list[Shown], weights: dict[str, float]) -> np.ndarray:
    names = tuple(name for name in weights if name != "bias")
    logits = weights["bias"] + values(shown, names) @ np.array([weights[name] for name in names])
    return 1 / (1 + np.exp(-logits)) >= ABSTAINS_AT


def values(shown: list[Shown], names: tuple[str, ...]) -> np.ndarray:
    return np.array([[getattr(one, name) for name in names] for one in shown]).reshape(len(shown), len(names))


def leave_tasks_out(shown: list[Shown]) -> dict:
    """By type and task: how much is answered and how much of it is right, with weights fitted on the other tasks."""
    figures: dict[str, dict] = {}
    for kind, names in TRIED.items():
        of_kind = [one for one in shown if one.type == kind]
        for task in sorted({one.task for one in of_kind}):
            held = [one for one in of_kind if one.task == task]
            others = [one for one in of_kind if text_source(one.task) != text_source(task)]
            answered = [one for one, silent in zip(held, abstains(held, fit(others, names)), strict=True) if not silent]
            figures.setdefault(kind, {})[task] = {
                "questions": len(held),
                "right": share_right(held),
                "answered": rounded(len(answered) / len(held)),
                "right_of_answered": share_right(answered),
            }
    return figures


def text_source(task: str) -> str:
    """Tasks with the same texts are left out together."""
    return "hwu64" if task in ("hwu64_claims", "left_out") else task


def share_right(shown: list[Shown]) -> float | None:
    return rounded(np.mean([one.is_right for one in shown])) if shown else None
