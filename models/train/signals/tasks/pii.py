"""Personal data in texts, as spans."""

import hashlib
import random
import re
from pathlib import Path

from ...ordinary import read_ordinary
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
# Presidio's sets share templates: of this one, the templates of one text of so many do not train, in whichever set they are.
SHARES_TEMPLATES, HELD_OUT_SHARE = "presidio_synth_v2", 2
# Words that two texts share, of all that either has, from which on one template made both.
SAME_TEMPLATE = 0.5
UNSEEN: dict[str, tuple[int, frozenset[str] | None]] = {
    "presidio_synth_v2": (1101, None),
    "wikigold": (600, NAMES_ONLY),
    "pii_syn_nano": (149, None),
}


def read(data: Path, seed: int) -> TaskData:
    chance = random.Random(seed)
    public = [row for name, (count, known) in TRAINED.items() for row in sample(of_file(data, name, known), count, chance)]
    unseen = {name: sample(of_file(data, name, known), count, chance) for name, (count, known) in UNSEEN.items()}
    public = of_other_templates(public, [example for example in unseen[SHARES_TEMPLATES] if is_held_out(wording(example))])
    train, tuning = split_by_source(public, 0.05, chance)
    unseen = {name: of_other_templates(examples, public) for name, examples in unseen.items()}
    unseen["contrast"] = generated("pii", "contrast", 600)
    unseen["ordinary"] = read_ordinary(data)
    train += generated("pii", "train", 14000) + written("pii")
    return TaskData(train, tuning + generated("pii", "validation", 1000), unseen)


def of_other_templates(examples: list[Example], trained: list[Example]) -> list[Example]:
    """Those whose wording beside the personal data no text has that trains: the sources of one project share templates."""
    known = {wording(example) for example in trained}
    with_word: dict[str, list[frozenset[str]]] = {}
    for words in known:
        for word in words:
            with_word.setdefault(word, []).append(words)

    def is_known(words: frozenset[str]) -> bool:
        # Who shares more than half of the words shares one of the rarest of them.
        rarest = sorted(words, key=lambda word: len(with_word.get(word, ())))[: len(words) // 2 + 1]
        near = (other for word in rarest for other in with_word.get(word, ()))
        return words in known or any(len(words & other) > SAME_TEMPLATE * len(words | other) for other in near)

    return [example for example in examples if not is_known(wording(example))]


def is_held_out(words: frozenset[str]) -> bool:
    """The same for all texts of a template, in every run."""
    return hashlib.sha256(" ".join(sorted(words)).encode()).digest()[0] % HELD_OUT_SHARE == 0


def wording(example: Example) -> frozenset[str]:
    """The words of a text without its spans."""
    parts, end = [], 0
    for span in example.spans:
        parts.append(example.text[end : span.start])
        end = span.end
    return frozenset(re.findall(r"[a-z]+", " ".join([*parts, example.text[end:]]).lower()))


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
