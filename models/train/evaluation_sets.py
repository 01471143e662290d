"""The sets that measure the packages: samples of the rows that no head learns from, with the answer of a baseline."""

import gzip
import json
import random
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TypeVar

from .adversarial import DISGUISES, read_adversarial, read_adversarial_questions
from .baselines.bag_of_words import answer_by_words, fit_words
from .baselines.overlap import find_unsupported
from .baselines.personal_data import find_personal_data, learn_names
from .baselines.shared_words import answer_by_shared_words, learn_commonest
from .decide import asked
from .generators.decisions import Decision
from .natural import agreement, read_unlabelled, read_written
from .results import report_progress, write_result
from .signals.examples import Example, Span, TaskData, identity
from .signals.layouts import UNSUPPORTED
from .signals.tasks import read_tasks
from .triggers import NAMES as TRIGGERS
from .triggers import read_triggers
from .written_sets import ATTACKS, read_attacks, read_free_text, read_languages
from .written_sets import NAMES as LANGUAGES

FOLDER = Path(__file__).parents[2] / "bench" / "accuracy" / "sets"
ROWS = 600
# A share of two in a hundred needs more of them.
ROWS_OF = {"ordinary": 1000}
CHARACTERS = 4000
# Sets that were made or chosen to mislead, those that ask the rows of another set something else, those in other languages, the prompts
# on which false alarms are counted, and those that temperatures and thresholds were fitted on; all others are unseen.
KINDS = (
    dict.fromkeys(("contrast", "left_out", "notinject_one", "operators", *ATTACKS, *DISGUISES, *TRIGGERS.values()), "adversarial")
    | dict.fromkeys((*LANGUAGES.values(), "korean"), "languages")
    | {"hwu64_claims": "derived", "ordinary": "ordinary", "jailbreak/natural": "ordinary", "tuning": "tuning"}
)
Item = TypeVar("Item")
# The types that have one right answer.
ASKED_TYPES = ("choice", "noul", "score")
ASKED_TRAINED = 4000
# The heads that prompts were labelled for by hand.
NATURAL = ("fact_check", "modality", "domain", "feedback")


def write_evaluation_sets(data: Path, folder: Path = FOLDER) -> None:
    """Writes `<task>/<set>.jsonl.gz` and `index.json`; the same bytes in every run."""
    index: dict[str, dict[str, dict]] = {}
    heads = read_tasks(data)
    tasks = [*heads, "decide"]
    report = report_progress("sets", len(tasks))
    for number, task in enumerate(tasks, 1):
        sets = decide_sets(data) if task == "decide" else signal_sets(task, with_measuring(task, heads[task]))
        index[task] = {name: write_set(folder / task, name, *part) for name, part in sets.items()}
        report(number)
    (folder / "index.json").write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")
    write_result("natural-agreement", agreement_of_passes(data))


def agreement_of_passes(data: Path) -> dict[str, dict]:
    """How far two people gave the same labels to the written prompts and to those of users, by head."""
    texts = {"written": read_written(), "prompts of users": read_unlabelled(data)}
    return {name: {task: agreement(labelled, task) for task in NATURAL} for name, labelled in texts.items()}


def write_set(folder: Path, name: str, rows: list[dict], of: int) -> dict:
    """One set; returns its entry of the index."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    packed = BytesIO()
    # Without name and time of the file, so that equal rows are equal bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
        file.write(lines.encode())
    (folder / f"{name}.jsonl.gz").write_bytes(packed.getvalue())
    kind = KINDS.get(f"{folder.name}/{name}", KINDS.get(name, "unseen"))
    return {"kind": kind, "rows": len(rows), "of": of}


def with_measuring(task: str, data: TaskData) -> TaskData:
    """With the texts that were written to measure, none of which fits a threshold."""
    own: dict[str, list[Example]] = {}
    if task == "jailbreak":
        own = read_triggers() | read_attacks()
    elif task == "pii":
        own = {"free_text": read_free_text()}
    return TaskData(data.train, data.tuning, data.unseen | own | read_adversarial(task) | read_languages(task))


def signal_sets(task: str, data: TaskData) -> dict[str, tuple[list[dict], int]]:
    """By name: the rows of each set of a head, and how many it was sampled from."""
    answer, taught = baseline_of(task, data.train), {identity(example) for example in data.train}
    sets = {}
    for name, examples in {"tuning": data.tuning, **data.unseen}.items():
        # Splits go by source, but short texts come up in several of them.
        examples = [example for example in examples if identity(example) not in taught]
        length = lambda example: len(example.text) + len(example.first or "")  # noqa: E731
        # The same ordinary prompts for both guards.
        chance = random.Random(name if name in ROWS_OF else f"{task}/{name}")
        chosen = sample(examples, chance, length, ROWS_OF.get(name, ROWS))
        answers = answer(chosen)
        rows = [to_row(example) | {"bag_of_words": said} for example, said in zip(chosen, answers, strict=True)]
        sets[re.sub(r"\W+", "_", name)] = (rows, len(examples))
    return sets


def baseline_of(task: str, train: list[Example]) -> Callable[[list[Example]], list]:
    """What answers a list of examples without a model."""
    if task == "pii":
        names = learn_names(train)
        return lambda examples: [to_spans(find_personal_data(example.text, names)) for example in examples]
    if task == "hallucination":
        return lambda examples: [
            to_spans(find_unsupported(example.parts["context"], example.parts["question"], example.text, UNSUPPORTED))
            for example in examples
        ]
    words = fit_words(train)
    return lambda examples: answer_by_words(words, examples)


def to_row(example: Example) -> dict:
    """The parts of a request, and what is right."""
    row: dict = {"source": example.source}
    if example.first is not None:
        row |= {"context": example.parts["context"], "question": example.parts["question"], "answer": example.text}
    else:
        row |= {"text": example.text} | example.parts
    if example.known is not None:
        row["known"] = sorted(example.known)
    spans = example.first is not None or example.label is None
    return row | ({"spans": to_spans(example.spans)} if spans else {"label": example.label})


def to_spans(spans: list[Span] | tuple[Span, ...]) -> list[dict]:
    return [{"start": span.start, "end": span.end, "label": span.label} for span in spans]


def decide_sets(data: Path) -> dict[str, tuple[list[dict], int]]:
    tasks = asked.read(data, ASKED_TRAINED)
    commonest = learn_commonest(tasks.train)
    sets = {}
    for name, decisions in {"tuning": tasks.tuning, **tasks.unseen, **read_adversarial_questions()}.items():
        answerable = [decision for decision in decisions if decision.type in ASKED_TYPES]
        chosen = sample(answerable, random.Random(f"decide/{name}"), lambda decision: len(decision.state))
        rows = [to_asked_row(decision) | {"bag_of_words": answer_by_shared_words(decision, commonest)} for decision in chosen]
        sets[name] = (rows, len(answerable))
    return sets


def to_asked_row(decision: Decision) -> dict:
    """Options are pairs of key and description, or levels; a noul's are its two meanings."""
    options = [key for key, _ in decision.options] if decision.type == "score" else [list(option) for option in decision.options]
    return {
        "source": decision.source,
        "state": decision.state,
        "type": decision.type,
        "instructions": decision.instructions,
        "options": options,
        "answer": decision.answer,
    }


def sample(items: list[Item], chance: random.Random, length: Callable[[Item], int], rows: int = ROWS) -> list[Item]:
    """At most so many rows, in random order; what is longer than a set should hold is left out."""
    short = [item for item in items if length(item) <= CHARACTERS]
    return chance.sample(short, min(rows, len(short)))
