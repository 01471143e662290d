"""Texts that were written by hand for training, one by one, without looking at the sets that measure."""

import json
import re
from pathlib import Path

from .examples import Example, Span
from .layouts import UNSUPPORTED, grounds, layout

WRITTEN = Path(__file__).parent.parent / "seeds" / "written"
# A text that was thought of counts more than one of a template.
TIMES = 2
MARK = re.compile(r"⟦(?:([A-Z_]+):)?([^⟦⟧]*)⟧")


def written(task: str) -> list[Example]:
    """The rows of a task, each several times. Marked parts become spans."""
    lines = (WRITTEN / f"{task}.jsonl").read_text(encoding="utf-8").splitlines()
    return [to_example(json.loads(line), task) for line in lines] * TIMES


def to_example(row: dict, task: str) -> Example:
    text, spans = unmark(row.get("answer", row.get("text")))
    if task == "feedback":
        text = layout(text, row.get("previous"))
    first = grounds(row["context"], row["question"]) if "context" in row else None
    return Example(text, f"written/{task}", row.get("label"), spans, first)


def unmark(marked: str) -> tuple[str, tuple[Span, ...]]:
    """The text without its marks, and their places."""
    text, spans, behind = "", [], 0
    for match in MARK.finditer(marked):
        text += marked[behind : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), match[1] or UNSUPPORTED))
        text += match[2]
        behind = match.end()
    return text + marked[behind:], tuple(spans)
