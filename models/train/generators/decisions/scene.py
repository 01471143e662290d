"""A state for one question: which attribute is asked, what else stands around it."""

import random

from .library import Attribute, Genre, Library
from .states import State, Wanted, compose

OTHERS = [0, 0, 1, 1, 2, 3]
FILLERS = [0, 0, 1, 1, 2, 3, 4, 6, 9, 14]
BARE_SHARE = 0.3


def pick_attribute(library: Library, chance: random.Random, kind: str | None = None) -> tuple[Genre, Attribute]:
    return chance.choice(library.attributes(kind))


def draw_scene(library: Library, genre: Genre, attribute: Attribute, keys: tuple[str, ...], chance: random.Random) -> State:
    """A state in which the attribute has these values; without values it is not spoken of, and other things are."""
    fillers, others = chance.choice(FILLERS), chance.choice(OTHERS)
    if not keys:
        fillers = max(fillers, 2)
    bare = fillers < 2 and chance.random() < BARE_SHARE + 0.3
    return compose(library, Wanted(genre, {attribute: keys}, others=others, fillers=fillers, bare=bare), chance)
