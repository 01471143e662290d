"""Texts made of labelled pieces: parts are joined first, offsets are counted once, at the end."""

import random
import re
from collections.abc import Callable

from .row import Span

Piece = tuple[str, str | None]
Fill = Callable[[str, str], Piece]

MARK = re.compile(r"\[\[([A-Z_]+)\|([^\]]*)\]\]|(?<!\{)\{([a-z]+(?:_[a-z]+)*4?)(?:_(\d))?\}(?!\})")


def to_pieces(template: str, fill: Fill) -> list[Piece]:
    """Pieces of a template: `[[LABEL|text]]` is labelled text, `{slot}` and `{slot_2}` are asked for by `fill(slot, "2")`."""
    pieces: list[Piece] = []
    position = 0
    for match in MARK.finditer(template):
        pieces.append((template[position : match.start()], None))
        pieces.append((match[2], match[1]) if match[1] else fill(match[3], match[4] or "1"))
        position = match.end()
    return [*pieces, (template[position:], None)]


def join(pieces: list[Piece]) -> tuple[str, tuple[Span, ...]]:
    """The text and its spans; offsets are code points. Two names with a space between are one PERSON."""
    spans: list[Span] = []
    length = 0
    for place, (text, label) in enumerate(pieces):
        if label == "PERSON" and pieces[max(0, place - 1)] == (" ", None) and spans and spans[-1].label == label:
            spans[-1] = Span(spans[-1].start, length + len(text), label)
        elif label:
            spans.append(Span(length, length + len(text), label))
        length += len(text)
    return "".join(text for text, _ in pieces), tuple(spans)


def roughen(pieces: list[Piece], chance: random.Random) -> list[Piece]:
    """Now and then a sloppy register: all lower case, all capitals, no closing stop, letters swapped outside the labelled parts."""
    style = chance.random()
    if style < 0.10:
        return [(keep_length(text, str.lower), label) if not is_case_bound(label) else (text, label) for text, label in pieces]
    if style < 0.13:
        return [(keep_length(text, str.upper), label) if not is_case_bound(label) else (text, label) for text, label in pieces]
    if style < 0.22:
        return [*pieces[:-1], (pieces[-1][0].rstrip(".!"), pieces[-1][1])]
    if style < 0.32:
        return [(text if label else swap_letters(text, chance), label) for text, label in pieces]
    return pieces


def is_case_bound(label: str | None) -> bool:
    return label in ("PASSWORD", "URL", "USERNAME")


def keep_length(text: str, change: Callable[[str], str]) -> str:
    """Changes letter by letter where that keeps one code point (not so: sharp s, dotted capital I)."""
    return "".join(change(letter) if len(change(letter)) == 1 else letter for letter in text)


def swap_letters(text: str, chance: random.Random) -> str:
    words = [match for match in re.finditer(r"[a-z]{5,}", text)]
    if not words:
        return text
    word = chance.choice(words)
    place = chance.randrange(word.start() + 1, word.end() - 2)
    return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
