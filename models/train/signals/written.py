"""Texts that were written by hand for training, one by one, without looking at the sets that measure."""

import json
import re
from pathlib import Path

from .examples import Example, Span
from .layouts import UNSUPPORTED, feedback_example, grounded_example

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
    source = f"written/{task}"
    if task == "feedback":
        return feedback_example(text, row.get("previous"), source, row["label"])
    if "context" in row:
        return grounded_example(row["context"], row["question"], text, source, spans)
    return Example(text, source, row.get("label"), spans)


def unmark(marked: str) -> tuple[str, tuple[Span, ...]]:
    """The text without its marks, and their places."""
    text, spans, behind = "", [], 0
    for match in MARK.finditer(marked):
        text += marked[behind : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), match[1] or UNSUPPORTED))
        text += match[2]
        behind = match.end()
    return text + marked[behind:], tuple(spans)
