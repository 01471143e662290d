"""The lexical rule for unsupported answers: a word that neither context nor question has is not supported."""

import re

from ..signals.examples import Span

WORD = re.compile(r"\w+")


def find_unsupported(context: str, question: str, answer: str, label: str) -> list[Span]:
    """One span for each word of the answer that is new, whatever its case."""
    known = {word.casefold() for word in WORD.findall(f"{context}\n{question}")}
    return [
        Span(match.start(), match.end(), label)
        for match in WORD.finditer(answer)
        if match.group().casefold() not in known
    ]
