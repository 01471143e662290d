"""All heads on all their sets, as the network says it; the bench asks the worker instead."""

import numpy as np
from tokenizers import Tokenizer

from .examples import TaskData
from .figures import character_spans, exact_spans, sequence_figures, temperature_of
from .heads import HEAD_BY_NAME
from .network import Network
from .predict import sequence_logits, spans_of, token_logits

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def measure(network: Network, data: dict[str, TaskData], tokenizer: Tokenizer) -> dict:
    """By head: its temperature or threshold, found on `tuning`, and the figures of every set."""
    return {name: measure_head(network, name, task, tokenizer) for name, task in data.items()}


def measure_head(network: Network, name: str, task: TaskData, tokenizer: Tokenizer) -> dict:
    head, sets = HEAD_BY_NAME[name], {"tuning": task.tuning, **task.unseen}
    if head.kind == "sequence":
        logits = {part: sequence_logits(network, head, examples, tokenizer) for part, examples in sets.items()}
        temperature = temperature_of(logits["tuning"], task.tuning, head)
        figures = {part: sequence_figures(logits[part], examples, head, temperature) for part, examples in sets.items()}
        return {"temperature": temperature, "sets": figures, "together": together(logits, sets, head, temperature)}
    predictions = {part: token_logits(network, head, examples, tokenizer) for part, examples in sets.items()}
    compare, key = (exact_spans, "micro_f1") if name == "pii" else (character_spans, "character_f1")
    at = lambda part, threshold: compare(  # noqa: E731
        [(prediction.example, spans_of(prediction, head, threshold)) for prediction in predictions[part]]
    )
    threshold = max(THRESHOLDS, key=lambda threshold: at("tuning", threshold)[key])
    return {"threshold": threshold, "sets": {part: at(part, threshold) for part in sets}}


def together(logits: dict[str, np.ndarray], sets: dict, head, temperature: float) -> dict:  # noqa: ANN001
    """The unseen sets as one, because several of them have one label only."""
    parts = [part for part in sets if part != "tuning"]
    examples = [example for part in parts for example in sets[part]]
    return sequence_figures(np.concatenate([logits[part] for part in parts]), examples, head, temperature)
