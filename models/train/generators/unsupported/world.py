"""Invented things with facts about them: told in contexts, asked for in questions, repeated in answers."""

import json
import random
import re
from dataclasses import dataclass, replace
from pathlib import Path

from ..deal import Split, dealt
from ..marked import Piece
from .values import LISTS, Raw, draw_value, spell

WORDS = Path(__file__).parents[1] / "words"
TOPICS = json.loads((WORDS / "hallucination_topics.json").read_text(encoding="utf-8")) | json.loads((WORDS / "hallucination_topics_more.json").read_text(encoding="utf-8"))
TOKEN = re.compile(r"<([^|<>]+)\|([^<>]+)>|\{(\w+):(\w+)\}|\{(S)\}")
LABEL = "UNSUPPORTED"


@dataclass(frozen=True)
class Token:
    """A part of a frame: plain text, a pair of a true and a false wording, a typed slot, or the subject."""

    text: str
    wrong: str = ""
    key: str = ""
    kind: str = ""


class Thing:
    """One subject of a topic; its values are drawn when they are first asked for."""

    def __init__(self, topic: str, split: Split, chance: random.Random) -> None:
        self.topic, self.split, self.chance = TOPICS[topic], split, chance
        self.name = str(draw_value(self.topic["subject"], split, chance))
        self.values: dict[str, tuple[str, Raw]] = {}
        self.turned: dict[str, bool] = {}

    def value(self, key: str, kind: str) -> Raw:
        if key not in self.values:
            taken = {raw for other, raw in self.values.values() if other == kind} | {self.name}
            raw = draw_value(kind, self.split, self.chance)
            while raw in taken:
                raw = draw_value(kind, self.split, self.chance)
            self.values[key] = (kind, raw)
        return self.values[key][1]


    def tokens(self, fact: dict, frame: str) -> list[Token]:
        """The frame as it holds for this thing: for half of the things the second wording of every pair is the true one,
        so that no wording is false by itself. Only if each way to tell the fact has a pair."""
        if fact["ask"][0] not in self.turned:
            self.turned[fact["ask"][0]] = all("<" in told for told in fact["tell"]) and self.chance.random() < 0.5
        tokens = parse(frame)
        return [replace(token, text=token.wrong, wrong=token.text) if token.wrong and self.turned[fact["ask"][0]] else token for token in tokens]


def parse(frame: str) -> list[Token]:
    tokens, position = [], 0
    for match in TOKEN.finditer(frame):
        tokens.append(Token(frame[position : match.start()]))
        right, wrong, key, kind, subject = match.groups()
        tokens.append(Token(right, wrong=wrong) if right else Token("", key="S", kind="subject") if subject else Token("", key=key, kind=kind))
        position = match.end()
    return [token for token in [*tokens, Token(frame[position:])] if token.text or token.key]


def say(tokens: list[Token], thing: Thing, style: int, wrong: dict[int, str] | None = None) -> list[Piece]:
    """The pieces of a sentence; `wrong` holds a false text for a token's place. The first letter is made a capital."""
    wrong = wrong or {}
    pieces: list[Piece] = []
    for place, token in enumerate(tokens):
        right = token.text if not token.key else thing.name if token.key == "S" else spell(token.kind, thing.value(token.key, token.kind), style)
        pieces += differing(right, wrong[place]) if place in wrong else [(right, None)]
    return [(text[:1].upper() + text[1:], label) if place == next(at for at, piece in enumerate(pieces) if piece[0]) else (text, label) for place, (text, label) in enumerate(pieces)]


def differing(right: str, wrong: str) -> list[Piece]:
    """The wrong text, marked from the first to the last word that differs from the right one."""
    before, after = right.split(" "), wrong.split(" ")
    start = 0
    while start < min(len(before), len(after)) - 1 and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start - 1 and before[-1 - end] == after[-1 - end]:
        end += 1
    head, middle, tail = after[:start], after[start : len(after) - end], after[len(after) - end :]
    return [(" ".join(head) + " " if head else "", None), (" ".join(middle), LABEL), (" " + " ".join(tail) if tail else "", None)]


def filler(kind: str, split: Split, chance: random.Random, taken: str = "") -> str:
    """An entry of a list, dealt to the split, that does not stand in `taken`."""
    return chance.choice([entry for entry in dealt(LISTS[kind], split) or LISTS[kind] if not taken or entry not in taken])
