"""One typed question about a state, with its certain answer."""

from dataclasses import dataclass
from typing import Literal

from ..row import Span

Type = Literal["choice", "noul", "score", "set", "span"]
Answer = str | int | bool | tuple[str, ...] | tuple[Span, ...] | None
Option = tuple[str, str | None]


@dataclass(frozen=True)
class Decision:
    """`options` are keys with a description or None: of a choice its options, of a set and a span their labels, of a score its
    levels in order, of a noul `("false", meaning)` and `("true", meaning)`. `answer` is a key, the index of a level, a bool, the
    keys that hold in the order of `options`, or spans of `state` in code points whose label is a key; None of a choice none of
    whose options is right. `task` is what splits go by: no task stands in two splits, and tasks of one `source` always stand in the same."""

    state: str
    type: Type
    instructions: str
    options: tuple[Option, ...]
    answer: Answer
    task: str
    source: str
    language: str = "en"
