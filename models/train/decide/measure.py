"""Figures of typed questions by set and type, as the network says it; the bench asks the worker instead."""

import numpy as np
from sklearn.metrics import roc_auc_score

from ..scores import rounded
from ..reference import softmax
from .calibrate import ONE_OF, targets
from .layout import place_of_answer, temperature_for
from .predict import Said


def measure(said: list[Said], calibration: dict) -> dict:
    """By type: accuracy, skill and calibration error of one-of questions, F1 of sets and spans."""
    figures = {}
    for kind in sorted({one.decision.type for one in said}):
        of_kind = [one for one in said if one.decision.type == kind]
        if kind not in ONE_OF:
            figures[kind] = marked_figures(of_kind, calibration["thresholds"][kind])
            continue
        figures[kind] = one_of_figures([one for one in of_kind if one.decision.answer is not None], calibration)
        if any(one.decision.answer is None for one in of_kind):
            figures[kind]["abstain_auc"] = abstain_auc(of_kind, calibration)
    return figures


def one_of_figures(said: list[Said], calibration: dict) -> dict:
    """Skill is what is won over guessing: 0 is chance, 100 is always right."""
    probabilities = [probabilities_of(one, calibration) for one in said]
    right = np.array([row.argmax() == place_of_answer(one.decision) for row, one in zip(probabilities, said, strict=True)])
    chance = np.array([1 / len(row) for row in probabilities])
    top = np.array([[row.max(), 1 - row.max()] for row in probabilities])
    figures = {
        "questions": len(said),
        "accuracy": rounded(right.mean()),
        "skill": rounded(100 * (right.mean() - chance.mean()) / (1 - chance.mean())),
        "calibration_error": rounded(confidence_error(top[:, 0], right)),
    }
    if said[0].decision.type == "score":
        levels = [(row * np.arange(len(row))).sum() for row in probabilities]
        wrong = [abs(level - one.decision.answer) / max(len(one.logits) - 1, 1) for level, one in zip(levels, said, strict=True)]
        figures["mean_error"] = rounded(np.mean(wrong))
    return figures


def abstain_auc(said: list[Said], calibration: dict) -> float:
    """How well the share of "none of them" tells choices without a right option from the others."""
    shares = [softmax(np.append(one.logits, one.abstain) / temperature_for(one.decision, calibration["temperatures"]))[-1] for one in said]
    return rounded(roc_auc_score([one.decision.answer is None for one in said], shares))


def confidence_error(confidence: np.ndarray, right: np.ndarray, bins: int = 10) -> float:
    places = np.minimum((confidence * bins).astype(int), bins - 1)
    return float(sum(abs(confidence[places == place].sum() - right[places == place].sum()) for place in range(bins)) / len(right))


def probabilities_of(said: Said, calibration: dict) -> np.ndarray:
    return softmax(said.logits / temperature_for(said.decision, calibration["temperatures"]))


def marked_figures(said: list[Said], threshold: float) -> dict:
    counts = np.zeros(3)
    for one in said:
        chosen, truth = 1 / (1 + np.exp(-one.logits)) >= threshold, targets(one) > 0
        counts += ((chosen & truth).sum(), chosen.sum(), truth.sum())
    return {"questions": len(said), "f1": rounded(2 * counts[0] / max(counts[1] + counts[2], 1))}
