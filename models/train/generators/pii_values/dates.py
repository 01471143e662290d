"""Dates as people write them, in four languages."""

import random
from datetime import datetime, timedelta

MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
}


def moment(chance: random.Random) -> datetime:
    return datetime(1940, 1, 1) + timedelta(days=chance.randint(0, 31500), seconds=chance.randint(0, 86399))


def date(chance: random.Random, language: str = "en") -> str:
    day = moment(chance)
    month = MONTHS[language][day.month - 1]
    own = {
        "en": (f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", f"{month[:3]} {day.day}, {day.year}", f"{day.month}/{day.day}/{day.year}", f"{day.day:02d}-{month[:3]}-{day.year}",
               f"{month} {ordinal(day.day)}", f"the {ordinal(day.day)} of {month}", f"{day.day:02d}/{day.month:02d}/{day.year % 100:02d}"),
        "de": (f"{day.day}. {month} {day.year}", f"{day.day:02d}.{day.month:02d}.{day.year}", f"{day.day}.{day.month}.{day.year % 100:02d}"),
        "fr": (f"{day.day} {month} {day.year}", f"{day.day:02d}/{day.month:02d}/{day.year}"),
        "es": (f"{day.day} de {month} de {day.year}", f"{day.day}/{day.month}/{day.year}"),
    }
    return chance.choice((*own[language], f"{day:%Y-%m-%d}", f"{day:%d.%m.%Y}"))


def date_and_time(chance: random.Random) -> str:
    day = moment(chance)
    return chance.choice((f"{day:%Y-%m-%d %H:%M:%S}", f"{day:%Y-%m-%dT%H:%M:%SZ}", f"{day:%d/%b/%Y:%H:%M:%S} +0000", f"{day:%Y-%m-%d %H:%M}", f"{day:%d.%m.%Y %H:%M}",
                          f"{day.day} {MONTHS['en'][day.month - 1]} {day.year} at {day:%H:%M}"))


def ordinal(number: int) -> str:
    return f"{number}{'th' if 10 < number < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
