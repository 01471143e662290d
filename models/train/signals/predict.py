"""What a network says about examples, as arrays."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer

from ..reference import softmax
from .batches import IGNORED, EncodedRow, collate, encode, set_truncation
from .examples import Example, Span
from .heads import Head
from .network import Network

ROWS = 32


@dataclass(frozen=True)
class TokenPrediction:
    """Logits of the text's own tokens, `[tokens, labels]`, with their places in it."""

    example: Example
    logits: np.ndarray
    places: list[tuple[int, int]]
    word_numbers: list[int]


@torch.no_grad()
def sequence_logits(network: Network, head: Head, examples: list[Example], tokenizer: Tokenizer) -> np.ndarray:
    """`[examples, labels]`, before calibration."""
    rows = encode(examples, head, tokenizer)
    order = sorted(range(len(rows)), key=lambda index: len(rows[index].ids))
    logits = np.zeros((len(rows), len(head.labels)), np.float32)
    for first in range(0, len(order), ROWS):
        places = order[first : first + ROWS]
        batch = collate([rows[place] for place in places], tokenizer.token_to_id("[PAD]"))
        logits[places] = network.sequence(head.name, network.vectors(batch)).float().numpy()
    return logits


@torch.no_grad()
def token_logits(network: Network, head: Head, examples: list[Example], tokenizer: Tokenizer) -> list[TokenPrediction]:
    """One prediction for each example that fits a row, in order."""
    fitting = [(example, row[0]) for example in examples if (row := encode([example], head, tokenizer))]
    order = sorted(range(len(fitting)), key=lambda place: len(fitting[place][1].ids))
    predictions: dict[int, TokenPrediction] = {}
    for first in range(0, len(order), ROWS):
        places = order[first : first + ROWS]
        batch = collate([fitting[place][1] for place in places], tokenizer.token_to_id("[PAD]"))
        for place, logits in zip(places, network.tokens(head.name, network.vectors(batch)).float().numpy(), strict=True):
            predictions[place] = to_prediction(*fitting[place], logits, head, tokenizer)
    return [predictions[place] for place in range(len(fitting))]


def to_prediction(example: Example, row: EncodedRow, logits: np.ndarray, head: Head, tokenizer: Tokenizer) -> TokenPrediction:
    """What is said of the text's own tokens."""
    set_truncation(tokenizer, head, example)
    encoding = tokenizer.encode(*((example.text,) if example.first is None else (example.first, example.text)))
    own = [target != IGNORED for target in row.target]
    keep = lambda values: [value for value, is_own in zip(values, own, strict=True) if is_own]  # noqa: E731
    return TokenPrediction(example, logits[: len(own)][own], keep(encoding.offsets), keep(encoding.word_ids))


def spans_of(prediction: TokenPrediction, head: Head, threshold: float, temperature: float = 1.0) -> list[Span]:
    """Spans as the worker finds them: a word has the kind of its surest token and belongs to a span from the threshold on;
    neighbouring words of a kind are one span."""
    probabilities = softmax(prediction.logits / temperature)
    spans: list[Span] = []
    is_open = False
    for start, end in words(prediction.word_numbers):
        kind, probability = read_word(probabilities[start:end], head)
        if probability < threshold:
            is_open = False
            continue
        first, last = prediction.places[start][0], prediction.places[end - 1][1]
        if is_open and spans[-1].label == kind:
            spans[-1] = Span(spans[-1].start, last, kind)
        else:
            spans.append(Span(first, last, kind))
        is_open = True
    return spans


def words(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """First token and one more than the last of each word."""
    start = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[start]:
            yield start, place
            start = place


def read_word(probabilities: np.ndarray, head: Head) -> tuple[str, float]:
    """Kind and probability of the surest token."""
    of_kind = probabilities[:, 1:]
    surest = int(of_kind.max(1).argmax())
    return head.labels[1 + int(of_kind[surest].argmax())], float(of_kind[surest].max())
