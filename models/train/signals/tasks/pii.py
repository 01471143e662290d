"""Personal data in texts, as spans."""

import random
from pathlib import Path

from ..examples import Example, Span, TaskData, read_rows, sample, split_by_source
from ..generated import generated
from ..heads import PII_KINDS
from ..written import written

NAMES_ONLY = frozenset({"PERSON", "LOCATION", "ORG"})
# Rows to train on, and the kinds that the source marks (`None` is all).
TRAINED: dict[str, tuple[int, frozenset[str] | None]] = {
    "btc": (5000, NAMES_ONLY),
    "crossner": (2752, NAMES_ONLY),
    "wnut17": (3500, NAMES_ONLY),
    "presidio_generated_large": (1450, None),
    "presidio_templates_x_fng": (2472, None),
}
UNSEEN: dict[str, tuple[int, frozenset[str] | None]] = {
    "presidio_synth_v2": (1101, None),
    "wikigold": (600, NAMES_ONLY),
    "pii_syn_nano": (149, None),
}


def read(data: Path, seed: int) -> TaskData:
    chance = random.Random(seed)
    public = [row for name, (count, known) in TRAINED.items() for row in sample(of_file(data, name, known), count, chance)]
    train, tuning = split_by_source(public, 0.05, chance)
    unseen = {name: sample(of_file(data, name, known), count, chance) for name, (count, known) in UNSEEN.items()}
    unseen["contrast"] = generated("pii", "contrast", 600)
    train += generated("pii", "train", 14000) + written("pii")
    return TaskData(train, tuning + generated("pii", "validation", 1000), unseen)


def of_file(data: Path, name: str, known: frozenset[str] | None) -> list[Example]:
    examples = []
    for row in read_rows(data, f"pii/{name}"):
        spans = [Span(span["start"], span["end"], span["label"]) for span in row["spans"] if span["label"] in PII_KINDS]
        examples.append(Example(row["text"], row["source"], spans=joined(spans, row["text"]), known=known))
    return examples


def joined(spans: list[Span], text: str) -> tuple[Span, ...]:
    """Some sources mark a number and its street as two of one kind; what only blanks part is one."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):
        last = found[-1] if found else None
        if last and last.label == span.label and not text[last.end : span.start].strip(" \t"):
            found[-1] = Span(last.start, span.end, span.label)
        else:
            found.append(span)
    return tuple(found)
