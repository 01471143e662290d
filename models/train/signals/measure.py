"""All heads on all their unseen sets, as the network says it; the bench asks the worker instead."""

from tokenizers import Tokenizer

from .examples import TaskData
from .figures import character_spans, exact_spans, sequence_figures
from .heads import HEAD_BY_NAME
from .network import Network
from .predict import sequence_logits, spans_of, token_logits


def measure(network: Network, data: dict[str, TaskData], tokenizer: Tokenizer, calibration: dict[str, dict]) -> dict:
    """By head and set."""
    return {name: measure_head(network, name, task, tokenizer, calibration[name]) for name, task in data.items()}


def measure_head(network: Network, name: str, task: TaskData, tokenizer: Tokenizer, calibration: dict) -> dict:
    """By set; `together` is all of them, because some sets have one label only."""
    head = HEAD_BY_NAME[name]
    sets = dict(task.unseen)
    if head.kind == "sequence":
        sets["together"] = [example for examples in task.unseen.values() for example in examples]
        return {
            part: sequence_figures(sequence_logits(network, head, examples, tokenizer), examples, head, calibration["temperature"])
            for part, examples in sets.items()
        }
    compare = exact_spans if name == "pii" else character_spans
    return {
        part: compare(
            [
                (prediction.example, spans_of(prediction, head, calibration["threshold"]))
                for prediction in token_logits(network, head, examples, tokenizer)
            ]
        )
        for part, examples in sets.items()
    }
