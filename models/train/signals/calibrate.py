"""Temperature and threshold of each head, from the rows that nothing else uses."""

from dataclasses import asdict, dataclass

import numpy as np
from tokenizers import Tokenizer

from ..scores import fit_temperature
from ..reference import softmax
from .examples import TaskData
from .figures import character_spans, exact_spans
from .heads import HEAD_BY_NAME, Head
from .network import Network
from .predict import TokenPrediction, sequence_logits, spans_of, token_logits

SPAN_THRESHOLDS = tuple(round(0.3 + 0.05 * step, 2) for step in range(13))
LABEL_THRESHOLD = 0.5
# A guard that stops one harmless prompt of a hundred is one that operators leave switched on.
FALSE_POSITIVES = {"jailbreak": 0.01}


@dataclass(frozen=True)
class Calibration:
    """What `rtrun.json` tells of a head besides its weights."""

    temperature: float
    threshold: float


def calibrate(network: Network, data: dict[str, TaskData], tokenizer: Tokenizer) -> dict[str, dict]:
    """By head."""
    return {name: asdict(calibrate_head(network, HEAD_BY_NAME[name], task, tokenizer)) for name, task in data.items()}


def calibrate_head(network: Network, head: Head, task: TaskData, tokenizer: Tokenizer) -> Calibration:
    if head.kind == "token":
        predictions = token_logits(network, head, task.tuning, tokenizer)
        return Calibration(1.0, best_span_threshold(predictions, head))
    logits = sequence_logits(network, head, task.tuning, tokenizer)
    truth = np.array([head.labels.index(example.label) for example in task.tuning])
    temperature = fit_temperature([(logits, truth)])
    if head.name not in FALSE_POSITIVES:
        return Calibration(temperature, LABEL_THRESHOLD)
    scores = softmax(logits / temperature)[:, 1]
    return Calibration(temperature, threshold_for(scores[truth == 0], FALSE_POSITIVES[head.name]))


def threshold_for(negatives: np.ndarray, share: float) -> float:
    """The least probability, in hundredths, that at most this share of the negatives reaches."""
    return next(
        (step / 100 for step in range(50, 100) if (negatives >= step / 100).mean() <= share),
        0.99,
    )


def best_span_threshold(predictions: list[TokenPrediction], head: Head) -> float:
    """The threshold with the best mean of the F1 of each source: whole wrong answers are easy and must not decide alone."""
    compare, key = (exact_spans, "micro_f1") if head.name == "pii" else (character_spans, "character_f1")
    of_source: dict[str, list[TokenPrediction]] = {}
    for prediction in predictions:
        of_source.setdefault(prediction.example.source.split("/")[0], []).append(prediction)

    def score(threshold: float) -> float:
        said = ([(one.example, spans_of(one, head, threshold)) for one in part] for part in of_source.values())
        return float(np.mean([compare(pairs)[key] for pairs in said]))

    return max(SPAN_THRESHOLDS, key=score)
