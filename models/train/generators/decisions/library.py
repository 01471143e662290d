"""What one split may say and ask: genres of states with their attributes, fillers, and the kinds of spans to ask for."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ..deal import Split
from ..grammar import WORDS
from .share import share
from .values import SLOTS, Values

GENRES = ("customer", "review", "work", "developer", "prompt", "personal", "listing", "news")
WORDINGS: dict[str, list] = json.loads((WORDS / "decisions_wordings.json").read_text(encoding="utf-8"))
ASIDES: list[str] = json.loads((WORDS / "decisions_asides.json").read_text(encoding="utf-8"))["asides"]
KIND = re.compile(r"<\^?([a-z_]+)(?:=([a-z_]+))?|\[([a-z_]+):")
SPLITS: tuple[Split, ...] = ("train", "validation", "contrast")


@dataclass(frozen=True)
class Value:
    """`names` describe it in an option, `says` is a clause that is true where it holds, `texts` say it in a state."""

    key: str
    names: tuple[str, ...]
    says: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Attribute:
    """`kind`: one value, one of ordered levels, or any number of values. Never in a state with those of `apart`."""

    genre: str
    name: str
    kind: Literal["one", "levels", "many"]
    ask: tuple[str, ...]
    about: tuple[str, ...]
    values: tuple[Value, ...]
    apart: frozenset[str]
    exact: bool
    alone: bool

    @property
    def id(self) -> str:
        return f"{self.genre}.{self.name}"

    def get(self, key: str) -> Value:
        return next(value for value in self.values if value.key == key)

    def fits(self, other: "Attribute") -> bool:
        return not (self.alone or other.alone or other.name in self.apart or self.name in other.apart or other is self)


@dataclass(frozen=True)
class Genre:
    name: str
    called: tuple[str, ...]
    openings: tuple[str, ...]
    closings: tuple[str, ...]
    fillers: tuple[str, ...]
    asides: tuple[str, ...]
    attributes: tuple[Attribute, ...]


@dataclass(frozen=True)
class Library:
    split: Split
    values: Values
    genres: tuple[Genre, ...]
    kinds: tuple[str, ...]
    roles: tuple[tuple[str, ...], ...]
    wordings: dict[str, list]

    def attributes(self, kind: str | None = None) -> list[tuple[Genre, Attribute]]:
        return [(genre, each) for genre in self.genres for each in genre.attributes if kind in (None, each.kind)]


@lru_cache(maxsize=3)
def read_library(split: Split) -> Library:
    files = {name: json.loads((WORDS / f"decisions_{name}.json").read_text(encoding="utf-8")) for name in GENRES}
    kept = deal_attributes([to_attribute(name, key, entry) for name, file in files.items() for key, entry in file["attributes"].items()], split)
    homes = {kind: split for split in SPLITS for kind in deal_kinds(split)}
    asides = tuple(share(ASIDES, split))
    genres = tuple(
        Genre(
            name=name,
            called=tuple(share(file["kind"], split)),
            openings=tuple(share(file["openings"], split)),
            closings=tuple(share(file["closings"], split)),
            fillers=tuple(deal_fillers(file["fillers"], homes, split)),
            attributes=tuple(each for each in kept if each.genre == name),
            asides=asides,
        )
        for name, file in files.items()
    )
    roles = tuple(tuple(group) for group in share(SLOTS["roles"], split))
    kinds = tuple(kind for kind in deal_kinds(split) if not any(kind in group for group in SLOTS["roles"]))
    wordings = {name: share(entries, split) if entries[0] != "" else entries for name, entries in WORDINGS.items()}
    return Library(split, Values(split), genres, kinds, roles, wordings)


def to_attribute(genre: str, name: str, entry: dict) -> Attribute:
    values = tuple(Value(key, tuple(names), says, tuple(texts)) for key, (names, says, texts) in entry["values"].items())
    return Attribute(
        genre, name, entry["kind"], tuple(entry["ask"]), tuple(entry["about"]), values,
        frozenset(entry.get("apart", ())), entry.get("exact", False), entry.get("alone", False),
    )


def deal_attributes(attributes: list[Attribute], split: Split) -> list[Attribute]:
    """A whole attribute, with all that asks for it, goes to one split; each split gets some of every kind."""
    kinds = ("one", "levels", "many")
    return [each for kind in kinds for each in share([one for one in attributes if one.kind == kind], split, lambda one: one.id)]


def deal_kinds(split: Split) -> list[str]:
    """Kinds of spans to ask for; the common ones, which stand in every text, belong to train."""
    groups = share(SLOTS["kinds"], split) + share(SLOTS["roles"], split)
    return [kind for group in groups for kind in group] + (SLOTS["common"] if split == "train" else [])


def deal_fillers(fillers: list[str], homes: dict[str, Split], split: Split) -> list[str]:
    """A filler with a held-out kind stands where that is asked for; the others are dealt."""
    by_home: dict[Split | None, list[str]] = {"validation": [], "contrast": [], None: []}
    for filler in fillers:
        held_out = [homes[kind] for kind in to_kinds(filler) if homes.get(kind, "train") != "train"]
        by_home[held_out[0] if held_out else None].append(filler)
    return share(by_home[None], split) + by_home.get(split, [])


def to_kinds(template: str) -> set[str]:
    return {kind for match in KIND.finditer(template) for kind in match.groups() if kind}
