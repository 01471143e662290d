"""Values of named kinds: people, dates, prices, products, codes. Lists are dealt to the splits; numbers are drawn."""

import json
import random
from collections.abc import Callable
from string import ascii_uppercase

from ..deal import Split
from ..grammar import WORDS
from .share import share

MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
CLOSED = ("weekday",)  # kinds with so few values that each split has all
SLOTS = json.loads((WORDS / "decisions_values.json").read_text(encoding="utf-8"))


class Values:
    """What one split may put into a text. `names` are the ways to call a kind in a question, with descriptions."""

    names: dict[str, list[list[str]]] = SLOTS["names"]

    def __init__(self, split: Split) -> None:
        self.split = split
        self.lists: dict[str, list[str]] = {
            kind: entries if kind in CLOSED else share(entries, split) for kind, entries in SLOTS["lists"].items()
        }

    def draw(self, kind: str, chance: random.Random) -> str:
        if kind in DRAWN:
            return DRAWN[kind](chance)
        if kind in COMPOSED:
            return COMPOSED[kind](self, chance)
        return chance.choice(self.lists[kind])


def draw_date(chance: random.Random) -> str:
    day, month, year = chance.randint(1, 28), chance.randint(1, 12), chance.randint(2019, 2027)
    name = MONTHS[month - 1]
    ways = [f"{day} {name}", f"{name} {day}", f"{day} {name} {year}", f"{name} {day}, {year}", f"{year}-{month:02}-{day:02}", f"{day:02}/{month:02}/{year}", f"{day}.{month}.{year}"]
    return chance.choice(ways)


def draw_price(chance: random.Random) -> str:
    amount = chance.choice([chance.randint(2, 99), chance.randint(100, 999), chance.randint(1, 19) * 500])
    cents = chance.choice(["", "", f".{chance.randint(5, 99):02}"])
    return chance.choice([f"${amount}{cents}", f"€{amount}{cents}", f"£{amount}{cents}", f"{amount}{cents} euros", f"{amount}{cents} EUR", f"{amount} dollars", f"{amount} CHF"])


def draw_time(chance: random.Random) -> str:
    hour, minute = chance.randint(1, 11), chance.choice(["00", "15", "30", "45", "10"])
    return chance.choice([f"{hour + 8}:{minute}", f"{hour}:{minute} {chance.choice(['am', 'pm'])}", f"{hour} {chance.choice(['am', 'pm'])}", f"{hour} o'clock"])


def draw_duration(chance: random.Random) -> str:
    number = chance.choice([str(chance.randint(2, 45)), chance.choice(["two", "three", "four", "five", "six", "ten"])])
    return f"{number} {chance.choice(['minutes', 'hours', 'days', 'weeks', 'months'])}"


def draw_order(chance: random.Random) -> str:
    digits = chance.randint(10_000, 9_999_999)
    return chance.choice([f"#{digits}", f"{chance.choice(ascii_uppercase)}{chance.choice(ascii_uppercase)}-{digits}", f"ORD-{digits}", f"{digits}"])


def draw_error_code(chance: random.Random) -> str:
    number = chance.randint(100, 9999)
    return chance.choice([f"E{number}", f"ERR_{number}", f"0x{number:04X}", f"ERR-{number}", f"{chance.choice(['DB', 'NET', 'IO', 'AUTH'])}{number}"])


def draw_version(chance: random.Random) -> str:
    return chance.choice(["", "", "v"]) + ".".join(str(chance.randint(0, 19)) for _ in range(chance.choice([2, 3, 3])))


def draw_phone(chance: random.Random) -> str:
    digits = [chance.randint(100, 999) for _ in range(3)]
    return chance.choice([f"555-{digits[0]}-0{digits[1]}", f"+49 30 {digits[0]} {digits[1]}", f"(0{digits[2]}) {digits[0]}-{digits[1]}1", f"+1 555 0{digits[0]}"])


def draw_flight(chance: random.Random) -> str:
    return f"{chance.choice(['LH', 'BA', 'AF', 'KL', 'TP', 'SK', 'AZ'])}{chance.choice(['', ' '])}{chance.randint(100, 9899)}"


def draw_full_name(values: Values, chance: random.Random) -> str:
    first, last = chance.choice(values.lists["first_name"]), chance.choice(values.lists["last_name"])
    return chance.choice([first, first, f"{first} {last}", f"{first} {last}", f"{first[0]}. {last}"])


def draw_email(values: Values, chance: random.Random) -> str:
    first, last = chance.choice(values.lists["first_name"]).lower(), chance.choice(values.lists["last_name"]).lower()
    name = chance.choice([f"{first}.{last}", first, f"{first[0]}{last}", f"{first}{chance.randint(1, 99)}"])
    return f"{name}@{chance.choice(['example.com', 'example.org', 'mail.example', 'post.example', 'firm.example'])}"


DRAWN: dict[str, Callable[[random.Random], str]] = {
    "date": draw_date, "price": draw_price, "time": draw_time, "duration": draw_duration, "order": draw_order,
    "error_code": draw_error_code, "version": draw_version, "phone": draw_phone, "flight": draw_flight,
    "percent": lambda chance: chance.choice([f"{chance.randint(1, 99)}%", f"{chance.randint(1, 99)} %", f"{chance.randint(1, 99)} percent"]),
    "number": lambda chance: str(chance.randint(2, 60)),
    "temperature": lambda chance: f"{chance.randint(3, 95)}{chance.choice(['°C', ' °C', ' degrees'])}",
    "distance": lambda chance: f"{chance.randint(2, 900)} {chance.choice(['km', 'miles', 'metres', 'm'])}",
}
COMPOSED: dict[str, Callable[[Values, random.Random], str]] = {"person": draw_full_name, "email": draw_email}
