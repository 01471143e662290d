"""`python -m train selection`: reads the matrix, chooses and measures a predictor, writes `models/selection`."""

from dataclasses import asdict
from pathlib import Path

import numpy as np

from ..packages import MODELS
from ..results import write_result
from .artefact import Vectors, read_probe, seal, store
from .choice import (
    SEEDS, average_scores, best_of_kinds, measure_seed, predict_unseen, random_folds, score_area, summarize_seeds,
)  # fmt: skip
from .curve import follow, mix
from .data import Outcomes, read_outcomes
from .measure import describe_calibration, mean_log_loss, measure_pool
from .picture import COLOURS, draw_curves
from .predictor import Training
from .prices import CHAT, CLOSED
from .transfer import measure_transfer
from .vectors import digest_package, read_vectors

FOLDER = MODELS / "selection"


def train_selection(data_folder: Path, package: str) -> None:
    """Writes `models/selection` and `results/selection.json`."""
    outcomes, excluded = read_outcomes(data_folder)
    vectors = read_vectors(MODELS / package, outcomes.texts, "exam questions")
    pools = make_pools(outcomes)
    names = [model.name for model in outcomes.models]

    runs, validations = zip(*(measure_seed(seed, vectors, outcomes, pools) for seed in SEEDS))
    tried = average_scores(list(validations))
    chosen = best_of_kinds(tried)
    domains = np.unique(outcomes.domains, return_inverse=True)[1]
    unseen = {kind: predict_unseen(recipe, vectors, outcomes, domains) for kind, recipe in chosen.items()}
    folds = random_folds(len(domains))
    seen = {kind: predict_unseen(recipe, vectors, outcomes, folds) for kind, recipe in chosen.items()}

    linear = chosen["linear"].fit(Training(vectors, outcomes.right, outcomes.domains))
    calibration = describe_calibration(unseen["linear"], outcomes.right)
    kind = Vectors(package, digest_package(MODELS / package), vectors.shape[1], read_probe(MODELS / package))
    stored = store(FOLDER, linear, outcomes.models, kind, calibration)
    (FOLDER / "curve.svg").write_text(draw_curves(trace(unseen, outcomes, pools)), encoding="utf-8")
    seal(FOLDER)
    write_result(
        "selection",
        {
            "package": package,
            "rows": len(outcomes.texts),
            "models": names,
            "left_out": excluded,
            "seeds: domains that neither trained nor chose, gain over the best mixture": summarize_seeds(runs),
            "seeds": runs,
            "choice: mean over the seeds, on the domains that choose": [asdict(recipe) | scores for recipe, scores in tried.items()],
            "chosen": [asdict(recipe) for recipe in chosen.values()],
            "unseen domains, each left out once": measure_all(unseen, outcomes, pools),
            "in distribution, random rows": measure_all(seen, outcomes, pools),
            "calibration on unseen domains": calibration,
            "stored weights: largest difference of a chance": float(np.abs(stored(vectors) - linear(vectors)).max()),
            "second source": measure_transfer(data_folder, MODELS / package, stored, names),
            "failures": list_failures(unseen["linear"], outcomes),
        },
    )


def make_pools(outcomes: Outcomes) -> dict[str, np.ndarray]:
    """Which models a policy may choose among."""
    open_chat = [number for number, model in enumerate(outcomes.models) if model.name in CHAT - CLOSED]
    return {"all models": np.arange(len(outcomes.models)), "open chat models": np.array(open_chat)}


def measure_all(predicted: dict[str, np.ndarray], outcomes: Outcomes, pools: dict[str, np.ndarray]) -> dict:
    return {
        "log_loss": {kind: mean_log_loss(chances, outcomes.right) for kind, chances in predicted.items()},
        "mean_area": {kind: round(score_area(chances, outcomes, pools), 4) for kind, chances in predicted.items()},
        "pools": {name: measure_pool(predicted, outcomes, models) for name, models in pools.items()},
    }


def trace(predicted: dict[str, np.ndarray], outcomes: Outcomes, pools: dict[str, np.ndarray]) -> dict:
    """What the picture shows: curves and single models of each pool."""
    traced = {}
    for name, models in pools.items():
        curves = {"oracle": follow(outcomes.right, outcomes, models).curve(), "mixture": mix(outcomes, models).curve()}
        drawn = {kind: chances for kind, chances in predicted.items() if kind in COLOURS}
        curves |= {kind: follow(chances, outcomes, models).curve() for kind, chances in drawn.items()}
        traced[name] = (curves, [(outcomes.costs[:, model].mean(), outcomes.right[:, model].mean()) for model in models])
    return traced


def list_failures(predicted: np.ndarray, outcomes: Outcomes) -> list[dict]:
    """For the best model, what it was most surely thought to know and did not, and the other way round; one a domain."""
    best = int(outcomes.right.mean(axis=0).argmax())
    chances, right = predicted[:, best], outcomes.right[:, best]
    failures = []
    for surest in (np.argsort(-(chances * (1 - right))), np.argsort(-((1 - chances) * right))):
        short = [row for row in surest[:200] if 20 < len(outcomes.texts[row]) < 160]
        firsts = {outcomes.domains[row]: row for row in reversed(short)}
        for row in sorted(firsts.values(), key=list(surest).index)[:4]:
            text, chance = outcomes.texts[row], round(float(chances[row]), 2)
            domain = str(outcomes.domains[row])
            failures.append({"domain": domain, "text": text, "chance": chance, "right": bool(right[row])})
    return failures
