"""Invented addresses, post codes and phone numbers in the fashion of 27 countries."""

import json
import random
import string
from pathlib import Path

from ..deal import Split, dealt

PLACES = json.loads((Path(__file__).parents[1] / "words" / "pii_places.json").read_text(encoding="utf-8"))
COUNTRY_OF_LOCALE = {
    "en-US": "US", "en-GB": "GB", "de": "DE", "fr": "FR", "es": "ES", "es-MX": "MX", "it": "IT", "pt": "PT", "pt-BR": "BR", "nl": "NL", "pl": "PL", "sv": "SE",
    "da": "DK", "cs": "CZ", "tr": "TR", "ru": "RU", "hi": "IN", "ta": "IN", "ja": "JP", "ko": "KR", "zh": "CN", "zu": "ZA", "yo": "NG", "ig": "NG", "sw": "KE", "ar": "AE",
}


def country_of(locale: str, chance: random.Random) -> str:
    return COUNTRY_OF_LOCALE.get(locale) or chance.choice(list(PLACES))


def city(country: str, split: Split, chance: random.Random) -> str:
    return pick(country, "cities", split, chance)


def street(country: str, split: Split, chance: random.Random) -> str:
    """A street with its house number, as one writes it in that country."""
    name, number = pick(country, "streets", split, chance), house_number(chance)
    line = PLACES[country]["address"].split(",")[0].replace("Villa {n}", "{n} {street}").split(" {zip}")[0]
    if "{street}" not in line:
        line = "{n} {street}"
    return line.format(street=name, n=number, u=chance.randint(1, 30))


def address(country: str, split: Split, chance: random.Random) -> str:
    """One address on one line, or on several, now and then with a flat or the country."""
    entry = PLACES[country]
    line = entry["address"].format(
        street=pick(country, "streets", split, chance), n=house_number(chance), u=chance.randint(1, 30), zip=post_code(country, chance),
        city=city(country, split, chance), region=chance.choice(entry.get("regions", "-").split(", ")))
    parts = line.split(", ")
    if chance.random() < 0.2:
        parts.insert(1, chance.choice(entry["unit"].split(", ")).format(u=chance.randint(1, 60), n=chance.randint(1, 400)))
    if chance.random() < 0.2:
        parts.append(chance.choice(entry["country"].split(", ")))
    return ("\n" if chance.random() < 0.12 else ", ").join(parts)


def post_code(country: str, chance: random.Random) -> str:
    return draw(chance.choice(PLACES[country]["zip"].split(", ")), chance)


def phone(country: str, chance: random.Random) -> str:
    number = draw(chance.choice(PLACES[country]["phone"].split(", ")), chance)
    return number + f" ext. {chance.randint(10, 999)}" if chance.random() < 0.04 else number


def country_name(country: str, chance: random.Random) -> str:
    return chance.choice(PLACES[country]["country"].split(", "))


def pick(country: str, kind: str, split: Split, chance: random.Random) -> str:
    names = dealt(PLACES[country][kind].split(", "), split)
    return chance.choice(names) if names else pick(chance.choice(list(PLACES)), kind, split, chance)


def house_number(chance: random.Random) -> str:
    return str(chance.randint(1, 260) if chance.random() < 0.8 else chance.randint(261, 9999)) + (chance.choice("abcB") if chance.random() < 0.08 else "")


def draw(pattern: str, chance: random.Random) -> str:
    """Digits for `#` (the first of a run is not zero), capitals for `@`."""
    drawn = ""
    for place, sign in enumerate(pattern):
        low = 1 if place == 0 or not pattern[place - 1].isalnum() and pattern[place - 1] != "#" else 0
        drawn += str(chance.randint(low, 9)) if sign == "#" else chance.choice(string.ascii_uppercase) if sign == "@" else sign
    return drawn
