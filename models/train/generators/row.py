"""One row of generated training data, the same for every task."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A labelled part of a text: code points, end exclusive."""

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class Row:
    """What a generator gives out. `source` is `generated/<task>/<template id or family>`: data are split by it, never by row.
    `previous` is the assistant's turn before `text`; `context` and `question` stand for hallucination rows, whose `text` is
    the answer and whose spans lie on it."""

    text: str
    label: str | None = None
    spans: tuple[Span, ...] = ()
    previous: str | None = None
    context: str | None = None
    question: str | None = None
    source: str = ""
    language: str = "en"
