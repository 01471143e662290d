"""Texts that know where their values stand: filled from templates, joined, wrapped, and roughened without moving a letter.

In a template, {a|b} is either, <date> a value of that kind, <date=deadline> one that is also a deadline, <person#1> the same
value wherever it stands in one text, and [promise: ... ] a marked passage."""

import random
import re
from dataclasses import dataclass, replace

from ..row import Span
from .values import Values

EITHER = re.compile(r"\{([^{}]*)\}")
MARK = re.compile(r"<(\^?)([a-z_]+)(?:=([a-z_]+))?(?:#(\d))?>|\[([a-z_]+): ?|(\])")


@dataclass(frozen=True)
class MarkedText:
    text: str
    spans: tuple[Span, ...] = ()

    def moved(self, by: int) -> tuple[Span, ...]:
        return tuple(Span(span.start + by, span.end + by, span.label) for span in self.spans)

    def kinds(self) -> set[str]:
        return {span.label for span in self.spans}


def fill(template: str, values: Values, chance: random.Random, bound: dict[str, str] | None = None) -> MarkedText:
    bound = {} if bound is None else bound
    template = choose(template, chance)
    text, spans, position = "", [], 0
    opened: list[tuple[str, int]] = []
    for match in MARK.finditer(template):
        text += template[position : match.start()]
        position = match.end()
        capital, kind, role, number, passage, closing = match.groups()
        if passage:
            opened.append((passage, len(text)))
        elif closing:
            label, start = opened.pop()
            spans.append(Span(start, len(text), label))
        else:
            value = bound.get(f"{kind}#{number}") or draw_unused(kind, text, values, chance)
            if number:
                bound[f"{kind}#{number}"] = value
            value = value[:1].upper() + value[1:] if capital else value
            text = f"{text[:-1]}n " if text.endswith(" a ") and value[:1] in "aeiou" else text
            spans += [Span(len(text), len(text) + len(value), label) for label in (kind, role) if label]
            text += value
    return MarkedText(text + template[position:], tuple(spans))


def draw_unused(kind: str, text: str, values: Values, chance: random.Random) -> str:
    """A value that does not stand in the text yet, as long as a few tries find one."""
    drawn = [values.draw(kind, chance) for _ in range(6)]
    return next((value for value in drawn if value not in text), drawn[0])


def choose(template: str, chance: random.Random) -> str:
    """One way through all {a|b} of a template, the inner ones first."""
    while match := EITHER.search(template):
        template = template[: match.start()] + chance.choice(match[1].split("|")) + template[match.end() :]
    return template


def join(parts: list[MarkedText], between: str) -> MarkedText:
    text, spans = "", []
    for part in parts:
        text += between if text else ""
        spans += part.moved(len(text))
        text += part.text
    return MarkedText(text, tuple(sorted(spans, key=lambda span: (span.start, span.end, span.label))))


def wrap(inner: MarkedText, before: MarkedText, after: MarkedText) -> MarkedText:
    return join([before, inner, after], "")


def capitalise(part: MarkedText) -> MarkedText:
    return replace(part, text=part.text[:1].upper() + part.text[1:])


def roughen(part: MarkedText, chance: random.Random) -> MarkedText:
    """Now and then lower case, no closing stops or swapped letters; never inside a span, except for lower case. The length stays."""
    style = chance.random()
    if style < 0.12:
        return replace(part, text="".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in part.text))
    if style < 0.30:
        words = [word for word in re.finditer(r"[a-z]{5,}", part.text) if not is_covered(word.start(), word.end(), part.spans)]
        for word in chance.sample(words, min(len(words), chance.choice([1, 1, 2]))):
            at = chance.randrange(word.start() + 1, word.end() - 2)
            text = part.text
            part = replace(part, text=text[:at] + text[at + 1] + text[at] + text[at + 2 :])
    return part


def is_covered(start: int, end: int, spans: tuple[Span, ...]) -> bool:
    return any(span.start < end and start < span.end for span in spans)
