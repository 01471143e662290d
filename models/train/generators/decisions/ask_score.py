"""Score: which level of an attribute, on scales of two to seven levels, and how many of a kind there are."""

import random

from .decision import Decision
from .library import Library
from .marked_text import choose
from .scene import draw_scene, pick_attribute
from .states import Wanted, compose, has_unmarked
from .values import SLOTS
from .wording import instruct, name_options, put_in, vary

COUNT_SHARE = 0.12
SHORTER_SHARE = 0.3
REVERSED_SHARE = 0.12
COUNT_SCALES = [["none", "one", "two", "three or more"], ["0", "1", "2 or more"], ["none", "at least one"], ["zero", "one", "two", "three", "four or more"], ["no mention", "a single one", "several"]]


def ask_score(library: Library, chance: random.Random) -> Decision | None:
    if chance.random() < COUNT_SHARE:
        return ask_count(library, chance)
    genre, attribute = pick_attribute(library, chance, "levels")
    value = chance.choice(attribute.values)
    state = draw_scene(library, genre, attribute, (value.key,), chance)
    levels = list(attribute.values)
    if chance.random() < SHORTER_SHARE:
        kept = {value.key, *(level.key for level in chance.sample(levels, chance.randint(1, len(levels) - 1)))}
        levels = [level for level in levels if level.key in kept]
    if chance.random() < REVERSED_SHARE:
        levels.reverse()
    if len(levels) < 2:
        return None
    named = name_options(levels, chance)
    texts = [key.replace("_", " ") if meaning is None else meaning if len(key) < 2 else f"{key.replace('_', ' ')}: {meaning}" for key, meaning in named.values()]
    if len(set(texts)) < len(texts):
        return None
    return Decision(
        state.text, "score", instruct(library, attribute, genre, "score", chance), tuple((text, None) for text in texts),
        levels.index(value), f"{attribute.id}/score", f"generated/decisions/{attribute.id}",
    )


def ask_count(library: Library, chance: random.Random) -> Decision | None:
    """How many different values of one kind stand in a text."""
    kind = chance.choice([kind for kind in library.kinds if kind in SLOTS["plurals"]])
    genre = chance.choice([genre for genre in library.genres if genre.fillers])
    naming = [filler for filler in genre.fillers if f"<{kind}>" in filler]
    certain = tuple(chance.sample(naming, min(len(naming), chance.choice([0, 1, 1, 2, 3]))))
    plain = tuple(filler for filler in genre.fillers if f"<{kind}" not in filler)
    state = compose(library, Wanted(genre, {}, others=1, fillers=chance.randint(1, 4), allowed=plain, certain=certain), chance)
    if has_unmarked(state.marked, kind):
        return None
    found = [state.text[span.start : span.end].lower() for span in state.marked.spans if span.label == kind]
    if len(set(found)) < len(found):
        return None
    scale = chance.choice(COUNT_SCALES)
    frame = chance.choice(library.wordings["kinds_count"])
    return Decision(
        state.text, "score", vary(library, genre, put_in(frame, "about", SLOTS["plurals"][kind]), chance),
        tuple((choose(level, chance), None) for level in scale), min(len(found), len(scale) - 1),
        f"count.{kind}/score", f"generated/decisions/kind.{kind}",
    )
