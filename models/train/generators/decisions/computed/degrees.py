"""How much of a quality a thing has: degrees in words, with other things and other qualities around."""

import json
import random
from functools import partial

from ...grammar import WORDS
from ..share import share
from ..values import Values
from .task import Asked, Task

FILE = json.loads((WORDS / "decisions_relations.json").read_text(encoding="utf-8"))
THINGS: dict[str, list[str]] = FILE["things"]
DEGREES: list[list[str]] = FILE["degrees"]
SENTENCES: list[str] = FILE["degree_sentences"]
WORDINGS: list[str] = FILE["degree_wordings"]


def draw_sentence(thing: str, quality: str, degree: int, values: Values, chance: random.Random) -> str:
    how = chance.choice(share(DEGREES[degree], values.split)).replace("{a}", quality)
    return chance.choice(share(SENTENCES, values.split)).format(thing=thing, how=how, How=how[:1].upper() + how[1:])


def ask_degree(thing: str, values: Values, chance: random.Random) -> Asked:
    """The asked quality, others of the same thing, and things with the same or other qualities."""
    quality, *rest = chance.sample(THINGS[thing], 3)
    degree = chance.randrange(7)
    sentences = [draw_sentence(thing, quality, degree, values, chance)]
    sentences += [draw_sentence(thing, other, chance.randrange(7), values, chance) for other in rest[: chance.choice([0, 0, 1, 2])]]
    for other in chance.sample([name for name in share(THINGS, values.split) if name != thing], chance.choice([0, 1, 1, 2])):
        sentences.append(draw_sentence(other, chance.choice([quality, *THINGS[other]]), chance.randrange(7), values, chance))
    chance.shuffle(sentences)
    kept = sorted({degree, *chance.sample(range(7), chance.choice([1, 2, 3, 4, 5, 6, 7]))})
    kept = kept if len(kept) > 1 else list(range(7))
    names = chance.choice(FILE["level_names"])
    options = tuple((names[level].replace("{a}", quality), None) for level in kept)
    return Asked(chance.choice([" ", " ", "\n"]).join(sentences), options, kept.index(degree), quality)


def to_wording(thing: str, wording: str) -> str:
    return wording.replace("{quality}", "SUBJECT").replace("{thing}", thing)


TASKS = [Task(f"degree.{thing}", "score", tuple(to_wording(thing, wording) for wording in WORDINGS), partial(ask_degree, thing)) for thing in THINGS]
