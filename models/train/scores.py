"""Figures of a classifier: F1 by label, calibration error, temperature."""

import numpy as np
from scipy.optimize import minimize_scalar

from .reference import softmax

CALIBRATION_BINS = 10
DECIMALS = 3


def macro_f1(truth: np.ndarray, predicted: np.ndarray, counts: int) -> float:
    """Mean F1 over the labels that occur in the truth."""
    return float(f1_by_label(truth, predicted, counts)[np.bincount(truth, minlength=counts) > 0].mean())


def f1_by_label(truth: np.ndarray, predicted: np.ndarray, counts: int) -> np.ndarray:
    confusion = np.bincount(truth * counts + predicted, minlength=counts * counts).reshape(counts, counts)
    return 2 * confusion.diagonal() / np.maximum(confusion.sum(axis=0) + confusion.sum(axis=1), 1)


def calibration_error(probabilities: np.ndarray, truth: np.ndarray) -> float:
    """Expected calibration error of the top label over equally wide bins."""
    confidence = probabilities.max(axis=1)
    correct = probabilities.argmax(axis=1) == truth
    bins = np.minimum((confidence * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    gaps = [abs(confidence[bins == number].sum() - correct[bins == number].sum()) for number in np.unique(bins)]
    return float(sum(gaps) / len(truth))


def fit_temperature(sets: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """The temperature of least mean log loss, every set of (logits, truth) counting the same."""

    def loss(log_temperature: float) -> float:
        scale = np.exp(log_temperature)
        return float(np.mean([log_loss(logits / scale, truth) for logits, truth in sets]))

    return round(float(np.exp(minimize_scalar(loss, bounds=(-3, 3), method="bounded").x)), DECIMALS)


def log_loss(logits: np.ndarray, truth: np.ndarray) -> float:
    return float(-np.log(softmax(logits)[np.arange(len(truth)), truth]).mean())


def interval(draws: list[float]) -> list[float]:
    """The middle 95 %."""
    return [rounded(np.quantile(draws, 0.025)), rounded(np.quantile(draws, 0.975))]


def rounded(value: float) -> float:
    return round(float(value), DECIMALS)
