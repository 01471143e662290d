"""Harmless sentences with the words that a guard fires on: permission, refusal, rules, secrets, "your ...", in many domains.

The words were found by asking the guard about each word of the attacks that train, alone and in harmless sentences."""

import json
import random
from functools import lru_cache

from .grammar import WORDS, Frame, Grammar
from .texture import roughen

FAMILY, FOREIGN = "over_defence", "over_defence_foreign"
FOREIGN_SHARE = 0.15


def write_over_defence(grammar: Grammar, chance: random.Random) -> tuple[str, Frame]:
    """One to three sentences of one domain, or one in another language."""
    if chance.random() < FOREIGN_SHARE:
        frame = grammar.pick_frame("benign", chance, FOREIGN)
        return roughen(grammar.fill(frame.text, chance), chance, frame.language), frame
    grammar.lists |= chance.choice(read_domains())
    frames = [grammar.pick_frame("benign", chance, FAMILY) for _ in range(chance.choice([1, 1, 1, 2, 2, 3]))]
    text = chance.choice([" ", " ", "\n"]).join(grammar.fill(frame.text, chance) for frame in frames)
    return roughen(text, chance), frames[0]


@lru_cache(maxsize=1)
def read_domains() -> list[dict[str, list[str]]]:
    """For each domain who acts, what is acted upon, and under which conditions."""
    return list(json.loads((WORDS / "jailbreak_over_defence.json").read_text(encoding="utf-8"))["domains"].values())
