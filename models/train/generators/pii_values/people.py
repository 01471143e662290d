"""Invented people: given and family names of many cultures, in Latin and in their own script."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

from ..deal import Split, deal, dealt

NAMES = json.loads((Path(__file__).parents[1] / "words" / "pii_names.json").read_text(encoding="utf-8"))
FAMILY_STARTS = ("Ash", "Brand", "Cald", "Dun", "Elm", "Fair", "Hart", "Kings", "Lang", "Mar", "Nor", "Pen", "Rad", "Stav", "Thorn", "Vand", "Wex", "Zel", "Kor", "Bel", "Hol", "Grim", "Tar", "Ven", "Ost", "Lind", "Sor", "Kal")
FAMILY_ENDS = ("ley", "wood", "ford", "field", "berg", "stein", "mann", "sen", "sson", "enko", "ovich", "ski", "escu", "yan", "shvili", "oglu", "idis", "ez", "elli", "etti", "eau", "ard", "ström", "quist", "ova", "ić", "man", "er", "well", "ton", "vik", "ke")
GIVEN_STARTS = ("Al", "Bri", "Car", "Da", "El", "Fa", "Ja", "Ka", "La", "Ma", "Na", "Ro", "Sha", "Ta", "Ve", "Xa", "Yo", "Ze", "Li", "Mi")
GIVEN_ENDS = ("ra", "den", "vion", "lyn", "nique", "shawn", "lio", "mira", "rius", "nelle", "vek", "reth", "ji", "sha", "lanna", "bel", "ton", "mon")
FAMILY_LENGTH = {"ja": 2, "zh": 1, "ko": 1}


@dataclass(frozen=True)
class Person:
    given: str
    family: str
    full: str
    initials: str
    locale: str


def invent_person(split: Split, chance: random.Random, locale: str | None = None) -> Person:
    """A person whose names are dealt to the split. About one in seven has a made-up name, one in eight names of two cultures."""
    locale = locale or chance.choice(list(NAMES))
    given = pick(locale, "given", split, chance)
    family = pick(chance.choice(list(NAMES)) if chance.random() < 0.12 else locale, "family", split, chance)
    if chance.random() < 0.15:
        family = compose(FAMILY_STARTS, FAMILY_ENDS, split, chance)
    if chance.random() < 0.06:
        given = compose(GIVEN_STARTS, GIVEN_ENDS, split, chance)
    middle = chance.choice("ABCDEFGHJKLMNPRSTW")
    initials = given[0] + "." if chance.random() < 0.5 else f"{given[0]}. {middle}."
    return Person(given, family, full_name(given, family, middle, locale, chance), initials, locale)


def pick(locale: str, kind: str, split: Split, chance: random.Random) -> str:
    names = dealt(NAMES[locale][kind].split(", "), split)
    return chance.choice(names) if names else pick(chance.choice(list(NAMES)), kind, split, chance)


def compose(starts: tuple[str, ...], ends: tuple[str, ...], split: Split, chance: random.Random) -> str:
    while True:
        name = chance.choice(starts) + chance.choice(ends)
        if deal(name) == split:
            return name


def full_name(given: str, family: str, middle: str, locale: str, chance: random.Random) -> str:
    order = NAMES[locale].get("order", "given")
    if order == "family" or (order == "either" and chance.random() < 0.5):
        return f"{family} {given}"
    shapes = [f"{given} {family}"] * 12 + [f"{given} {middle}. {family}", f"{given} {family} Jr." if locale == "en-US" else f"{given} {family}"]
    shapes += [f"{given} {family}-{given}son" if locale == "en-GB" else f"{given} {family}", f"{given} {family.upper()}", f"{given[0]}. {family}"]
    return chance.choice(shapes)


def native_name(language: str, split: Split, chance: random.Random) -> str:
    """A name in the script of the language, given and family parts dealt each for itself."""
    parts = [split_native(name, language) for name in NAMES[language]["native"].split(", ")]
    first = [part[0] for part in parts]
    second = [part[1] for part in parts]
    joint = "" if language in FAMILY_LENGTH else " "
    return joint.join(chance.choice(dealt(names, split) or names[:1]) for names in (first, second))


def split_native(name: str, language: str) -> tuple[str, str]:
    if language in FAMILY_LENGTH:
        length = 2 if name.startswith("欧阳") else FAMILY_LENGTH[language]
        return name[:length], name[length:]
    first, _, second = name.partition(" ")
    return first, second
