"""What the heads learn from: texts with a label or with spans, and the split by source."""

import gzip
import json
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Span:
    """Code points `start` to `end`, end exclusive."""

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class Example:
    """One text. `first` stands in front of it as a text of its own, as context and question do before an answer.

    `known` are the kinds of spans that the source marks; whether a text has others is not known. `None` is all.
    `parts` are what `text` and `first` were put together from, where a request names them one by one.
    """

    text: str
    source: str
    label: str | None = None
    spans: tuple[Span, ...] = ()
    first: str | None = None
    known: frozenset[str] | None = None
    parts: dict[str, str] = field(default_factory=dict, compare=False)


def identity(example: Example) -> tuple[str, ...]:
    """What a head reads, as words, whatever their case: two examples with the same are one text."""
    return tuple(f"{example.first or ''} {example.text}".casefold().split())


# What trains and what measures is the same in every run, whatever the seed of its weights and of the order of its rows.
SPLIT_SEED = 1


@dataclass(frozen=True)
class TaskData:
    """`train` learns; `tuning` fits temperature and threshold; `unseen`, by name, only measures.

    No source, template or document of `unseen` stands in `train`; a part of its rows is in `tuning` and not in `unseen`.
    """

    train: list[Example]
    tuning: list[Example]
    unseen: dict[str, list[Example]] = field(default_factory=dict)


def read_rows(data: Path, name: str) -> list[dict]:
    """The rows of `<task>/<file>`."""
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def labelled(rows: Iterable[dict], label: str | None = None) -> list[Example]:
    """One example a row; `label` stands in for the column of that name."""
    return [Example(row["text"].strip(), row["source"], label or str(row["label"])) for row in rows if row["text"].strip()]


def sample(examples: list[Example], count: int, chance: random.Random) -> list[Example]:
    """At most so many of them, in random order."""
    return chance.sample(examples, min(count, len(examples)))


def split_by_source(examples: list[Example], share: float, chance: random.Random) -> tuple[list[Example], list[Example]]:
    """Whole sources go to the second list until it has the share."""
    sources = sorted({example.source for example in examples})
    chance.shuffle(sources)
    wanted, chosen, count = share * len(examples), set(), 0
    for source in sources:
        if count >= wanted:
            break
        chosen.add(source)
        count += sum(example.source == source for example in examples)
    kept = [example for example in examples if example.source not in chosen]
    return kept, [example for example in examples if example.source in chosen]
