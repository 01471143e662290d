"""Texts that were written to be hard, by somebody who had not seen the training data, and how they are disguised. They only measure."""

import base64
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from .generators.decisions import Decision
from .generators.jailbreak_encodings import HOMOGLYPHS
from .signals.examples import Example
from .signals.written import MARK, to_example

DISGUISES = ("paraphrase", "language", "typos", "padding", "homoglyphs", "base64")
FOLDER = Path(__file__).parent / "seeds" / "adversarial"
# One letter of so many is mistyped or exchanged.
MISTYPED, EXCHANGED = 12, 3
PARAGRAPHS = 4
# What is disguised, and what padding goes around. A question has an answer as well, but a state before all.
FIELDS = (("state", "state"), ("answer", "context"), ("text", "text"))


def read_adversarial(task: str, folder: Path = FOLDER) -> dict[str, list[Example]]:
    """By kind: what the head reads, disguised as the kind says; the same in every run."""
    kinds: dict[str, list[Example]] = {}
    for row in read_disguised(task, folder):
        example = replace(to_example(row, task), source=source_of(row))
        kinds.setdefault(row["kind"], []).append(example)
    return kinds


def read_adversarial_questions(folder: Path = FOLDER) -> dict[str, list[Decision]]:
    """The same for `decide`, whose states are disguised and not its questions."""
    kinds: dict[str, list[Decision]] = {}
    for row in read_disguised("decide", folder):
        options = [(option, None) if row["type"] == "score" else tuple(option) for option in row["options"]]
        asked = Decision(row["state"], row["type"], row["instructions"], tuple(options), row["answer"], row["kind"], source_of(row))
        kinds.setdefault(row["kind"], []).append(asked)
    return kinds


def read_disguised(task: str, folder: Path) -> Iterator[dict]:
    padding = (folder / "padding.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate((folder / f"{task}.jsonl").read_text(encoding="utf-8").splitlines()):
        yield disguise(json.loads(line), padding, random.Random(f"{task}/{number}"))


def source_of(row: dict) -> str:
    return f"adversarial/{row['kind']}"


def disguise(row: dict, padding: list[str], chance: random.Random) -> dict:
    """Paraphrases and texts in other languages are disguised as they were written. Of an answer, padding goes around its context."""
    text, around = next(fields for fields in FIELDS if fields[0] in row)
    match row["kind"]:
        case "paraphrase" | "language":
            return row
        case "typos":
            return row | {text: between_marks(row[text], lambda part: mistype(part, chance))}
        case "homoglyphs":
            return row | {text: between_marks(row[text], lambda part: exchange(part, chance))}
        case "base64":
            return row | {text: base64.b64encode(row[text].encode()).decode()}
        case "padding":
            paragraphs = chance.sample(padding, PARAGRAPHS)
            paragraphs.insert(PARAGRAPHS // 2, row[around])
            return row | {around: "\n\n".join(paragraphs)}
    raise ValueError(f'Cannot disguise a text of the kind "{row["kind"]}": it is none of {", ".join(DISGUISES)}')


def between_marks(marked: str, change: Callable[[str], str]) -> str:
    """Changes what stands inside the marks of spans and outside of them, and leaves the marks."""
    changed, behind = "", 0
    for match in MARK.finditer(marked):
        name = f"{match[1]}:" if match[1] else ""
        changed += f"{change(marked[behind : match.start()])}⟦{name}{change(match[2])}⟧"
        behind = match.end()
    return changed + change(marked[behind:])


def mistype(text: str, chance: random.Random) -> str:
    """Letters lost, doubled and swapped with their neighbours."""
    letters, at = list(text), 0
    while at < len(letters) - 1:
        if letters[at].isalpha() and letters[at + 1].isalpha() and chance.randrange(MISTYPED) == 0:
            match chance.choice(("swap", "lose", "double")):
                case "swap":
                    letters[at : at + 2] = reversed(letters[at : at + 2])
                case "lose":
                    del letters[at]
                case "double":
                    letters.insert(at, letters[at])
            at += 1
        at += 1
    return "".join(letters)


def exchange(text: str, chance: random.Random) -> str:
    """Some letters as their look-alikes of another alphabet."""
    return "".join(letter.translate(HOMOGLYPHS) if chance.randrange(EXCHANGED) == 0 else letter for letter in text)
