"""Texts in one or several languages: which, which first, how many."""

import json
import random

from ...grammar import WORDS
from ..share import share
from ..values import Values
from .task import Asked, Task, no_and_yes

SENTENCES: dict[str, list[str]] = json.loads((WORDS / "decisions_computed.json").read_text(encoding="utf-8"))["languages"]
COUNTS = [["one", "two", "three", "four or more"], ["1", "2", "3", "4+"], ["a single language", "two languages", "three or more"]]


def draw_text(values: Values, chance: random.Random, count: int) -> tuple[str, list[str]]:
    """A text and its languages in the order in which they come."""
    names = chance.sample(list(SENTENCES), count)
    parts = []
    for name in names:
        own = share(SENTENCES[name], values.split)
        parts.append(" ".join(chance.sample(own, min(len(own), chance.randint(1, 2)))))
    number = f"{chance.randint(1, 999)}{chance.choice([')', '.', ':', ' -'])} "
    return (number if chance.random() < 0.7 else "") + chance.choice([" ", "\n", " / "]).join(parts), names


def ask_which(values: Values, chance: random.Random) -> Asked:
    text, names = draw_text(values, chance, chance.choice([1, 1, 2, 2, 3, 4]))
    shown = chance.sample(list(SENTENCES), chance.randint(2, 10))
    shown = list(dict.fromkeys(shown + [name for name in names if chance.random() < 0.8]))
    chance.shuffle(shown)
    return Asked(text, tuple((name, None) for name in shown), tuple(name for name in shown if name in names))


def ask_first(values: Values, chance: random.Random) -> Asked:
    text, names = draw_text(values, chance, chance.choice([1, 1, 2, 3]))
    others = [name for name in SENTENCES if name not in names]
    shown = [*names, *chance.sample(others, chance.randint(1, 9))]
    chance.shuffle(shown)
    return Asked(text, tuple((name, None) for name in shown), names[0])


def ask_count(values: Values, chance: random.Random) -> Asked:
    text, names = draw_text(values, chance, chance.choice([1, 2, 3, 4]))
    scale = chance.choice(COUNTS)
    return Asked(text, tuple((level, None) for level in scale), min(len(names), len(scale)) - 1)


def ask_is(values: Values, chance: random.Random) -> Asked:
    text, names = draw_text(values, chance, chance.choice([1, 2, 3]))
    name = chance.choice(names) if chance.random() < 0.5 else chance.choice(list(SENTENCES))
    return Asked(text, no_and_yes(chance), name in names, name)


TASKS = [
    Task("languages.which", "set", (
        "Which languages {are in the text|occur}?", "Tick all languages of the text.", "In which languages is it written?",
        "Name every language that you see.", "Mark the languages.", "What languages does one need to read it?",
    ), ask_which),
    Task("languages.first", "choice", (
        "In which language does the text begin?", "What is the first language of the text?", "Language of the first sentence?",
        "The text starts in", "Pick the language of the opening words.", "Which language comes first?",
    ), ask_first),
    Task("languages.count", "score", (
        "How many languages {are in the text|occur}?", "Count the languages.", "Number of languages",
        "In how many languages is it written?", "How multilingual is the text?", "Say how many languages are mixed here.",
    ), ask_count),
    Task("languages.is", "noul", (
        "A part of the text is in SUBJECT.", "Is there SUBJECT in it?", "Does the text hold a sentence in SUBJECT?",
        "The text is written in SUBJECT, wholly or in part.", "Does one need SUBJECT to read all of it?", "SUBJECT is used here.",
    ), ask_is),
]
