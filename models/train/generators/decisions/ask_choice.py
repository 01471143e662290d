"""Choice: one of an attribute's values, also "not stated", or the one statement that holds."""

import random

from .decision import Decision, Option
from .library import Attribute, Library, Value
from .scene import draw_scene, pick_attribute
from .statements import draw_statements
from .wording import instruct, name_options, vary

ABSENT_SHARE = 0.12
NOT_STATED_SHARE = 0.25
STATEMENTS_SHARE = 0.2


def ask_choice(library: Library, chance: random.Random) -> Decision | None:
    if chance.random() < STATEMENTS_SHARE:
        return ask_statement(library, chance)
    genre, attribute = pick_attribute(library, chance, chance.choice(["one", "one", "one", "levels", "many"]))
    absent = attribute.kind == "one" and chance.random() < ABSENT_SHARE
    keys = () if absent else (chance.choice(attribute.values).key,)
    state = draw_scene(library, genre, attribute, keys, chance)
    with_none = absent or (attribute.kind != "levels" and chance.random() < NOT_STATED_SHARE)
    left_out = with_none and attribute.kind == "one" and chance.random() < 0.3
    values = [value for value in draw_values(attribute, keys, chance) if not (left_out and value.key in keys)]
    options = name_options(values, chance)
    shown = list(options.values())
    if with_none:
        shown.append(draw_none(library, shown, chance))
    answer = shown[-1][0] if absent or left_out else options[keys[0]][0]
    if len(shown) < 2:
        return None
    if shown[0][0] not in ("A", "1"):
        chance.shuffle(shown)
    return Decision(
        state.text, "choice", instruct(library, attribute, genre, "choice", chance), tuple(shown), answer,
        f"{attribute.id}/choice", f"generated/decisions/{attribute.id}",
    )


def draw_values(attribute: Attribute, keys: tuple[str, ...], chance: random.Random) -> list[Value]:
    """The right value and some of the others, in random order."""
    others = [value for value in attribute.values if value.key not in keys]
    count = len(others) if chance.random() < 0.5 else chance.randint(1, len(others))
    values = chance.sample(others, count) + [attribute.get(key) for key in keys]
    chance.shuffle(values)
    return values


def draw_none(library: Library, shown: list[Option], chance: random.Random) -> Option:
    """An option for texts that say nothing of it, in the style of the others."""
    key, meaning = chance.choice(library.wordings["not_stated"])
    first = shown[0][0] if shown else ""
    if first in ("A", "1"):
        taken = len(shown)
        return ("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[taken] if first == "A" else str(taken + 1), meaning or key)
    return (key, meaning)


def ask_statement(library: Library, chance: random.Random) -> Decision | None:
    """One statement that holds among some that do not."""
    drawn = draw_statements(library, chance, min_attributes=1)
    if drawn is None:
        return None
    state, anchor, true, false = drawn
    if not true or not false:
        return None
    wrong = chance.sample(false, min(len(false), chance.choice([1, 2, 3, 3, 4, 6])))
    right = chance.choice(true)
    clauses = [right, *wrong]
    chance.shuffle(clauses)
    options = letter(clauses, chance)
    return Decision(
        state.text, "choice", vary(library, state.genre, chance.choice(library.wordings["statements_choice"]), chance),
        options, options[clauses.index(right)][0], f"{anchor.id}/statement_choice", f"generated/decisions/{anchor.id}",
    )


def letter(clauses: list[str], chance: random.Random) -> tuple[Option, ...]:
    """Clauses as keys of their own, or behind letters or numbers."""
    marks = chance.choice(["", "", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "123456789"])
    if not marks or len(clauses) > len(marks):
        return tuple((clause, None) for clause in clauses)
    return tuple((marks[place], clause) for place, clause in enumerate(clauses))
