"""Linear heads over vectors that are already there."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

# The inverse of what holds the weights small; between 1 and 30 it makes no difference on the rows that tune.
LOOSENESS = 1.0
STEPS = 300


def regression(vectors: np.ndarray, labels: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights `[labels, width]` and biases of a logistic regression. Every label has to be among the rows."""
    with warnings.catch_warnings():
        # The last steps change the fourth digit of a probability, and there are too many of them.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = LogisticRegression(C=LOOSENESS, max_iter=STEPS).fit(vectors, labels)
    if len(fitted.classes_) != count:
        raise ValueError(f"Cannot fit a head of {count} labels: the rows have {len(fitted.classes_)} of them")
    if count > 2:
        return fitted.coef_, fitted.intercept_
    # Of two labels the library has the second's row; half of it to each is the same.
    return np.concatenate([-fitted.coef_, fitted.coef_]) / 2, np.concatenate([-fitted.intercept_, fitted.intercept_]) / 2
