"""Prompts in the styles of real users, written and labelled by hand in two passes that did not see each other.

`seeds/natural/<writer>.jsonl` has text, previous, style and the writer's labels; `second_<other>.jsonl` has the labels of the other
writer for the same lines. Half of the styles train, the other half measures. Where the passes disagree, a text does neither.
`labels_<writer>.jsonl` has labels for the prompts of `unlabelled`, which only measure.
"""

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from .signals.examples import Example, read_rows
from .signals.layouts import feedback_example

FOLDER = Path(__file__).parent / "seeds" / "natural"
WRITERS = ("writer-a", "writer-b")
LABELS = {"fact_check": {"0": "no_fact_check", "1": "fact_check"}}
LINE = re.compile(r"(\w+)(?:\.jsonl)?(?:\.gz)?\W+(\d+)")


@dataclass(frozen=True)
class Labelled:
    """A text with what each pass says of it; the second pass may lack."""

    row: dict
    source: str
    first: dict
    second: dict | None


def read_natural(task: str, folder: Path = FOLDER) -> tuple[list[Example], list[Example]]:
    """What trains and what measures."""
    examples = [(one, to_example(one, task)) for one in read_written(folder) if is_sure(one, task)]
    train = [example for one, example in examples if trains(one.row["style"])]
    return train, [example for one, example in examples if not trains(one.row["style"])]


def read_prompts_of_users(task: str, data: Path, folder: Path = FOLDER) -> list[Example]:
    """The prompts of `unlabelled` whose two labels agree."""
    return [to_example(one, task) for one in read_unlabelled(data, folder) if one.second is not None and is_sure(one, task)]


def is_sure(one: Labelled, task: str) -> bool:
    said = one.first.get(task)
    return said is not None and (one.second is None or one.second.get(task) == said)


def trains(style: str) -> bool:
    return hashlib.sha256(style.encode()).digest()[0] % 2 == 1


def to_example(one: Labelled, task: str) -> Example:
    said = str(one.first[task])
    label = LABELS.get(task, {}).get(said, said)
    if task == "feedback":
        return feedback_example(one.row["text"], one.row.get("previous"), one.source, label)
    return Example(one.row["text"].strip(), one.source, label)


def read_written(folder: Path = FOLDER) -> list[Labelled]:
    found = []
    for writer, other in (WRITERS, WRITERS[::-1]):
        second = by_number(read_lines(folder / f"second_{other}.jsonl"))
        found += [
            Labelled(row, f"natural/{row['style']}", row["labels"], second.get(number))
            for number, row in enumerate(read_lines(folder / f"{writer}.jsonl"))
        ]
    return found


def read_unlabelled(data: Path, folder: Path = FOLDER) -> list[Labelled]:
    first, second = ({place_of(row["id"]): row["labels"] for row in read_lines(folder / f"labels_{writer}.jsonl")} for writer in WRITERS)
    rows = {name: read_rows(data, f"unlabelled/{name}") for name, _ in first}
    # Some count lines from 0, some from 1.
    least = min((number for _, number in first), default=0)
    return [
        Labelled(rows[name][number - least], f"natural/{name}", labels, second.get((name, number)))
        for (name, number), labels in first.items()
    ]


def place_of(line: str) -> tuple[str, int]:
    """File and number of a line that is named as `file:12`."""
    match = LINE.fullmatch(line)
    if match is None:
        raise ValueError(f'Cannot tell which line "{line}" is; it must be a file and a number')
    return match[1], int(match[2])


def by_number(rows: list[dict]) -> dict[int, dict]:
    """Labels by line, from 0, whatever the writer counts from."""
    least = min((row["n"] for row in rows), default=0)
    return {row["n"] - least: row["labels"] for row in rows}


def read_lines(file: Path) -> list[dict]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def agreement(labelled: list[Labelled], task: str) -> dict[str, float | int]:
    """Of the texts that both passes labelled: how many, the share on which they agree, and Cohen's kappa."""
    pairs = [(one.first[task], one.second[task]) for one in labelled if one.second and task in one.first and task in one.second]
    if not pairs:
        return {"texts": 0}
    same = sum(a == b for a, b in pairs) / len(pairs)
    ours, theirs = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(ours[label] * theirs[label] for label in ours) / len(pairs) ** 2
    kappa = 1.0 if chance == 1 else (same - chance) / (1 - chance)
    return {"texts": len(pairs), "same": round(same, 3), "kappa": round(kappa, 3)}
