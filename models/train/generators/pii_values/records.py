"""Records of a person's data in the layouts of forms, code, logs and tables."""

import json
import random
from pathlib import Path

from ..deal import Split, dealt
from ..marked import Piece
from .facts import Facts

LAYOUTS = json.loads((Path(__file__).parents[1] / "words" / "pii_layouts.json").read_text(encoding="utf-8"))
NAME_KEYS = (("person",), ("given", "family"), ("family", "given"), ("honorific", "given", "family"), ("username",), ())


def make_record(split: Split, chance: random.Random, personal: bool) -> tuple[list[Piece], str]:
    """The pieces of one to four records and the layout's name; without personal data if `personal` is false."""
    name = chance.choice(dealt(LAYOUTS["layouts"], split))
    layout = LAYOUTS["layouts"][name]
    fields = choose_fields(chance, personal)
    count = chance.randint(1, 4) if layout["kind"] == "table" else chance.choice((1, 1, 1, 2))
    keys = [to_key(label, layout["key"]) for _, label in fields]
    facts = Facts(split, chance)
    rows = [[value_of(field, label, facts, str(number), chance) for field, label in fields] for number in range(1, count + 1)]
    render = render_table if layout["kind"] == "table" else render_pairs
    return render(layout, keys, rows), name


def choose_fields(chance: random.Random, personal: bool) -> list[tuple[str, str]]:
    plain = [(kind, labels) for kind, labels in LAYOUTS["plain_fields"].items()] + [(f"word:{key}", key) for key in LAYOUTS["plain_values"]]
    chosen = chance.sample(plain, chance.randint(0, 3) if personal else chance.randint(2, 6))
    if personal:
        names = chance.choice(NAME_KEYS)
        others = [field for field in LAYOUTS["fields"] if field not in ("person", "given", "family", "honorific", *names)]
        chosen += [(field, LAYOUTS["fields"][field]) for field in chance.sample(others, chance.randint(1, 5))]
        chance.shuffle(chosen)
        chosen = [(field, LAYOUTS["fields"][field]) for field in names] + chosen
    return [(field, chance.choice(labels.split(", "))) for field, labels in chosen]


def value_of(field: str, label: str, facts: Facts, number: str, chance: random.Random) -> Piece:
    if field.startswith("word:"):
        return chance.choice(LAYOUTS["plain_values"][label].split(", ")), None
    text, kind = facts.fill(field, number)
    return text.replace("\n", ", "), kind


def render_pairs(layout: dict, keys: list[str], rows: list[list[Piece]]) -> list[Piece]:
    pieces: list[Piece] = []
    for row_number, row in enumerate(rows):
        pieces.append((layout["between"] if row_number else "", None))
        pieces.append((layout["wrap"][0], None))
        for place, (key, value) in enumerate(zip(keys, row, strict=True)):
            before, after = layout["line"].replace("@k", key).split("@v")
            pieces += [((layout["join"] if place else "") + before, None), value, (after, None)]
        pieces.append((layout["wrap"][1], None))
    return pieces


def render_table(layout: dict, keys: list[str], rows: list[list[Piece]]) -> list[Piece]:
    start, end = layout["wrap"]
    head = "INSERT INTO people (" + ", ".join(keys) + ") VALUES\n" if layout["cell"] == "', '" else start + layout["cell"].join(keys) + end + "\n"
    pieces: list[Piece] = [(head, None)]
    for row_number, row in enumerate(rows):
        pieces.append((("\n" if row_number else "") + start, None))
        for place, value in enumerate(row):
            pieces += [(layout["cell"] if place else "", None), value]
        pieces.append((end, None))
    return pieces


def to_key(label: str, style: str) -> str:
    words = label.replace("(", "").replace(")", "").replace("-", " ").split()
    if style == "camel":
        return words[0].lower() + "".join(word.capitalize() for word in words[1:])
    return {"snake": "_".join(words).lower(), "upper": "_".join(words).upper(), "lower": label.lower(), "title": label[0].upper() + label[1:]}[style]
