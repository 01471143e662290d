"""Set: which values of an attribute hold, which statements are right, which kinds of details stand in a text."""

import random

from .ask_choice import letter
from .decision import Decision
from .library import Library
from .scene import FILLERS, draw_scene, pick_attribute
from .statements import draw_statements
from .states import Wanted, compose, draw_keys, has_unmarked
from .values import SLOTS
from .wording import instruct, name_options, vary

STATEMENTS_SHARE = 0.25
KINDS_SHARE = 0.2


def ask_set(library: Library, chance: random.Random) -> Decision | None:
    way = chance.random()
    if way < STATEMENTS_SHARE:
        return ask_statements(library, chance)
    if way < STATEMENTS_SHARE + KINDS_SHARE:
        return ask_kinds(library, chance)
    genre, attribute = pick_attribute(library, chance, "many")
    keys = draw_keys(attribute, chance)
    state = draw_scene(library, genre, attribute, keys, chance)
    shown = list(attribute.values) if chance.random() < 0.5 else chance.sample(attribute.values, chance.randint(2, len(attribute.values)))
    chance.shuffle(shown)
    options = name_options(shown, chance)
    return Decision(
        state.text, "set", instruct(library, attribute, genre, "set", chance), tuple(options.values()),
        tuple(option[0] for key, option in options.items() if key in keys),
        f"{attribute.id}/set", f"generated/decisions/{attribute.id}",
    )


def ask_statements(library: Library, chance: random.Random) -> Decision | None:
    drawn = draw_statements(library, chance, min_attributes=2)
    if drawn is None:
        return None
    state, anchor, true, false = drawn
    clauses = chance.sample(true, chance.randint(0, len(true))) + chance.sample(false, min(len(false), chance.randint(0, 4)))
    if len(clauses) < 2:
        return None
    chance.shuffle(clauses)
    options = letter(clauses, chance)
    return Decision(
        state.text, "set", vary(library, state.genre, chance.choice(library.wordings["statements_set"]), chance), options,
        tuple(key for (key, _), clause in zip(options, clauses, strict=True) if clause in true),
        f"{anchor.id}/statement_set", f"generated/decisions/{anchor.id}",
    )


def ask_kinds(library: Library, chance: random.Random) -> Decision | None:
    """Which kinds of details a text holds; a kind that may stand in it unmarked is not among the labels."""
    genre = chance.choice([genre for genre in library.genres if genre.fillers])
    state = compose(library, Wanted(genre, {}, others=chance.randint(0, 2), fillers=chance.choice(FILLERS[2:])), chance)
    present = state.marked.kinds()
    kinds = [kind for kind in library.kinds if not has_unmarked(state.marked, kind)]
    if len(kinds) < 2:
        return None
    chosen = chance.sample(kinds, chance.randint(2, min(12, len(kinds))))
    with_meaning, which = chance.random() < 0.5, chance.randrange(2)
    options = []
    for kind in chosen:
        key, meaning = SLOTS["names"][kind][which]
        options.append((key, meaning) if with_meaning else (SLOTS["plurals"].get(kind, key) if which else key, None))
    return Decision(
        state.text, "set", vary(library, genre, chance.choice(library.wordings["kinds_set"]), chance), tuple(options),
        tuple(option[0] for kind, option in zip(chosen, options, strict=True) if kind in present),
        f"kinds.{library.kinds[0]}/set", f"generated/decisions/kind.{library.kinds[0]}",
    )
