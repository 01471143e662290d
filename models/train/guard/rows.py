"""Rows of token ids for attacks: no longer than a part of the window, and no attack whose words a cut could lose."""

import random
from dataclasses import dataclass, replace

from tokenizers import Tokenizer

from ..documents import ORDERS
from ..signals.examples import Example
from ..signals.heads import Head

# Attacks in documents of these sources may stand anywhere; what is cut off such a text may be all that was wrong with it.
PLANTED = ("embed", "agentdojo", "bipia", "piarena", "injecagent", "addressed/")
# A text of fewer tokens may stand in an ordinary one: attacks come with harmless words around them.
SHORT = 80
CHARACTERS = 6000


@dataclass(frozen=True)
class Row:
    """A whole text; `ids` are without special tokens, `label` is the number of one. Of what is `later`, teachers know nothing. `alone`: not within others."""

    ids: list[int]
    label: int
    later: bool = False
    alone: bool = False


def read_rows(examples: list[Example], head: Head, tokenizer: Tokenizer, longest: int, later: tuple[str, ...] = ()) -> list[Row]:
    """Without attacks that would be cut where nobody knows what is lost. `later` are the beginnings of sources; each must have texts."""
    missing = [beginning for beginning in later if not any(example.source.startswith(beginning) for example in examples)]
    if missing:
        raise ValueError(f"Cannot find texts of {', '.join(missing)}: no source begins so")
    tokenizer.no_truncation()
    encodings = tokenizer.encode_batch([example.text[:CHARACTERS] for example in examples], add_special_tokens=False)
    rows = [
        Row(encoding.ids, head.labels.index(example.label), example.source.startswith(later), is_alone(example))
        for example, encoding in zip(examples, encodings, strict=True)
    ]
    return [row for example, row in zip(examples, rows, strict=True) if not loses(example, row, longest)]


def is_alone(example: Example) -> bool:
    return example.label == "benign" and example.source.startswith(ORDERS)


def loses(example: Example, row: Row, longest: int) -> bool:
    return row.label == 1 and len(row.ids) > longest - 2 and any(name in example.source for name in PLANTED)


def within_others(rows: list[Row], longest: int, share: float, chance: random.Random) -> list[Row]:
    """So many of the short texts once more: in front of, behind or within a part of a harmless one."""
    harmless = [row for row in rows if row.label == 0 and not row.alone and len(row.ids) > 8]
    placed = []
    for row in rows:
        if len(row.ids) < SHORT and not row.alone and chance.random() < share:
            around = part_of(chance.choice(harmless).ids, longest - 2 - len(row.ids), chance)
            before = chance.choice((0, len(around), chance.randint(0, len(around))))
            placed.append(replace(row, ids=around[:before] + row.ids + around[before:]))
    return placed


def part_of(ids: list[int], most: int, chance: random.Random) -> list[int]:
    """Any part of at most so many tokens."""
    length = min(len(ids), chance.randint(1, most))
    start = chance.randint(0, len(ids) - length)
    return ids[start : start + length]


def draw_row(row: Row, longest: int, chance: random.Random) -> Row:
    """A text as a step sees it: any part of a long harmless one, the start of a long attack."""
    room = longest - 2
    start = chance.randint(0, len(row.ids) - room) if row.label == 0 and len(row.ids) > room else 0
    return replace(row, ids=row.ids[start : start + room])
