"""Span: where values of a kind stand, who plays which part, and passages such as promises, causes and requests."""

import random
from dataclasses import replace

from ..row import Span
from .decision import Decision
from .library import Genre, Library, to_kinds
from .states import State, Wanted, compose, has_unmarked
from .values import SLOTS
from .wording import put_in, vary

ROLES_SHARE = 0.35
FILLERS = [0, 1, 1, 2, 3, 4, 6, 10]
EVERY_ROLE = frozenset(kind for group in SLOTS["roles"] for kind in group)


def ask_span(library: Library, chance: random.Random) -> Decision | None:
    return ask_roles(library, chance) if chance.random() < ROLES_SHARE else ask_kinds(library, chance)


def ask_kinds(library: Library, chance: random.Random) -> Decision | None:
    genre = chance.choice([genre for genre in library.genres if genre.fillers])
    wished = chance.choice(library.kinds)
    naming = [filler for filler in genre.fillers if wished in to_kinds(filler)]
    certain = tuple(chance.sample(naming, min(len(naming), chance.choice([0, 1, 1, 1, 2]))))
    state = compose(library, Wanted(genre, {}, others=chance.choice([0, 1, 2]), fillers=chance.choice(FILLERS), certain=certain), chance)
    if has_unmarked(state.marked, wished):
        return None
    others = [kind for kind in library.kinds if kind != wished and not has_unmarked(state.marked, kind)]
    chosen = [wished, *chance.sample(others, min(len(others), chance.choice([0, 0, 1, 2, 3, 5])))]
    return to_decision(library, state, chosen, f"kind.{wished}", chance)


def ask_roles(library: Library, chance: random.Random) -> Decision | None:
    """Parts that values play and marked passages; nothing else in the text may play such a part."""
    group = chance.choice(library.roles)
    homes = [genre for genre in library.genres if any(to_kinds(filler) & set(group) for filler in genre.fillers)]
    genre = chance.choice(homes)
    playing = [filler for filler in genre.fillers if to_kinds(filler) & set(group) and not (to_kinds(filler) & EVERY_ROLE) - set(group)]
    plain = tuple(filler for filler in genre.fillers if not to_kinds(filler) & EVERY_ROLE)
    certain = tuple(chance.sample(playing, min(len(playing), chance.choice([0, 1, 1, 1, 2]))))
    state = compose(library, Wanted(without_ends(genre), {}, fillers=chance.choice(FILLERS), allowed=plain, certain=certain), chance)
    if not state.text.strip():
        return None
    chosen = chance.sample(group, chance.randint(1, len(group)))
    return to_decision(library, state, chosen, f"role.{group[0]}", chance)


def without_ends(genre: Genre) -> Genre:
    """Closings such as "Write to ..." are requests as well."""
    return replace(genre, closings=("",))


def to_decision(library: Library, state: State, kinds: list[str], task: str, chance: random.Random) -> Decision | None:
    if not state.text.strip():
        return None
    with_meaning = chance.random() < 0.55
    names = {kind: chance.choice(SLOTS["names"][kind]) for kind in kinds}
    if len({key for key, _ in names.values()}) < len(kinds):
        return None
    chance.shuffle(kinds)
    if len(kinds) == 1 and chance.random() < 0.7:
        about = SLOTS["plurals"].get(kinds[0]) if chance.random() < 0.4 else None
        instructions = put_in(chance.choice(library.wordings["span"]), "about", about or names[kinds[0]][1])
    else:
        instructions = chance.choice(library.wordings["span_many"])
    options = tuple((names[kind][0].replace("_", " ") if not with_meaning and chance.random() < 0.4 else names[kind][0], names[kind][1] if with_meaning else None) for kind in kinds)
    keys = {kind: key for kind, (key, _) in zip(kinds, options, strict=True)}
    spans = tuple(Span(span.start, span.end, keys[span.label]) for span in state.marked.spans if span.label in keys)
    return Decision(state.text, "span", vary(library, state.genre, instructions, chance), options, spans, f"{task}/span", f"generated/decisions/{task}")
