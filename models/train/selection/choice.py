"""Which predictor to trust: recipes compete on whole domains that they did not see, and are measured on yet others."""

from dataclasses import asdict

import numpy as np

from ..scores import rounded
from .curve import follow, mean_quality
from .data import Outcomes
from .measure import find_ends, mean_log_loss, measure_pool
from .predictor import Recipe, Training

SEEDS = (1, 2, 3, 4, 5, 6)
TEST_DOMAINS = 5
# Held-out groups within the domains that choose: leaving out each domain alone takes three times as long.
GROUPS = 3
RANDOM_FOLDS = 5
RECIPES = (
    Recipe("average"),
    Recipe("table", 1),
    *(Recipe("knn", neighbours) for neighbours in (100, 400)),
    *(Recipe("linear", penalty) for penalty in (3e-4, 1e-3, 3e-3)),
)


def predict_unseen(recipe: Recipe, vectors: np.ndarray, outcomes: Outcomes, folds: np.ndarray) -> np.ndarray:
    """Chances [rows, models], each from a predictor that saw no row of its fold."""
    predicted = np.zeros(outcomes.right.shape)
    for fold in np.unique(folds):
        unseen = folds == fold
        training = Training(vectors[~unseen], outcomes.right[~unseen], outcomes.domains[~unseen])
        predicted[unseen] = recipe.fit(training)(vectors[unseen])
    return predicted


def score_area(predicted: np.ndarray, outcomes: Outcomes, pools: dict[str, np.ndarray]) -> float:
    """Mean over the pools of the quality between the costs of the cheapest and the best model."""
    areas = []
    for models in pools.values():
        ends = [outcomes.costs[:, model].mean() for model in find_ends(outcomes, models)]
        areas.append(mean_quality(follow(predicted, outcomes, models).curve(), *ends))
    return float(np.mean(areas))


def try_recipes(
    vectors: np.ndarray, outcomes: Outcomes, folds: np.ndarray, pools: dict[str, np.ndarray]
) -> dict[Recipe, dict[str, float]]:
    """Area and log loss of every recipe on the folds that it does not see."""
    tried = {}
    for recipe in RECIPES:
        predicted = predict_unseen(recipe, vectors, outcomes, folds)
        area, loss = score_area(predicted, outcomes, pools), mean_log_loss(predicted, outcomes.right)
        tried[recipe] = {"area": round(area, 4), "log_loss": loss}
        print(f"selection: {recipe} {tried[recipe]}", flush=True)
    return tried


def best_of_kinds(tried: dict[Recipe, dict[str, float]]) -> dict[str, Recipe]:
    """The recipe with the largest area of each kind."""
    best = {}
    for recipe in sorted(tried, key=lambda recipe: tried[recipe]["area"]):
        best[recipe.kind] = recipe
    return {kind: best[kind] for kind in dict.fromkeys(recipe.kind for recipe in tried)}


def average_scores(validations: list[dict[Recipe, dict[str, float]]]) -> dict[Recipe, dict[str, float]]:
    """Mean area and log loss of every recipe over what several seeds have tried."""
    return {
        recipe: {score: round(float(np.mean([tried[recipe][score] for tried in validations])), 4) for score in scores}
        for recipe, scores in validations[0].items()
    }


def measure_seed(
    seed: int, vectors: np.ndarray, outcomes: Outcomes, pools: dict[str, np.ndarray]
) -> tuple[dict, dict[Recipe, dict[str, float]]]:
    """Figures of recipes on domains that neither trained nor chose, and the scores that chose them on the others."""
    domains = np.random.default_rng(seed).permutation(np.unique(outcomes.domains))
    place = np.array([list(domains).index(domain) for domain in outcomes.domains])
    test, rest = place < TEST_DOMAINS, place >= TEST_DOMAINS
    tried = try_recipes(vectors[rest], outcomes.where(rest), place[rest] % GROUPS, pools)
    chosen = best_of_kinds(tried)
    training = Training(vectors[rest], outcomes.right[rest], outcomes.domains[rest])
    predicted = {kind: recipe.fit(training)(vectors[test]) for kind, recipe in chosen.items()}
    unseen = outcomes.where(test)
    figures = {
        "seed": seed,
        "domains": sorted(domains[:TEST_DOMAINS].tolist()),
        "recipes": [asdict(recipe) for recipe in chosen.values()],
        "log_loss": {kind: mean_log_loss(chances, unseen.right) for kind, chances in predicted.items()},
        "pools": {name: measure_pool(predicted, unseen, models) for name, models in pools.items()},
    }
    return figures, tried


def summarize_seeds(runs: list[dict]) -> dict:
    """Mean, least and largest gain over the seeds, by pool and kind of predictor."""
    summary = {}
    for pool, figures in runs[0]["pools"].items():
        summary[pool] = {}
        for kind in figures["policies"]:
            gains = [run["pools"][pool]["policies"][kind]["gain"] for run in runs]
            summary[pool][kind] = {"mean": rounded(np.mean(gains)), "least": min(gains), "largest": max(gains)}
    return summary


def random_folds(rows: int) -> np.ndarray:
    return np.random.default_rng(SEEDS[0]).permutation(rows) % RANDOM_FOLDS
