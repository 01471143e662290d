"""Texts that train although the same wording measures: collections copy from each other, with other goals or a few words changed."""

import re

from .examples import Example

WORDS = 8
# The share of its runs of words that a text has from texts that measure, from which on it is a copy of them.
SAME_WORDING = 0.5


def without_copies(train: list[Example], measured: list[Example]) -> list[Example]:
    """Those of `train` that are no copy. Only texts of the same label count: a request that an attack is wrapped around is
    another text than the attack."""
    known = {(example.label, run) for example in measured for run in runs(example.text)}
    return [example for example in train if not is_copy(example, known)]


def is_copy(example: Example, known: set[tuple[str | None, str]]) -> bool:
    found = runs(example.text)
    return bool(found) and sum((example.label, run) in known for run in found) > SAME_WORDING * len(found)


def runs(text: str) -> set[str]:
    """Every so many words one behind the other; of a shorter text, all of it."""
    words = re.findall(r"\w+", text.casefold())
    return {" ".join(words[at : at + WORDS]) for at in range(max(1, len(words) - WORDS + 1))} if words else set()
