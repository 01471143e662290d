"""Temperatures by type and number of options, thresholds of sets and spans, from questions that nothing else uses."""

import numpy as np

from ..scores import fit_temperature
from .layout import BANDS, band, place_of_answer
from .losses import word_targets
from .predict import Said

ONE_OF = ("choice", "noul", "score")
THRESHOLDS = tuple(round(0.2 + 0.05 * step, 2) for step in range(13))
# A band with fewer questions takes the temperature of its type.
FEWEST = 60


def calibrate(said: list[Said]) -> dict:
    """The `calibration` of the package."""
    temperatures: dict[str, float] = {}
    for kind in ONE_OF:
        of_kind = [one for one in said if one.decision.type == kind and one.decision.answer is not None]
        if of_kind:
            temperatures[kind] = temperature_of(of_kind)
        for _, name in BANDS:
            in_band = [one for one in of_kind if band(len(one.decision.options)) == name]
            if len(in_band) >= FEWEST:
                temperatures[f"{kind}:{name}"] = temperature_of(in_band)
    return {"temperatures": temperatures, "thresholds": {kind: best_threshold(said, kind) for kind in ("set", "span")}}


def temperature_of(said: list[Said]) -> float:
    """Questions have different numbers of options; what is missing is impossible."""
    most = max(len(one.logits) for one in said)
    logits = np.full((len(said), most), -1e9)
    for place, one in enumerate(said):
        logits[place, : len(one.logits)] = one.logits
    return fit_temperature([(logits, np.array([place_of_answer(one.decision) for one in said]))])


def best_threshold(said: list[Said], kind: str) -> float:
    """The threshold of the best F1 over labels, or over words and labels."""
    of_kind = [one for one in said if one.decision.type == kind and one.logits.size]
    if not of_kind:
        return 0.5
    truth = np.concatenate([targets(one).ravel() for one in of_kind])
    scores = np.concatenate([1 / (1 + np.exp(-one.logits.ravel())) for one in of_kind])

    def f1(threshold: float) -> float:
        chosen = scores >= threshold
        return 2 * (chosen & (truth > 0)).sum() / max(chosen.sum() + (truth > 0).sum(), 1)

    return max(THRESHOLDS, key=f1)


def targets(said: Said) -> np.ndarray:
    if said.decision.type == "span":
        return word_targets(said.decision, said.row).numpy()
    return np.array([key in said.decision.answer for key, _ in said.decision.options], float)
