"""Figures of a classifier: macro F1 with intervals, per label, calibration, temperature."""

import numpy as np
from scipy.optimize import minimize_scalar

from .reference import softmax

RESAMPLES = 1000
CALIBRATION_BINS = 10
DECIMALS = 3


def measure(logits: np.ndarray, truth: np.ndarray, labels: tuple[str, ...], clusters: np.ndarray | None = None) -> dict:
    """Accuracy, macro F1 and calibration error, with 95 % bootstrap intervals.

    The bootstrap draws rows, or whole clusters (sub-sources) within each label where they are given: questions of one
    sub-source are alike, so drawing rows would make the interval too narrow.
    """
    predicted = logits.argmax(axis=1)
    counts = len(labels)
    chance = np.random.default_rng(17)
    draws = [draw_rows(chance, truth, clusters) for _ in range(RESAMPLES)]
    f1_draws = [macro_f1(truth[rows], predicted[rows], counts) for rows in draws]
    accuracy_draws = [float((truth[rows] == predicted[rows]).mean()) for rows in draws]
    return {
        "rows": len(truth),
        "macro_f1": rounded(macro_f1(truth, predicted, counts)),
        "macro_f1_interval": interval(f1_draws),
        "accuracy": rounded((truth == predicted).mean()),
        "accuracy_interval": interval(accuracy_draws),
        "calibration_error": rounded(calibration_error(softmax(logits), truth)),
        "f1": {
            label: rounded(value)
            for label, value, used in zip(labels, f1_by_label(truth, predicted, counts), np.bincount(truth, minlength=counts))
            if used
        },
    }


def draw_rows(chance: np.random.Generator, truth: np.ndarray, clusters: np.ndarray | None) -> np.ndarray:
    if clusters is None:
        return chance.integers(0, len(truth), len(truth))
    rows = []
    for label in np.unique(truth):
        names = np.unique(clusters[truth == label])
        for name in chance.choice(names, len(names)):
            rows.append(np.flatnonzero((clusters == name) & (truth == label)))
    return np.concatenate(rows)


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
    return [rounded(np.quantile(draws, 0.025)), rounded(np.quantile(draws, 0.975))]


def rounded(value: float) -> float:
    return round(float(value), DECIMALS)
