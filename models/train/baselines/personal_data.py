"""Personal data by rules: patterns, and words that the training rows mark as names."""

import re
from collections import Counter

from ..signals.examples import Example, Span

# Earlier ones win where two overlap.
PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("EMAIL", r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"),
        ("URL", r"\b(?:https?://|www\.)[^\s<>\")]+[^\s<>\").,;:!?]"),
        ("IBAN", r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b"),
        ("IP", r"\b(?:\d{1,3}\.){3}\d{1,3}\b"),
        ("IP", r"\b(?:[0-9a-fA-F]{1,4}:){3,7}:?[0-9a-fA-F]{1,4}\b"),
        ("US_SSN", r"\b\d{3}-\d{2}-\d{4}\b"),
        ("CREDIT_CARD", r"\b(?:\d[ -]?){12,18}\d\b"),
        ("DATE_TIME", r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b"),
        ("PHONE", r"(?<!\w)(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]\d{2,5}){1,4}\b"),
        ("TITLE", r"\b(?:Mrs?|Ms|Miss|Dr|Prof)\b\.?"),
    )
)
NAMES = frozenset({"PERSON", "LOCATION", "ORG", "NRP", "TITLE"})
WORD = re.compile(r"[^\W\d_](?:[\w'’.-]*\w)?")
# One sighting may be chance.
LEAST_MARKED = 2


def learn_names(examples: list[Example]) -> dict[str, str]:
    """By capitalised word: the kind of name that it is part of more often than it is not part of any."""
    seen: dict[str, Counter[str]] = {}
    for example in examples:
        for word in WORD.finditer(example.text):
            if word.group()[0].isupper():
                inside = (span.label for span in example.spans if span.start <= word.start() and word.end() <= span.end)
                seen.setdefault(word.group(), Counter())[next(inside, "O")] += 1
    best = {word: kinds.most_common(1)[0] for word, kinds in seen.items()}
    return {
        word: kind
        for word, (kind, count) in best.items()
        if kind in NAMES and count >= LEAST_MARKED and count * 2 >= seen[word].total()
    }


def find_personal_data(text: str, names: dict[str, str]) -> list[Span]:
    """Spans that do not overlap, in order: what a pattern finds, then neighbouring words that are names of one kind."""
    found = [
        Span(match.start(), match.end(), kind)
        for kind, pattern in PATTERNS
        for match in pattern.finditer(text)
        if kind != "CREDIT_CARD" or passes_luhn(match.group())
    ]
    kept: list[Span] = []
    for span in found + find_names(text, names):
        if all(span.end <= other.start or span.start >= other.end for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda span: span.start)


def find_names(text: str, names: dict[str, str]) -> list[Span]:
    spans: list[Span] = []
    for word in WORD.finditer(text):
        kind = names.get(word.group())
        if kind is None:
            continue
        last = spans[-1] if spans else None
        if last and last.label == kind and text[last.end : word.start()] == " ":
            spans[-1] = Span(last.start, word.end(), kind)
        else:
            spans.append(Span(word.start(), word.end(), kind))
    return spans


def passes_luhn(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdigit()]
    doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
