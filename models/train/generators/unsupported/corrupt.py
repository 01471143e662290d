"""Falsifies any answer, with its context at hand: other numbers and names of the context, opposites, negation, made-up additions."""

import random
import re

from ..deal import Split
from ..row import Span
from .world import LABEL, filler

OPPOSITES = (
    "increase/decrease increased/decreased increases/decreases rose/fell rise/fall higher/lower all/some every/no always/never before/after first/last largest/smallest "
    "won/lost accepted/rejected approved/rejected early/late north/south east/west male/female mother/father brother/sister son/daughter husband/wife positive/negative "
    "include/exclude includes/excludes open/closed opened/closed hot/cold above/below inside/outside old/new public/private success/failure successful/unsuccessful can/cannot "
    "may/must allowed/forbidden cheap/expensive safe/dangerous improved/worsened improves/worsens effective/ineffective likely/unlikely strong/weak gained/lost agree/disagree bought/sold").split()
PAIRS = {word: other for pair in OPPOSITES for word, other in (pair.split("/"), pair.split("/")[::-1])}
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-])")
NAME = re.compile(r"[A-Z][a-zà-ÿ-]{2,}(?: (?:of |de |van |the )?[A-Z][a-zà-ÿ-]{2,}){0,3}")
VERBS = {"is": "is not", "are": "are not", "was": "was not", "were": "were not", "will": "will not", "can": "cannot", "has been": "has never been", "did not": "did", "does not": "does", "is not": "is", "was not": "was", "are not": "are", "were not": "were"}
Change = tuple[int, int, str]


def corrupt(context: str, question: str, answer: str, chance: random.Random, split: Split = "train") -> tuple[str, tuple[Span, ...]] | None:
    """A falsified answer and where it is false; `None` if nothing in it can be falsified safely."""
    changes: list[Change] = []
    for find in chance.sample(FINDERS, len(FINDERS)):
        changes += chance.sample(found, 1) if (found := find(context, question, answer, chance)) else []
    wanted = 2 if chance.random() < 0.2 else 1
    chosen: list[Change] = []
    for change in chance.sample(changes, len(changes)):
        if len(chosen) < wanted and all(change[1] + 12 < start or end + 12 < change[0] for start, end, _ in chosen):
            chosen.append(change)
    if chance.random() < (0.15 if chosen else 0.6):
        return add_sentence(context, answer, chance, split)
    return apply(answer, sorted(chosen)) if chosen else None


def apply(answer: str, changes: list[Change]) -> tuple[str, tuple[Span, ...]]:
    text, spans, position = "", [], 0
    for start, end, wrong in changes:
        text += answer[position:start]
        spans.append(Span(len(text), len(text) + len(wrong), LABEL))
        text += wrong
        position = end
    return text + answer[position:], tuple(spans)


def add_sentence(context: str, answer: str, chance: random.Random, split: Split) -> tuple[str, tuple[Span, ...]]:
    """The answer with an invented clause or sentence at its end."""
    clause, sentence = filler("clauses", split, chance, context), filler("generic", split, chance, context)
    stem = answer.rstrip()
    if stem.endswith(".") and chance.random() < 0.5:
        start = len(stem) + 1
        text = f"{stem[:-1]}, {clause}."
        return text, (Span(start, len(text) - 1, LABEL),)
    stem += "" if stem[-1:] in ".!?" else "."
    text = f"{stem} {sentence}"
    return text, (Span(len(stem) + 1, len(text), LABEL),)


def find_numbers(context: str, question: str, answer: str, chance: random.Random) -> list[Change]:
    near = [match[0] for match in NUMBER.finditer(context) if match[0] not in answer and match[0] not in question]
    changes = []
    for match in NUMBER.finditer(answer):
        if answer[match.end() : match.end() + 2] in (". ", ") ") and match.start() in (0, answer.rfind("\n", 0, match.start()) + 1):
            continue
        alike = [number for number in near if len(number) == len(match[0]) and ("." in number) == ("." in match[0])]
        wrong = chance.choice(alike) if alike and chance.random() < 0.6 else other_number(match[0], chance)
        if wrong not in context or wrong in near:
            changes.append((match.start(), match.end(), wrong))
    return changes


def other_number(number: str, chance: random.Random) -> str:
    """A number of the same look with one digit changed; a year stays a year."""
    places = [place for place, sign in enumerate(number) if sign.isdigit()]
    place = chance.choice(places[2:] if re.fullmatch(r"(1[5-9]|20)\d\d", number) else places)
    low = 1 if place == 0 and len(places) > 1 else 0
    return number[:place] + chance.choice([digit for digit in "0123456789"[low:] if digit != number[place]]) + number[place + 1 :]


def find_names(context: str, question: str, answer: str, chance: random.Random) -> list[Change]:
    """Names that stand inside a sentence of the answer and in the context, swapped for another such name of as many words."""
    known = [match[0] for match in NAME.finditer(context) if match.start() > 1 and context[match.start() - 2] not in ".!?\n:[" and context[match.start() - 1] == " "]
    changes = []
    for match in NAME.finditer(answer):
        inside = match.start() > 1 and answer[match.start() - 2] not in ".!?\n:" and answer[match.start() - 1] == " "
        others = sorted({name for name in known if name not in answer and name not in question and name.count(" ") == match[0].count(" ") and is_calendar(name) == is_calendar(match[0])})
        if inside and match[0] in known and match[0] not in question and others:
            changes.append((match.start(), match.end(), chance.choice(others)))
    return changes


def is_calendar(name: str) -> bool:
    return name in MONTHS or name in DAYS


def find_calendar(context: str, question: str, answer: str, chance: random.Random) -> list[Change]:
    changes = []
    for names in (MONTHS, DAYS):
        for match in re.finditer(r"\b(" + "|".join(names) + r")\b", answer):
            if match[0] != "May" and match[0] != "March":
                changes.append((match.start(), match.end(), chance.choice([name for name in names if name != match[0]])))
    return changes


def find_opposites(context: str, question: str, answer: str, chance: random.Random) -> list[Change]:
    changes = []
    for match in re.finditer(r"\b[A-Za-z]+\b", answer):
        other = PAIRS.get(match[0].lower())
        if other and match[0] != "May" and re.search(rf"\b{match[0]}\b", context, re.IGNORECASE):
            changes.append((match.start(), match.end(), other.capitalize() if match[0][0].isupper() else other))
    return changes


def find_verbs(context: str, question: str, answer: str, chance: random.Random) -> list[Change]:
    """A statement denied, or a denial dropped; questions and conditions are left alone."""
    if "?" in answer or re.search(r"\b(if|whether|unless|not|never|no)\b", answer) and not re.search(r"\b(is|was|are|were|did|does) not\b", answer):
        return []
    return [(match.start(), match.end(), VERBS[match[0]]) for match in re.finditer(r"\b(?:(?:is|was|are|were|did|does) not|has been|is|are|was|were|will|can)\b", answer) if not answer[match.end() :].startswith((" not", "n't"))][:3]


FINDERS = (find_numbers, find_names, find_calendar, find_opposites, find_verbs)
