"""How well each package's sentence vector tells pairs of the same meaning from others."""

from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from .domain_data import read_rows
from .scores import rounded
from .packages import SIGNALS, STATIC
from .reference import BertReference, StaticReference
from .results import write_result

PAIR_FILES = ("banking77_intent_pairs", "clinc_intent_pairs", "paws_wiki_pairs")
RESAMPLES = 1000


def measure_similarity(data_folder: Path) -> None:
    """Area under the ROC curve of the cosine, with 95 % bootstrap intervals over pairs; writes `results/similarity.json`."""
    models = {
        STATIC.name: StaticReference(STATIC.folder, STATIC.max_tokens),
        SIGNALS.name: BertReference(SIGNALS.folder, np.float32),
    }
    figures = {}
    for file in PAIR_FILES:
        pairs = read_rows(data_folder / "embeddings" / f"{file}.jsonl.gz")
        same = np.array([pair["score"] >= 0.5 for pair in pairs])
        figures[file] = {"pairs": len(pairs)}
        for name, model in models.items():
            left, right = (model.embed([pair[side] for pair in pairs]) for side in ("text_a", "text_b"))
            figures[file][name] = area_with_interval(same, (left * right).sum(axis=1))
    write_result("similarity", figures)


def area_with_interval(same: np.ndarray, cosines: np.ndarray) -> dict:
    chance = np.random.default_rng(17)
    draws = (chance.integers(0, len(same), len(same)) for _ in range(RESAMPLES))
    areas = [roc_auc_score(same[rows], cosines[rows]) for rows in draws]
    return {
        "area": rounded(roc_auc_score(same, cosines)),
        "interval": [rounded(np.quantile(areas, 0.025)), rounded(np.quantile(areas, 0.975))],
    }
