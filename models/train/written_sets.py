"""Texts for the guards in languages other than English, free text with private data, short turns, what agents read, and wishes in frames, written by hand.
They only measure.

`seeds/languages/<head>_<language>.jsonl`, `seeds/free_text.jsonl`, `seeds/turns.jsonl`, `seeds/agents.jsonl` and `seeds/wishes.jsonl`: attacks have the
columns text, label (1 = attack) and kind; personal data is marked in the text as `[[KIND:value]]`.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

from .signals.examples import Example, Span

FOLDER = Path(__file__).parent / "seeds" / "languages"
FREE_TEXT = Path(__file__).parent / "seeds" / "free_text.jsonl"
SHORT_TURNS = Path(__file__).parent / "seeds" / "turns.jsonl"
AGENTS = Path(__file__).parent / "seeds" / "agents.jsonl"
WISHES = Path(__file__).parent / "seeds" / "wishes.jsonl"
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


def read_short_turns() -> list[Example]:
    """What users say to agents and assistants in a few words, and attacks in the same words. Others wrote those that train."""
    return read_file(SHORT_TURNS, "jailbreak", "written")


def read_agents() -> list[Example]:
    """What agents read, with and without an instruction of a third party in it. Others wrote those that train."""
    return read_file(AGENTS, "jailbreak", "written")


def read_wishes() -> list[Example]:
    """Stories, games and pretexts around what a model ought to refuse, and around what anybody may ask. Others wrote those that train."""
    return read_file(WISHES, "jailbreak", "written")


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
