"""Texts with personal data marked, and as many look-alikes without.

What is marked. PERSON: names of people, real or not, without honorific (public figures in general prose count, as in the NER sets;
suffixes such as Japanese "san" stay outside). TITLE: honorifics and the job of a named person. LOCATION: cities and countries.
STREET_ADDRESS: street and number with all that follows on it, up to post code and country. ZIP: a post code on its own. ORG: bodies
that act or employ. NRP: nationality or religion of people. DATE_TIME: a day, with or without year and time, of a person, a deal or a log
line; never a bare year, a weekday or a time of day. AGE: the number alone. ID: documents and accounts of a person or firm. URL and IP: any,
localhost too. USERNAME: without the at sign. Not marked: orders, tickets, versions, hashes, books, failed check digits, placeholders,
brands as things ("my tesla"), titles of works, words that could be names, people by role only ("my doctor").
"""

import json
import random
from pathlib import Path

from .deal import Split, dealt
from .marked import Piece, join, roughen, to_pieces
from .pii_values.facts import Facts
from .pii_values.records import make_record
from .row import Row

WORDS = Path(__file__).parent / "words"
SENTENCES = json.loads((WORDS / "pii_sentences.json").read_text(encoding="utf-8"))
NEGATIVES = json.loads((WORDS / "pii_negatives.json").read_text(encoding="utf-8"))
HARD = json.loads((WORDS / "pii_hard.json").read_text(encoding="utf-8"))
PLAIN = NEGATIVES["plain"] + [frame.replace("{work}", title) for frame in NEGATIVES["works"] for title in NEGATIVES["work_titles"][::3]]


def generate(split: Split, chance: random.Random, count: int) -> list[Row]:
    """Rows with spans; about a third have none. `source` names the first template, or the layout, of the text."""
    rows: list[Row] = []
    seen: set[str] = set()
    while len(rows) < count:
        pieces, source, language = compose(split, chance)
        text, spans = join(pieces)
        if text in seen:
            continue
        seen.add(text)
        rows.append(Row(text=text, spans=spans, source=f"generated/pii/{source}", language=language))
    return rows


def compose(split: Split, chance: random.Random) -> tuple[list[Piece], str, str]:
    kind = chance.random()
    if kind < 0.24:
        pieces, layout = make_record(split, chance, personal=chance.random() < 0.75)
        if chance.random() < 0.3:
            pieces = [(chance.choice(fillers("instructions", split)), None), *pieces]
        return pieces, f"layout/{layout}", "en"
    personal = kind < 0.71
    if split == "contrast" and chance.random() < 0.25:
        return compose_hard(chance, split)
    language = "en"
    if chance.random() < 0.2:
        bank = SENTENCES if personal else NEGATIVES["other"]
        language = chance.choice([name for name in bank if name != "en" and dealt(bank[name], split)])
    return compose_prose(split, chance, personal, language)


def compose_prose(split: Split, chance: random.Random, personal: bool, language: str) -> tuple[list[Piece], str, str]:
    """One sentence, or up to nine with harmless ones between, as note, mail or document."""
    facts = Facts(split, chance, language)
    plain = PLAIN if language == "en" else NEGATIVES["other"].get(language, [])
    bank = dealt(SENTENCES[language] if personal else plain, split)
    length = chance.choice((1, 1, 1, 1, 2, 2, 3, 4, 6))
    chosen = chance.sample(bank, min(length, len(bank)))
    parts = [to_pieces(template, facts.fill) for template in chosen]
    if language == "en" and chance.random() < 0.45:
        for _ in range(chance.randint(1, 2 + length // 2)):
            extra = dealt(plain, split) if chance.random() < 0.4 else fillers("filler", split)
            parts.insert(chance.randint(0, len(parts)), to_pieces(chance.choice(extra), facts.fill))
    if language == "en" and chance.random() < 0.15:
        parts.insert(0, [(chance.choice(fillers("openers", split)), None)])
    pieces = weave(parts, chance)
    if language == "en" and chance.random() < 0.08:
        pieces = [(chance.choice(fillers("instructions", split)), None), *pieces]
    return roughen(pieces, chance), f"{'prose' if personal else 'plain'}/{language}/{template_id(chosen[0], language, personal)}", language


def compose_hard(chance: random.Random, split: Split) -> tuple[list[Piece], str, str]:
    """Hand-written pairs of a name and its look-alike, alone or among others."""
    facts = Facts(split, chance)
    chosen = chance.sample(HARD, chance.choice((1, 1, 2, 2, 3)))
    parts = [to_pieces(template, facts.fill) for template in chosen]
    if chance.random() < 0.6:
        parts.append([(chance.choice(fillers("filler", split)), None)])
    return weave(parts, chance), f"hard/{HARD.index(chosen[0])}", "en"


def weave(parts: list[list[Piece]], chance: random.Random) -> list[Piece]:
    joint = chance.choice((" ", " ", " ", "\n", "\n\n"))
    pieces: list[Piece] = []
    for place, part in enumerate(parts):
        pieces += [(joint if place else "", None), *part]
    return pieces


def fillers(kind: str, split: Split) -> list[str]:
    return dealt(NEGATIVES[kind], split)


def template_id(template: str, language: str, personal: bool) -> int:
    bank = SENTENCES[language] if personal else PLAIN if language == "en" else NEGATIVES["other"][language]
    return bank.index(template)
