"""Clauses that certainly hold of a state, and such that certainly do not."""

import random

from .library import Attribute, Library
from .scene import FILLERS, pick_attribute
from .states import State, Wanted, compose, draw_keys


def draw_statements(library: Library, chance: random.Random, min_attributes: int) -> tuple[State, Attribute, list[str], list[str]] | None:
    """A state, the attribute that gives the task its name, clauses that hold and clauses that do not."""
    genre, anchor = pick_attribute(library, chance)
    others = chance.choice([min_attributes, min_attributes, 2, 3])
    state = compose(library, Wanted(genre, {anchor: draw_keys(anchor, chance)}, others=others, fillers=chance.choice(FILLERS)), chance)
    true, false = [], []
    for attribute, keys in state.held.items():
        true += [attribute.get(key).says for key in keys]
        false += [attribute.get(key).says for key in find_false(attribute, keys)]
    return (state, anchor, true, false) if true or false else None


def find_false(attribute: Attribute, keys: tuple[str, ...]) -> list[str]:
    """Keys whose clause does not hold: of levels only those that are not next to the right one."""
    every = [value.key for value in attribute.values]
    if attribute.kind == "levels" and keys:
        return [key for key in every if abs(every.index(key) - every.index(keys[0])) >= 2]
    return [key for key in every if key not in keys]
