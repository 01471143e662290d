"""From examples to rows of token ids, and from rows to padded batches."""

from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

from ..training import padded_length
from .examples import Example
from .heads import Head

# Tokens of special meaning, and those of a first text: no label is wanted for them.
IGNORED = -100


@dataclass
class EncodedRow:
    """`target` is a label number, or one for each token. `allowed` marks the label numbers that an unmarked token of the
    row may have."""

    ids: list[int]
    segments: list[int]
    target: int | list[int]
    allowed: tuple[bool, ...] | None


def encode(examples: list[Example], head: Head, tokenizer: Tokenizer) -> list[EncodedRow]:
    """Tokenizes; an answer that is longer than a row alone is left out."""
    numbers = {label: number for number, label in enumerate(head.labels)}
    rows = []
    for example in examples:
        set_truncation(tokenizer, head, example)
        if example.first is None:
            encoding = tokenizer.encode(example.text)
        else:
            try:
                encoding = tokenizer.encode(example.first, example.text)
            except Exception:  # noqa: BLE001 - the library has one type: the answer alone is longer than a row
                continue
        if head.kind == "sequence":
            target: int | list[int] = numbers[example.label]
        else:
            target = token_targets(example, head, numbers, encoding)
        rows.append(EncodedRow(encoding.ids, encoding.type_ids, target, allowed_labels(example, head)))
    return rows


def set_truncation(tokenizer: Tokenizer, head: Head, example: Example) -> None:
    """Pairs are cut in their first text, single texts at their end."""
    tokenizer.enable_truncation(head.max_tokens, strategy="longest_first" if example.first is None else "only_first")


def token_targets(example: Example, head: Head, numbers: dict[str, int], encoding) -> list[int]:  # noqa: ANN001
    """A label number for each token of the text itself."""
    own = 0 if example.first is None else 1
    targets = []
    for (start, end), sequence in zip(encoding.offsets, encoding.sequence_ids, strict=True):
        if sequence != own or start == end:
            targets.append(IGNORED)
            continue
        span = next((span for span in example.spans if start < span.end and end > span.start), None)
        if span is None:
            targets.append(0)
        else:
            targets.append(numbers[span.label])
    return targets


def allowed_labels(example: Example, head: Head) -> tuple[bool, ...] | None:
    if example.known is None:
        return None
    return tuple(label == "O" or label not in example.known for label in head.labels)


def collate(rows: list[EncodedRow], padding: int) -> dict[str, Tensor]:
    longest = padded_length(max(len(row.ids) for row in rows))
    fill = lambda values, filler: values + [filler] * (longest - len(values))  # noqa: E731
    batch = {
        "ids": torch.tensor([fill(row.ids, padding) for row in rows]),
        "segments": torch.tensor([fill(row.segments, 0) for row in rows]),
        "mask": torch.tensor([fill([1] * len(row.ids), 0) for row in rows]),
    }
    targets = [fill(row.target, IGNORED) if isinstance(row.target, list) else row.target for row in rows]
    batch["target"] = torch.tensor(targets)
    if any(row.allowed for row in rows):
        nothing_else = lambda row: row.allowed or (True, *[False] * (len(first_allowed(rows)) - 1))  # noqa: E731
        batch["allowed"] = torch.tensor([nothing_else(row) for row in rows])
    return batch


def first_allowed(rows: list[EncodedRow]) -> tuple[bool, ...]:
    return next(row.allowed for row in rows if row.allowed)
