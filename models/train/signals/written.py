"""Texts that were written by hand for training, one by one, without looking at the sets that measure."""

import json
import re
from pathlib import Path

from .examples import Example, Span
from .layouts import UNSUPPORTED, feedback_example, grounded_example

WRITTEN = Path(__file__).parent.parent / "seeds" / "written"
# A text that was thought of counts more than one of a template, and most of all where little else is like it.
TIMES, FEW, MANY = 2, 3, 5
# Further files of a task, with how often each text trains. Their label is 1 or 0; `kind` says which form an attack and its harmless twins have.
FURTHER = {
    "jailbreak": dict.fromkeys(("over_defence", "attacks", "framed", "planted", "spoken", "turns"), TIMES)
    | dict.fromkeys(("agents", "wishes", "borders"), MANY)
    | dict.fromkeys(("harness", "steering", "plain", "tongues", "shapes", "persuade"), FEW)
    | {"prompts": TIMES}
    | dict.fromkeys(("games", "judges", "forged", "tools", "oddments"), FEW),
    "pii": {"pii_work": TIMES},
}
NAMES = {"jailbreak": ("benign", "jailbreak")}
MARK = re.compile(r"⟦(?:([A-Z_]+):)?([^⟦⟧]*)⟧")


def written(task: str) -> list[Example]:
    """The rows of a task, each several times. Marked parts become spans."""
    rows = [to_example(row, task) for row in read_written(task)] * TIMES
    for file, times in FURTHER.get(task, {}).items():
        rows += [to_example(named(row, task), f"{file}/{row['kind']}") for row in read_written(file)] * times
    return rows


def read_written(file: str) -> list[dict]:
    lines = (WRITTEN / f"{file}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def named(row: dict, task: str) -> dict:
    return row | {"label": NAMES[task][row["label"]]} if task in NAMES else row


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
