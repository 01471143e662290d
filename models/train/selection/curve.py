"""Cost-quality curves: what is paid and how much is right when every prompt goes to the best model for its money."""

from dataclasses import dataclass

import numpy as np

from .data import Outcomes

# Chance of a right answer that is given up to save one US dollar per thousand calls; at 0 money is no object.
WEIGHTS_OF_COST = np.concatenate([[0.0], np.geomspace(0.01, 300, 60)])
COSTS_OF_AREA = 200


@dataclass(frozen=True)
class Policy:
    """What comes of each prompt at each weight of cost, or for each model of a mixture: `right`, `costs` [rows, points]."""

    right: np.ndarray
    costs: np.ndarray

    def curve(self, counts: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Mean cost and mean quality [points] from cheap to dear, every row counted so often."""
        rows = np.ones(len(self.right)) if counts is None else counts
        costs, quality = rows @ self.costs / rows.sum(), rows @ self.right / rows.sum()
        order = np.argsort(costs, kind="stable")
        return costs[order], quality[order]


def choose(quality: np.ndarray, costs: np.ndarray, weight: float) -> np.ndarray:
    """The model of each row [rows] with the largest quality less weighted cost; the cheaper one where two are equal."""
    worth = quality - weight * costs
    best = worth.max(axis=1, keepdims=True)
    return np.where(worth == best, costs, np.inf).argmin(axis=1)


def follow(quality: np.ndarray, outcomes: Outcomes, models: np.ndarray) -> Policy:
    """What comes of believing this predicted quality [rows, models of the matrix] among some models."""
    right, costs = outcomes.right[:, models], outcomes.costs[:, models]
    rows = np.arange(len(right))
    chosen = [choose(quality[:, models], costs, weight) for weight in WEIGHTS_OF_COST]
    return Policy(
        np.stack([right[rows, choice] for choice in chosen], axis=1),
        np.stack([costs[rows, choice] for choice in chosen], axis=1),
    )


def mix(outcomes: Outcomes, models: np.ndarray) -> Policy:
    """The single models that no mixture of others beats for its cost, on these very rows; the prompt is not looked at.

    Chosen in hindsight, so it is a little better than what anybody could have mixed: a fair thing to have to beat.
    """
    costs, quality = outcomes.costs.mean(axis=0), outcomes.right.mean(axis=0)
    hull: list[int] = []
    for model in sorted(models, key=lambda model: (costs[model], -quality[model])):
        if hull and quality[model] <= quality[hull[-1]]:
            continue
        while len(hull) > 1 and rise(costs, quality, hull[-1], model) >= rise(costs, quality, hull[-2], hull[-1]):
            hull.pop()
        hull.append(int(model))
    return Policy(outcomes.right[:, hull], outcomes.costs[:, hull])


def rise(costs: np.ndarray, quality: np.ndarray, start: int, end: int) -> float:
    """Quality gained for each dollar from one model to a dearer one; two of equal cost rise without bound."""
    distance = costs[end] - costs[start]
    return float((quality[end] - quality[start]) / distance) if distance > 0 else np.inf


def quality_at(curve: tuple[np.ndarray, np.ndarray], cost: float) -> float:
    """Quality at a mean cost: two neighbouring weights are mixed; dearer than the curve goes, it is as good as it gets."""
    return float(np.interp(cost, *curve))


def mean_quality(curve: tuple[np.ndarray, np.ndarray], lowest: float, highest: float) -> float:
    """The area below the curve between two costs, divided by their distance."""
    return float(np.interp(np.linspace(lowest, highest, COSTS_OF_AREA), *curve).mean())
