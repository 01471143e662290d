"""What a network says about examples, as arrays."""

from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer

from .batches import IGNORED, collate, encode
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
    """One prediction for each example that fits a row."""
    predictions = []
    for example in examples:
        rows = encode([example], head, tokenizer)
        if not rows:
            continue
        batch = collate(rows, tokenizer.token_to_id("[PAD]"))
        own = np.array(rows[0].target) != IGNORED
        logits = network.tokens(head.name, network.vectors(batch))[0].float().numpy()[own]
        pair = (example.text,) if example.first is None else (example.first, example.text)
        encoding = tokenizer.encode(*pair)
        places = [place for place, is_own in zip(encoding.offsets, own, strict=True) if is_own]
        predictions.append(TokenPrediction(example, logits, places))
    return predictions


def spans_of(prediction: TokenPrediction, head: Head, threshold: float, temperature: float = 1.0) -> list[Span]:
    """Neighbouring tokens of one kind, whose probability reaches the threshold at its highest."""
    logits = prediction.logits / temperature
    probabilities = np.exp(logits - logits.max(-1, keepdims=True))
    probabilities /= probabilities.sum(-1, keepdims=True)
    spans: list[tuple[int, int, str, float]] = []
    for row, (start, end) in zip(probabilities, prediction.places, strict=True):
        label = head.labels[int(row.argmax())]
        if label in ("O", "SUPPORTED"):
            continue
        part, kind = label.split("-", 1) if "-" in label else ("I", label)
        best = float(row.max())
        touches = bool(spans) and spans[-1][2] == kind and start - spans[-1][1] <= 1
        if touches and part == "I":
            spans[-1] = (spans[-1][0], end, kind, max(spans[-1][3], best))
        else:
            spans.append((start, end, kind, best))
    return [Span(start, end, kind) for start, end, kind, best in spans if best >= threshold]
