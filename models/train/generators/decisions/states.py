"""States: sentences that say chosen values, between sentences that say nothing of them, in many shapes."""

import random
import re
from dataclasses import dataclass, field

from .library import Attribute, Genre, Library
from .marked_text import MarkedText, capitalise, fill, join, roughen, wrap
from .values import SLOTS

BETWEEN = [" ", " ", " ", " ", "\n", "\n\n"]
HINTS = {kind: re.compile(hint, re.IGNORECASE) for kind, hint in SLOTS["hints"].items()}


@dataclass(frozen=True)
class State:
    """`held` has the keys of every attribute that the text speaks of."""

    marked: MarkedText
    genre: Genre
    held: dict[Attribute, tuple[str, ...]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.marked.text


@dataclass(frozen=True)
class Wanted:
    """What a state must say (`held`), how many other attributes and fillers stand around, and which fillers may."""

    genre: Genre
    held: dict[Attribute, tuple[str, ...]]
    others: int = 0
    fillers: int = 0
    allowed: tuple[str, ...] | None = None
    certain: tuple[str, ...] = ()
    bare: bool = False


def compose(library: Library, wanted: Wanted, chance: random.Random) -> State:
    held = dict(wanted.held)
    candidates = [each for each in wanted.genre.attributes if all(each.fits(other) for other in held)]
    for _ in range(min(wanted.others, len(candidates))):
        each = chance.choice(candidates)
        held[each] = draw_keys(each, chance)
        candidates = [other for other in candidates if other.fits(each)]
        if not candidates:
            break
    fillers = list(wanted.genre.fillers if wanted.allowed is None else wanted.allowed)
    filled = chance.sample(fillers, min(len(fillers), wanted.fillers)) + list(wanted.certain)
    asides = chance.sample(wanted.genre.asides, min(len(wanted.genre.asides), chance.choice([0, 0, 0, 1, 2]))) if not wanted.bare else []
    templates = [chance.choice(each.get(key).texts) for each, keys in held.items() for key in keys] + filled + asides
    chance.shuffle(templates)
    return State(lay_out(library, wanted, templates, chance), wanted.genre, held)


def draw_keys(attribute: Attribute, chance: random.Random) -> tuple[str, ...]:
    """One key, or of an attribute with many some in their order: none and all are possible."""
    keys = [value.key for value in attribute.values]
    if attribute.kind != "many":
        return (chance.choice(keys),)
    chosen = chance.sample(keys, min(len(keys), chance.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, len(keys)])))
    return tuple(key for key in keys if key in chosen)


def lay_out(library: Library, wanted: Wanted, templates: list[str], chance: random.Random) -> MarkedText:
    exact = any(each.exact for each in wanted.held)
    parts = [fill(template, library.values, chance) for template in templates]
    if not exact:
        parts = [capitalise(part) for part in parts]
    if not wanted.bare:
        opening = [fill(chance.choice(wanted.genre.openings), library.values, chance)] if chance.random() < 0.3 else []
        closing = [fill(chance.choice(wanted.genre.closings), library.values, chance)] if chance.random() < 0.25 else []
        parts = [*opening, *parts, *closing]
    parts = [part for part in parts if part.text]
    shape = chance.random()
    if shape < 0.1 and len(parts) > 2 and not exact:
        mark = chance.choice(["- ", "* ", "• "])
        marked = join([wrap(part, MarkedText(mark), MarkedText("")) for part in parts], "\n")
    else:
        marked = join(parts, chance.choice(BETWEEN))
    marked = marked if exact else roughen(marked, chance)
    return put_in_wrapper(marked, chance.choice(library.wordings["wrappers"]), chance)


def put_in_wrapper(marked: MarkedText, wrapper: str, chance: random.Random) -> MarkedText:
    """Wrapped as a quotation, JSON, a table row or code; letters that would break out of it are replaced one by one."""
    if not wrapper:
        return marked
    if any(mark in wrapper for mark in ('"', "|", "> ", "# ", "* ", "- ")):
        marked = MarkedText(marked.text.replace('"', "'").replace("\n", " ").replace("|", "/"), marked.spans)
    before, after = wrapper.replace("<number>", str(chance.randint(1, 99))).split("@")
    return wrap(marked, MarkedText(before), MarkedText(after))


def has_unmarked(marked: MarkedText, kind: str) -> bool:
    """Whether something of the kind may stand in the text that is not marked; such a text is not asked for the kind."""
    rest = list(marked.text)
    for span in marked.spans:
        if span.label == kind:
            rest[span.start : span.end] = " " * (span.end - span.start)
    return kind in HINTS and HINTS[kind].search("".join(rest)) is not None
