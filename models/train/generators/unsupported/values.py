"""Typed values of the invented world. One value has several spellings, so that a faithful answer need not copy its source."""

import json
import random
from datetime import date, timedelta
from pathlib import Path

from ..deal import Split
from ..pii_values import places
from ..pii_values.dates import MONTHS
from ..pii_values.facts import Facts
from ..pii_values.people import invent_person

LISTS = {
    name: [entry.replace("\0", ",").strip() if name != "leads" else entry.replace("\0", ",").lstrip() for entry in entries.replace("\\,", "\0").split(", ")]
    for name, entries in json.loads((Path(__file__).parents[1] / "words" / "hallucination_lists.json").read_text(encoding="utf-8")).items()
}
WORDS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen".split()
RANGES = {
    "year": (1860, 1999), "year2": (2000, 2024), "count": (60, 90000), "count2": (15, 99), "small": (3, 14), "single": (0, 2), "single2": (2, 6), "high": (3, 6), "percent": (2, 89), "distance": (4, 180),
    "hours": (2, 30), "weeks": (1, 12), "degrees": (4, 39), "speed": (10, 90), "millimetres": (2, 40), "metres": (18, 310), "clock": (24, 90), "oven": (120, 250),
}
CHOICES = {"minutes": range(10, 185, 5), "months": (3, 6, 9, 12, 18, 24, 30, 36), "weight": range(120, 3000, 20), "dose": range(5, 500, 5), "decade": range(40, 90, 5), "grams": range(100, 900, 50), "memory": (2, 4, 8, 16, 32, 64), "fortune": range(2, 95)}
UNITS = {
    "percent": ("{}%", "{} percent", "{} per cent"), "distance": ("{} km", "{} kilometres"), "degrees": ("{} degrees", "{} °C"), "oven": ("{} degrees", "{} °C"), "speed": ("{} km/h", "{} kilometres per hour"), "millimetres": ("{} mm", "{} millimetres"),
    "metres": ("{} m", "{} metres"), "dose": ("{} mg", "{} milligrams"), "grams": ("{} g", "{} grams"), "memory": ("{} GB", "{} gigabytes"), "fortune": ("${} million", "{} million dollars", "USD {} million"), "money": ("${}", "{} dollars", "USD {}"),
    "hours": ("{} hours", "{} hours", "{} h"),
}
Raw = str | int | date


def draw_value(kind: str, split: Split, chance: random.Random) -> Raw:
    """A raw value of the kind: a number, a date or a name."""
    if kind in RANGES:
        low, high = RANGES[kind]
        return chance.randint(low, high if kind != "count" or chance.random() < 0.3 else 3000)
    if kind in CHOICES:
        return chance.choice(CHOICES[kind])
    if kind in LISTS:
        return chance.choice(LISTS[kind])
    makers = {
        "person": lambda: invent_person(split, chance).full, "city": lambda: places.city(chance.choice(list(places.PLACES)), split, chance), "org": lambda: Facts(split, chance).organisation(),
        "product": lambda: f"{Facts(split, chance).coin()} {chance.randint(2, 12)}", "version": lambda: f"{chance.randint(1, 9)}.{chance.randint(0, 30)}", "money": lambda: chance.choice(range(5, 950)), "date": lambda: date(2015, 1, 1) + timedelta(days=chance.randint(0, 4000)),
    }
    return makers[kind]()


def spell(kind: str, raw: Raw, style: int) -> str:
    """One of the spellings of a raw value; the same style spells two values alike."""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, date):
        month = MONTHS["en"][raw.month - 1]
        return (f"{raw.day} {month} {raw.year}", f"{month} {raw.day}, {raw.year}", f"{raw:%Y-%m-%d}", f"{raw.day} {month[:3]} {raw.year}")[style % 4]
    if kind in ("count", "count2"):
        return (f"{raw:,}", str(raw))[style % 2]
    if kind in ("small", "single2"):
        return (str(raw), WORDS[raw])[style % 2]
    if kind == "clock":
        hour, minute = raw // 4, raw % 4 * 15
        return (f"{hour}:{minute:02d}", f"{hour:02d}:{minute:02d}", f"{(hour - 1) % 12 + 1}:{minute:02d} {'am' if hour < 12 else 'pm'}")[style % 3]
    if kind == "minutes":
        long = {60: "one hour", 90: "one and a half hours", 120: "two hours", 180: "three hours"}
        return (f"{raw} minutes", long.get(raw, f"{raw} minutes"), f"{raw} min")[style % 3]
    if kind == "months":
        long = {12: "one year", 24: "two years", 36: "three years"}
        return (f"{raw} months", long.get(raw, f"{raw} months"))[style % 2]
    if kind == "weeks":
        return (f"{raw} week{'s' if raw > 1 else ''}", f"{raw * 7} days")[style % 2]
    if kind == "weight":
        return (f"{raw} g", f"{raw / 1000:g} kg" if raw >= 1000 else f"{raw} grams")[style % 2]
    forms = UNITS.get(kind, ("{}",))
    return forms[style % len(forms)].format(raw)
