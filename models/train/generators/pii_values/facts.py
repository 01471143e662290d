"""The values of one text: whoever is called person 1 keeps the name, the mail address and the country all through it."""

import json
import random
import unicodedata
from pathlib import Path

from ..deal import Split, deal, dealt
from ..marked import Piece
from . import dates, identifiers, places
from .people import Person, invent_person, native_name

WORDS = Path(__file__).parents[1] / "words"
ORGANISATIONS = {key: value.split(", ") for key, value in json.loads((WORDS / "pii_organisations.json").read_text(encoding="utf-8")).items()}
PEOPLE_WORDS = {key: value.split(", ") for key, value in json.loads((WORDS / "pii_people_words.json").read_text(encoding="utf-8")).items()}
ID_KINDS = ("passport", "national_id", "mrn", "employee", "tax", "policy", "account")
LABELS = {"city": "LOCATION", "country": "LOCATION", "org": "ORG", "email": "EMAIL", "phone": "PHONE", "ssn": "US_SSN", "card": "CREDIT_CARD", "ip": "IP", "iban": "IBAN", "license": "DRIVER_LICENSE",
          "date": "DATE_TIME", "date_de": "DATE_TIME", "date_fr": "DATE_TIME", "date_es": "DATE_TIME", "datetime": "DATE_TIME", "age": "AGE", "honorific": "TITLE", "job": "TITLE", "nrp": "NRP", "religion": "NRP",
          "zip": "ZIP", "url": "URL", "password": "PASSWORD", "username": "USERNAME", "street": "STREET_ADDRESS", "address": "STREET_ADDRESS", **dict.fromkeys(ID_KINDS, "ID")}
PERSON_SLOTS = ("person", "given", "family", "initials", "native")


class Facts:
    """Fills slots for one text: `fill("email", "2")` is the mail address of the second person."""

    def __init__(self, split: Split, chance: random.Random, language: str = "en") -> None:
        self.split, self.chance, self.language = split, chance, language
        self.people: dict[str, Person] = {}
        self.values: dict[tuple[str, str], str] = {}

    def fill(self, slot: str, number: str) -> Piece:
        if slot in PERSON_SLOTS:
            return self.name(slot, number), "PERSON"
        if slot in identifiers.LOOK_ALIKES:
            return identifiers.look_alike(slot, self.chance), None
        if (slot, number) not in self.values:
            self.values[slot, number] = self.make(slot, number)
        return self.values[slot, number], LABELS[slot]

    def person(self, number: str) -> Person:
        if number not in self.people:
            locales = {"de": ["de"], "fr": ["fr"], "es": ["es", "es-MX"], "it": ["it"], "pt": ["pt", "pt-BR"], "nl": ["nl"], "pl": ["pl"], "tr": ["tr"]}.get(self.language)
            taken = {(person.given, person.family) for person in self.people.values()}
            while True:
                person = invent_person(self.split, self.chance, self.chance.choice(locales) if locales and self.chance.random() < 0.8 else None)
                if not any(person.given == given or person.family == family for given, family in taken):
                    break
            self.people[number] = person
        return self.people[number]

    def name(self, slot: str, number: str) -> str:
        if slot == "native":
            return self.values.setdefault((slot, number), native_name(self.language, self.split, self.chance))
        person = self.person(number)
        return {"person": person.full, "given": person.given, "family": person.family, "initials": person.initials}[slot]

    def make(self, slot: str, number: str) -> str:
        chance, split = self.chance, self.split
        country = places.country_of(self.person(number).locale, chance)
        makers = {
            "city": lambda: places.city(country, split, chance), "country": lambda: places.country_name(country, chance), "street": lambda: places.street(country, split, chance),
            "address": lambda: places.address(country, split, chance), "zip": lambda: places.post_code(country, chance), "phone": lambda: places.phone(country, chance), "org": self.organisation,
            "email": lambda: f"{self.handle(number)}@{self.domain()}", "url": lambda: self.web_address(number), "username": lambda: self.handle(number), "password": lambda: identifiers.password(chance),
            "ssn": lambda: identifiers.social_security_number(chance), "card": lambda: identifiers.card(chance), "ip": lambda: identifiers.internet_address(chance), "iban": lambda: identifiers.iban(chance),
            "date": lambda: dates.date(chance), "date_de": lambda: dates.date(chance, "de"), "date_fr": lambda: dates.date(chance, "fr"), "date_es": lambda: dates.date(chance, "es"),
            "datetime": lambda: dates.date_and_time(chance), "age": lambda: str(chance.randint(18, 97)), "honorific": lambda: chance.choice(PEOPLE_WORDS["honorifics"]),
            "job": lambda: self.word("jobs"), "nrp": lambda: self.word("nationalities"), "religion": lambda: self.word("religions"),
        }
        return makers[slot]() if slot in makers else identifiers.identifier(slot, chance)

    def word(self, kind: str) -> str:
        return self.chance.choice(dealt(PEOPLE_WORDS[kind], self.split) or PEOPLE_WORDS[kind])

    def organisation(self) -> str:
        chance, words = self.chance, ORGANISATIONS
        family = invent_person(self.split, chance).family
        city = places.city(chance.choice(list(places.PLACES)), self.split, chance)
        coined, field, suffix = self.coin(), chance.choice(words["fields"]), chance.choice(words["suffixes"])
        known = chance.choice(dealt(words["known"], self.split))
        return chance.choice((f"{family} {field}", f"{family} & Sons", f"{coined} {suffix}", f"{coined} {field}", coined, f"{coined} {field} {suffix}", f"{city} {chance.choice(words['institutions'])}",
                              f"University of {city}", known, known, known, f"{family} {suffix}", f"{field} {city}", f"St. {invent_person(self.split, chance).given}'s Hospital"))

    def coin(self) -> str:
        while True:
            word = self.chance.choice(ORGANISATIONS["starts"]) + self.chance.choice(ORGANISATIONS["ends"])
            if deal(word) == self.split:
                return word

    def domain(self) -> str:
        host = self.chance.choice((self.coin().lower(), self.coin().lower() + "-" + self.chance.choice(("mail", "group", "post", "online")), "example"))
        return f"{host}.{self.chance.choice(ORGANISATIONS['domains'])}"

    def handle(self, number: str) -> str:
        """A user name: mostly made of the person's names, now and then a nickname."""
        person, chance = self.person(number), self.chance
        given, family = to_ascii(person.given), to_ascii(person.family)
        if not given or not family or chance.random() < 0.15:
            return self.coin().lower() + chance.choice(("_", "", "x")) + str(chance.randint(1, 2010))
        return chance.choice((f"{given}.{family}", f"{given[0]}{family}", f"{given}_{family[0]}{chance.randint(1, 99)}", f"{family}{chance.randint(60, 2009)}", f"{given}{family}", f"{given[0]}.{family}", f"{given}-{family}"))

    def web_address(self, number: str) -> str:
        host, chance = self.domain(), self.chance
        return chance.choice((f"https://www.{host}", f"www.{host}", f"https://{host}/{self.handle(number)}", f"http://{host}/about?id={chance.randint(1, 9999)}", f"{host}/{self.handle(number)}", f"https://{self.handle(number).replace('.', '').replace('_', '')}.{host}/"))


def to_ascii(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return "".join(letter for letter in plain if letter.isalnum())
