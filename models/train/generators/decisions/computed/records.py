"""Records as sentences, tables, JSON or lists: comparisons, missing fields, price classes."""

import random
from dataclasses import dataclass

from ...row import Span
from ..values import Values
from .task import Asked, Task, no_and_yes, shuffled

STATUSES = {"shipped": "on its way", "paid": "money has arrived", "cancelled": "called off", "open": "nothing done yet", "returned": "came back", "delivered": "arrived at the buyer"}
FIELDS = {"buyer": "who bought it", "city": "where it goes", "article": "what was bought", "amount": "how many pieces", "price": "what it costs", "status": "what has become of it"}


@dataclass(frozen=True)
class Record:
    """`fields` in order; a missing one is an empty string."""

    fields: dict[str, str]
    text: str
    price: int


def draw_record(values: Values, chance: random.Random, may_miss: bool = False, shape: str | None = None) -> Record:
    price = chance.choice([chance.randint(1, 9), chance.randint(10, 99), chance.randint(100, 999), chance.randint(1000, 9999)])
    fields = {
        "buyer": values.draw("person", chance), "city": values.draw("city", chance), "article": values.draw("product", chance),
        "amount": f"{chance.randint(2, 40)} pieces", "price": f"{price} euros", "status": chance.choice(list(STATUSES)),
    }
    if may_miss:
        for name in chance.sample(list(fields), chance.choice([0, 1, 2, 3])):
            fields[name] = ""
    names = chance.sample(list(fields), len(fields))
    return Record(fields, write(fields, names, shape or chance.choice(["json", "lines", "table", "csv", "prose"]), chance), price)


def write(fields: dict[str, str], names: list[str], shape: str, chance: random.Random) -> str:
    if shape == "json":
        return "{" + ", ".join(f'"{name}": "{fields[name]}"' if fields[name] else f'"{name}": null' for name in names) + "}"
    if shape == "lines":
        return "\n".join(f"{name.capitalize()}: {fields[name] or '-'}" for name in names)
    if shape == "table":
        return f"| {' | '.join(names)} |\n|{'---|' * len(names)}\n| {' | '.join(fields[name] for name in names)} |"
    if shape == "csv":
        return f"{';'.join(names)}\n{';'.join(fields[name] for name in names)}"
    said = {"buyer": "the buyer is {}", "city": "it goes to {}", "article": "the article is a {}", "amount": "it is {}", "price": "it costs {}", "status": "the status is {}"}
    return ", ".join(said[name].format(fields[name]) for name in names if fields[name]).capitalize() + "." if any(fields.values()) else "Nothing is known."


def ask_filled(values: Values, chance: random.Random) -> Asked:
    record = draw_record(values, chance, may_miss=True)
    described = chance.random() < 0.5
    options = shuffled([(name, meaning if described else None) for name, meaning in FIELDS.items()], chance)
    return Asked(record.text, options, tuple(name for name, _ in options if record.fields[name]))


def ask_status(values: Values, chance: random.Random) -> Asked:
    record = draw_record(values, chance)
    described = chance.random() < 0.6
    return Asked(record.text, shuffled([(name, meaning if described else None) for name, meaning in STATUSES.items()], chance), record.fields["status"])


def ask_above(values: Values, chance: random.Random) -> Asked:
    record = draw_record(values, chance)
    bound = max(2, chance.choice([record.price // 2, record.price * 2 + 1, record.price + 5, record.price - 5, 50, 500]))
    return Asked(record.text, no_and_yes(chance), record.price > bound, f"{bound} euros")


def ask_price_class(values: Values, chance: random.Random) -> Asked:
    record = draw_record(values, chance)
    levels = chance.choice([["under 10 euros", "10 to 99 euros", "100 to 999 euros", "1000 euros or more"], ["one digit", "two digits", "three digits", "four digits"]])
    return Asked(record.text, tuple((level, None) for level in levels), len(str(record.price)) - 1)


def ask_cheapest(values: Values, chance: random.Random) -> Asked:
    products = chance.sample(values.lists["product"], 3)
    prices = chance.sample(range(3, 900), 3)
    texts = [chance.choice(["the {0} costs {1} euros", "{1} euros for the {0}", "{0}: {1} euros", "you pay {1} euros for the {0}"]).format(product, price) for product, price in zip(products, prices, strict=True)]
    dearest = chance.random() < 0.5
    answer = products[prices.index(max(prices) if dearest else min(prices))]
    return Asked(chance.choice(["; ", ", ", "\n"]).join(texts), shuffled([(product, None) for product in products], chance), answer, "most expensive" if dearest else "cheapest")


def ask_field_span(values: Values, chance: random.Random) -> Asked:
    names = chance.sample(list(FIELDS), chance.randint(1, 4))
    record = draw_record(values, chance, may_miss=True, shape=chance.choice(["json", "lines", "table", "csv"]))
    described = chance.random() < 0.5
    spans = [Span(start, start + len(record.fields[name]), name) for name in names if record.fields[name] for start in [find_value(record, name)]]
    return Asked(record.text, tuple((name, FIELDS[name] if described else None) for name in names), tuple(sorted(spans, key=lambda span: span.start)))


def find_value(record: Record, name: str) -> int:
    """Where the value stands: behind all names of fields, so that no name is taken for a value."""
    head = record.text.index("\n") if record.text.startswith("|") or ";" in record.text.split("\n")[0] else 0
    value = record.fields[name]
    for before in ('"', ": ", "| ", ";", "\n"):
        for after in ('"', "\n", " |", ";", ""):
            start = record.text.find(before + value + after, head)
            if start >= 0:
                return start + len(before)
    raise ValueError(f"Cannot find {value!r} in {record.text!r}; this is a bug")


TASKS = [
    Task("record.filled", "set", (
        "Which fields are filled in?", "What is known of the order?", "Tick the fields that have a value.",
        "Which details are given?", "Mark what is not missing.", "Find the fields that are not empty.",
    ), ask_filled),
    Task("record.status", "choice", (
        "What is the status?", "In which state is the order?", "What has become of the order?",
        "Pick the status of the record.", "Read the record: which status?", "How far is the order?",
    ), ask_status),
    Task("record.above", "noul", (
        "It costs more than SUBJECT.", "Is the price above SUBJECT?", "The price is higher than SUBJECT.",
        "Would SUBJECT be too little to pay for it?", "Does it cost over SUBJECT?", "More than SUBJECT are due.",
    ), ask_above),
    Task("record.price_class", "score", (
        "In which price class is it?", "How expensive is it?", "Grade the price.",
        "How high is the price?", "Say how much it costs on this scale.", "Price level?",
    ), ask_price_class),
    Task("record.cheapest", "choice", (
        "Which is the SUBJECT?", "Pick the SUBJECT thing.", "What is the SUBJECT of them?",
        "The SUBJECT one, please.", "Compare the prices: which is SUBJECT?", "Name the SUBJECT article.",
    ), ask_cheapest),
    Task("record.fields", "span", (
        "Find the values of these fields.", "Extract the fields.", "Where do the values stand?",
        "Copy out what each field says.", "Mark the values, without the names of the fields.", "Pull the data out of the record.",
    ), ask_field_span),
]
