"""Harmless sentences with the words that attacks are full of, by how many such words they have. They only measure.

The words are those that stand most often in attacks that train and seldom in other texts. The sentences were written one by one, of many
domains; the last ones with two and three words are sentences of documentation that measures.
"""

import json
import re
from pathlib import Path

from .signals.examples import Example

FOLDER = Path(__file__).parent / "seeds"
NAMES = {1: "one_trigger_word", 2: "two_trigger_words", 3: "three_trigger_words", 4: "four_trigger_words"}
# A word and its forms count once.
WORDS = tuple(re.compile(rf"\b(?:{forms})\b") for forms in (FOLDER / "trigger_words.txt").read_text(encoding="utf-8").splitlines())


def read_triggers(folder: Path = FOLDER) -> dict[str, list[Example]]:
    """By set; the last one has four words and more."""
    sets: dict[str, list[Example]] = {name: [] for name in NAMES.values()}
    for line in (folder / "triggers.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        sets[NAMES[row["words"]]].append(Example(row["text"], row["source"], "benign"))
    return sets


def count_trigger_words(text: str) -> int:
    return sum(word.search(text.lower()) is not None for word in WORDS)
