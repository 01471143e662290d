"""Predictors of the chance that each model answers a prompt rightly, from the prompt's sentence vector."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from ..reference import softmax

# Rows that are compared with all training rows at once, which bounds the memory.
ROWS_A_BLOCK = 1024


@dataclass(frozen=True)
class Training:
    """Sentence vectors [rows, dimension], `right` as 1 or 0 [rows, models], and the domain of each row."""

    vectors: np.ndarray
    right: np.ndarray
    domains: np.ndarray


# Takes vectors [rows, dimension], gives chances [rows, models].
Predictor = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Recipe:
    """A kind of predictor and its one setting: penalty, neighbours or inverse regularisation strength."""

    kind: str
    setting: float = 0.0

    def fit(self, training: Training) -> Predictor:
        return FITS[self.kind](training, self.setting)


@dataclass(frozen=True)
class Linear:
    """One logistic regression a model: `weight` [models, dimension], `bias` [models]."""

    weight: np.ndarray
    bias: np.ndarray

    def __call__(self, vectors: np.ndarray) -> np.ndarray:
        return expit(vectors @ self.weight.T + self.bias)


def fit_linear(training: Training, penalty: float) -> Linear:
    """Least mean log loss plus `penalty` times the squared weights, biases free, for all models in one descent."""
    middle = training.vectors.mean(axis=0, dtype=np.float64)
    vectors, right = (training.vectors - middle).astype(np.float32), training.right.astype(np.float32)
    (rows, dimension), models = vectors.shape, right.shape[1]
    # In these axes all directions bend alike, so that the descent takes twenty steps instead of hundreds.
    bend = (vectors.T @ vectors / (4 * rows)).astype(np.float64) + 2 * penalty * np.eye(dimension)
    axes = np.linalg.inv(np.linalg.cholesky(bend))

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weight, bias = flat[models:].reshape(models, dimension) @ axes, flat[:models]
        logits = vectors @ weight.T.astype(np.float32) + bias.astype(np.float32)
        value = (np.logaddexp(0, logits) - right * logits).sum(dtype=np.float64) / rows + penalty * (weight**2).sum()
        excess = (expit(logits) - right) / rows
        slope = (excess.T @ vectors + 2 * penalty * weight) @ axes.T
        return value, np.concatenate([excess.sum(axis=0), slope.ravel()]).astype(np.float64)

    share = training.right.mean(axis=0).clip(0.01, 0.99)
    start = np.concatenate([np.log(share / (1 - share)), np.zeros(models * dimension)])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100, "ftol": 1e-8}).x
    weight = found[models:].reshape(models, dimension) @ axes
    return Linear(weight, found[:models] - weight @ middle)


def fit_neighbours(training: Training, neighbours: float) -> Predictor:
    """The share of right answers among the nearest training rows by cosine."""
    vectors, right, count = training.vectors.astype(np.float32), training.right, int(neighbours)

    def predict(asked: np.ndarray) -> np.ndarray:
        blocks = []
        for start in range(0, len(asked), ROWS_A_BLOCK):
            cosines = asked[start : start + ROWS_A_BLOCK].astype(np.float32) @ vectors.T
            nearest = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
            blocks.append(right[nearest].mean(axis=1))
        return np.concatenate(blocks)

    return predict


def fit_table(training: Training, strength: float) -> Predictor:
    """What each model gets right in each known domain, weighted by how much the prompt reads like that domain."""
    domains = np.unique(training.domains)
    table = np.stack([training.right[training.domains == domain].mean(axis=0) for domain in domains])
    classifier = LogisticRegression(C=strength, max_iter=200, tol=1e-3).fit(training.vectors, training.domains)
    return lambda asked: softmax(classifier.decision_function(asked)) @ table


def fit_average(training: Training, _: float) -> Predictor:
    """What each model gets right of everything: the prompt is not looked at."""
    share = training.right.mean(axis=0)
    return lambda asked: np.tile(share, (len(asked), 1))


FITS: dict[str, Callable[[Training, float], Predictor]] = {
    "average": fit_average,
    "table": fit_table,
    "knn": fit_neighbours,
    "linear": fit_linear,
}
