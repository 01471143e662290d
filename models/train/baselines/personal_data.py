"""Personal data by rules: patterns, and the names and places that the training rows mark."""

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
MOST_WORDS = 4
WORD = re.compile(r"[^\W\d_](?:[\w'’.-]*\w)?")
# A name that marks more often than it does not; one sighting may be chance.
LEAST_MARKED = 2


def learn_names(examples: list[Example]) -> dict[str, str]:
    """By text: the kind that it mostly is. Only texts of up to four words that stand outside a span less often than in one."""
    marked: dict[str, Counter[str]] = {}
    for example in examples:
        for span in example.spans:
            text = example.text[span.start : span.end]
            if span.label in NAMES and 2 < len(text) and len(text.split()) <= MOST_WORDS:
                marked.setdefault(text, Counter())[span.label] += 1
    seen: Counter[str] = Counter()
    for example in examples:
        words = list(WORD.finditer(example.text))
        for text in {example.text[a.start() : b.end()] for a, b in stretches(words)}:
            if text in marked:
                seen[text] += 1
    return {
        text: kinds.most_common(1)[0][0]
        for text, kinds in marked.items()
        if kinds.total() >= LEAST_MARKED and kinds.total() * 2 >= seen[text]
    }


def find_personal_data(text: str, names: dict[str, str]) -> list[Span]:
    """Spans that do not overlap, in order: what a pattern finds, then the longest known names."""
    found = [
        Span(match.start(), match.end(), kind)
        for kind, pattern in PATTERNS
        for match in pattern.finditer(text)
        if kind != "CREDIT_CARD" or passes_luhn(match.group())
    ]
    known = [
        Span(first.start(), last.end(), names[text[first.start() : last.end()]])
        for first, last in stretches(list(WORD.finditer(text)))
        if text[first.start() : last.end()] in names
    ]
    kept: list[Span] = []
    for span in found + sorted(known, key=lambda span: span.start - span.end):
        if all(span.end <= other.start or span.start >= other.end for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda span: span.start)


def stretches(words: list[re.Match[str]]) -> list[tuple[re.Match[str], re.Match[str]]]:
    """First and last word of each run of one to four words."""
    return [(words[at], words[last]) for at in range(len(words)) for last in range(at, min(at + MOST_WORDS, len(words)))]


def passes_luhn(text: str) -> bool:
    digits = [int(sign) for sign in text if sign.isdigit()]
    doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
