"""Texts for the guards that only measure: in languages other than English, free text with private data, and kinds of attacks beside harmless texts
of the same kind. All but `prompts` were written by hand.

`seeds/languages/<head>_<language>.jsonl`, `seeds/free_text.jsonl` and the files of `ATTACKS`: attacks have the columns text, label (1 = attack)
and kind; personal data is marked in the text as `[[KIND:value]]`.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

from .signals.examples import Example, Span

FOLDER = Path(__file__).parent / "seeds" / "languages"
FREE_TEXT = Path(__file__).parent / "seeds" / "free_text.jsonl"
# Sets of attacks, with their files in `seeds`. Others wrote the texts of these kinds that train, and `prompts` is of packages that train nothing.
ATTACKS = {"short_turns": "turns"} | {name: name for name in ("agents", "wishes", "harness", "steering", "prompts", "mixed")}
NAMES = {"de": "german", "fr": "french", "es": "spanish", "zh": "chinese"}
LABELS = ("benign", "jailbreak")
# What free text has marked: data of private persons. Places, organisations, public figures and mere dates are not.
MARKED = frozenset({
    "PERSON", "STREET_ADDRESS", "EMAIL", "PHONE", "IBAN", "CREDIT_CARD", "US_SSN", "DRIVER_LICENSE", "ID", "DATE_OF_BIRTH", "AGE",
    "USERNAME", "PASSWORD", "IP",
})  # fmt: skip
MARK = re.compile(r"\[\[([A-Z_]+):(.*?)\]\]", re.DOTALL)


def read_languages(head: str, folder: Path = FOLDER) -> dict[str, list[Example]]:
    """By language, as far as there are files."""
    files = {name: folder / f"{head}_{code}.jsonl" for code, name in NAMES.items()}
    return {name: read_file(file, head, "languages") for name, file in files.items() if file.exists()}


def read_free_text() -> list[Example]:
    """Mails, notes, tickets and prompts with private persons, and prompts with none, public figures and names of things among them."""
    return [replace(example, known=MARKED) for example in read_file(FREE_TEXT, "pii", "written")]


def read_attacks() -> dict[str, list[Example]]:
    """By set. What each holds stands in `bench/accuracy/sets/README.md`."""
    return {name: read_file(FREE_TEXT.parent / f"{file}.jsonl", "jailbreak", "written") for name, file in ATTACKS.items()}


def read_file(file: Path, head: str, source: str) -> list[Example]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [to_example(row, head, f"{source}/{row.get('kind', file.stem)}") for row in rows]


def to_example(row: dict, head: str, source: str) -> Example:
    if head == "jailbreak":
        return Example(row["text"].strip(), source, LABELS[row["label"]])
    text, spans = unmark(row["text"].strip())
    return Example(text, source, spans=spans)


def unmark(marked: str) -> tuple[str, tuple[Span, ...]]:
    """The text without its marks, and their places."""
    text, spans, behind = "", [], 0
    for match in MARK.finditer(marked):
        text += marked[behind : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), match[1]))
        text += match[2]
        behind = match.end()
    return text + marked[behind:], tuple(spans)
