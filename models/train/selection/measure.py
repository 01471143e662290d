"""Figures of policies on prompts of domains that the predictor never saw, with bootstrap intervals."""

import numpy as np

from ..scores import interval, rounded
from .curve import Policy, follow, mean_quality, mix, quality_at
from .data import Outcomes

RESAMPLES = 1000
BOOTSTRAP_SEED = 17
SHARES_OF_BEST = (0.25, 0.5, 0.75, 1.0)
CALIBRATION_BINS = 10
# What every policy is compared with.
BASELINE = "mixture"


def measure_pool(predicted: dict[str, np.ndarray], outcomes: Outcomes, models: np.ndarray) -> dict:
    """Figures of each predicted quality [rows, models of the matrix] when it chooses among some models.

    Costs are US dollars per thousand calls. The area is the mean quality from the cost of the cheapest model to that
    of the best; `gain` is how much higher it lies than that of the best mixture, `of_oracle` the part of the possible gain.
    """
    policies = {BASELINE: mix(outcomes, models)}
    policies |= {name: follow(quality, outcomes, models) for name, quality in predicted.items()}
    policies["oracle"] = follow(outcomes.right, outcomes, models)
    counts = draw_counts(outcomes)
    cheapest, best = find_ends(outcomes, models)
    ends = (outcomes.costs[:, cheapest].mean(), outcomes.costs[:, best].mean())
    areas, draws = {}, {}
    for name, policy in policies.items():
        areas[name] = mean_quality(policy.curve(), *ends)
        draws[name] = np.array([mean_quality(curve, *ends) for curve in resample(policy, counts)])
    possible = areas["oracle"] - areas[BASELINE]
    return {
        "models": len(models),
        "cheapest": describe_single(outcomes, cheapest),
        "best": describe_single(outcomes, best),
        "policies": {
            name: {
                "area": rounded(areas[name]),
                "gain": rounded(areas[name] - areas[BASELINE]),
                "gain_interval": interval(draws[name] - draws[BASELINE]),
                "of_oracle": rounded((areas[name] - areas[BASELINE]) / possible),
                "quality_at_share_of_best_cost": describe_shares(policy, counts, ends[1]),
            }
            for name, policy in policies.items()
        },
    }


def find_ends(outcomes: Outcomes, models: np.ndarray) -> tuple[int, int]:
    """Numbers of the cheapest model and of the one that is right most often."""
    costs, right = outcomes.costs[:, models].mean(axis=0), outcomes.right[:, models].mean(axis=0)
    return int(models[costs.argmin()]), int(models[right.argmax()])


def draw_counts(outcomes: Outcomes) -> np.ndarray:
    """How often each row counts in each resample [resamples, rows]; whole sources are drawn within each domain."""
    chance = np.random.default_rng(BOOTSTRAP_SEED)
    counts = np.zeros((RESAMPLES, len(outcomes.texts)), np.float32)
    for domain in np.unique(outcomes.domains):
        inside = outcomes.domains == domain
        names, members = np.unique(outcomes.sources[inside], return_inverse=True)
        drawn = chance.multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLES)
        counts[:, inside] = drawn[:, members]
    return counts


def resample(policy: Policy, counts: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The policy's curve in each resample."""
    rows = counts.sum(axis=1, keepdims=True)
    costs, right = counts @ policy.costs / rows, counts @ policy.right / rows
    order = np.argsort(costs, axis=1, kind="stable")
    return list(zip(np.take_along_axis(costs, order, 1), np.take_along_axis(right, order, 1)))


def describe_shares(policy: Policy, counts: np.ndarray, best_cost: float) -> dict[str, list[float]]:
    """Quality, and its interval, where a call costs some share of the best model's on average."""
    curve, curves = policy.curve(), resample(policy, counts)
    figures = {}
    for share in SHARES_OF_BEST:
        draws = [quality_at(drawn, share * best_cost) for drawn in curves]
        figures[f"{share:.0%}"] = [rounded(quality_at(curve, share * best_cost)), *interval(draws)]
    return figures


def describe_single(outcomes: Outcomes, model: int) -> dict:
    cost, quality = outcomes.costs[:, model].mean(), outcomes.right[:, model].mean()
    return {"name": outcomes.models[model].name, "cost": round(float(cost), 4), "quality": rounded(quality)}


def mean_log_loss(predicted: np.ndarray, right: np.ndarray) -> float:
    """Mean over rows and models."""
    chance = predicted.clip(1e-3, 1 - 1e-3)
    return rounded(-(right * np.log(chance) + (1 - right) * np.log(1 - chance)).mean())


def describe_calibration(predicted: np.ndarray, right: np.ndarray) -> dict:
    """Expected calibration error, and [mean chance, share right, share of all] for each bin of the predicted chance."""
    bins = np.minimum((predicted * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    rows = [(predicted[bins == number], right[bins == number]) for number in np.unique(bins)]
    error = sum(abs(chance.sum() - share.sum()) for chance, share in rows) / right.size
    table = [[rounded(chance.mean()), rounded(share.mean()), rounded(chance.size / right.size)] for chance, share in rows]
    return {"error": rounded(error), "bins": table}
