"""Questions with their answers, from the generators, from public data, and from the rows of the other tasks."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Literal

from ..generators.decisions import Decision, generate
from ..generators.decisions.claim import claim
from ..generators.decisions.library import GENRES
from ..generators.decisions.reuse import reuse
from ..signals.examples import SPLIT_SEED, TaskData, read_rows
from ..signals.tasks import tunes
from .abstain import SAYS_NONE, can_lose, leave_out

# Whole tasks, none of whose rows trains.
UNSEEN = ("hwu64", "boolqa", "t0_paws", "t0_qasc", "cause_and_effect")
TRAINED = (
    "banking77", "clinc150", "dbpedia", "larger_animal", "mnli", "query_wellformedness", "snips",
    "t0_commonsense", "t0_cosmos", "t0_wiqa",
)  # fmt: skip
SEEDS = Path(__file__).parents[1] / "seeds"
SCALES = SEEDS / "scales.jsonl"
OPERATORS = SEEDS / "operators.jsonl"
# Yes-or-no tasks whose answers have to be concluded from a text. They stay at chance, and a temperature that is fitted on them makes
# every answer a half, also where a text says it.
CONCLUDED = ("boolqa", "t0_paws", "t0_qasc")
# Questions without a right option have no temperature either.
NO_TEMPERATURE = (*CONCLUDED, "left_out")
# A public task brings at most so many questions, so that none of them is the model.
MOST = 2500
# Of so many choices that train, no option is right; of those that measure it, half.
LEFT_OUT, LEFT_OUT_MEASURED = 0.12, 0.5
# Public tasks whose options say what a state is about, so that they can be claimed of it.
CLAIMED = ("banking77", "clinc150", "dbpedia", "snips")
SENTENCES = re.compile(r"sentence 1: (?P<state>.*)\nsentence 2: (?P<statement>.*)", re.DOTALL)
NO_AND_YES = ("false", "true")


def read(data: Path, count: int) -> TaskData:
    """`count` questions of the generators, and those of the public tasks; examples are `Decision`s."""
    train = generate("train", random.Random(f"decide/{SPLIT_SEED}"), count)
    for name in TRAINED:
        train += sample_of(data, name, MOST)
    train += claims([question for question in train if says_what_it_is_about(question)], "train", random.Random("decide/claims"))
    train += [statement for question in train if question.task == "MNLI" and (statement := to_statement(question))]
    train = leave_out(train, LEFT_OUT, random.Random("decide/left out"))
    tuning = generate("validation", random.Random("decide/validation"), 1500)
    tuning += [question for name, questions in tuning_by_task(data).items() if name not in NO_TEMPERATURE for question in questions]
    measured = {name: [question for question in questions if not tunes(question.state)] for name, questions in read_unseen(data).items()}
    return TaskData(train, tuning, measured)


def read_unseen(data: Path) -> dict[str, list[Decision]]:
    """The tasks that never train."""
    unseen = {name: sample_of(data, name, 300) for name in UNSEEN}
    unseen |= {"scales": read_scales(), "operators": read_operators(), "contrast": generate("contrast", random.Random("decide/contrast"), 1500)}
    unseen["hwu64_claims"] = claims(unseen["hwu64"], "unseen", random.Random("decide/hwu64 claims"))
    can_be_lost = [question for question in unseen["hwu64"] if can_lose(question)]
    return unseen | {"left_out": leave_out(can_be_lost, LEFT_OUT_MEASURED, random.Random("decide/hwu64 left out"))}


def tuning_by_task(data: Path) -> dict[str, list[Decision]]:
    """As for the heads of `signals`: a part of every unseen task measures nothing, and fits temperatures, thresholds and when to abstain."""
    return {name: [question for question in questions if tunes(question.state)] for name, questions in read_unseen(data).items()}


def read_scales(file: Path = SCALES) -> list[Decision]:
    """Texts on five scales, written by hand: no public set with an open licence has scales, but for the one that trains."""
    return [to_written(row | {"type": "score"}, f"scales/{row['scale']}") for row in read_lines(file)]


def read_operators(file: Path = OPERATORS) -> list[Decision]:
    """Yes-or-no questions and scales as operators of a router ask them about messages, near misses among them, written by hand."""
    return [to_written(row, f"operators/{row['kind']}") for row in read_lines(file)]


def read_lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def to_written(row: dict, task: str) -> Decision:
    """`levels` are those of a score."""
    options = tuple((key, None) for key in row.get("levels", NO_AND_YES))
    return Decision(row["state"], row["type"], row["instructions"], options, row["answer"], task, task)


def sample_of(data: Path, name: str, count: int) -> list[Decision]:
    """By a chance of its own, so that what is read of one file does not change with another."""
    chance, rows = random.Random(f"decide/{name}"), read_rows(data, f"decisions/{name}")
    return [to_decision(row, chance) for row in chance.sample(rows, min(count, len(rows)))]


def to_decision(row: dict, chance: random.Random) -> Decision:
    """Options in random order, because some files have the right one first."""
    question = row["question"]
    kind, criteria = question["type"], question.get("criteria") or {}
    if kind == "score":
        options = [(level, None) for level in criteria]
    elif kind == "noul":
        options = [(key, criteria.get(key)) for key in NO_AND_YES]
    else:
        options = [(key, text if text != key else None) for key, text in criteria.items()]
        chance.shuffle(options)
    return Decision(row["state"], kind, question["instructions"] or "", tuple(options), row["answer"], row["task"], row["source"])


def claims(questions: list[Decision], wordings: Literal["train", "unseen"], chance: random.Random) -> list[Decision]:
    """A yes-or-no question about each of these choices, those left out that have no right option, or one that says "none"."""
    return [claim(question, wordings, chance) for question in questions if can_be_claimed(question)]


def says_what_it_is_about(question: Decision) -> bool:
    """Whether a question that trains names with its options what the state is about; those of others are statements, letters or answers."""
    genre, _, way = question.task.partition(".")
    return question.task in CLAIMED or (genre in GENRES and way.endswith("/choice"))


def can_be_claimed(question: Decision) -> bool:
    if question.type != "choice" or question.answer is None or len(question.options) < 2:
        return False
    return not any(SAYS_NONE.search(text) for option in question.options for text in option if text)


def to_statement(question: Decision) -> Decision | None:
    """Whether the second of two sentences follows from the first, with the first as the state."""
    found = SENTENCES.fullmatch(question.state)
    if found is None:
        return None
    options = tuple((key, None) for key in NO_AND_YES)
    return replace(question, state=found["state"], type="noul", instructions=found["statement"], options=options, answer=question.answer == "entailment")


def reused(tasks: dict[str, TaskData], count: int, chance: random.Random) -> list[Decision]:
    """Questions about the training rows of other tasks."""
    found = []
    for name, task in tasks.items():
        for example in chance.sample(task.train, min(count, len(task.train))):
            spans = [vars(span) for span in example.spans]
            row = {"text": example.text, "label": example.label, "spans": spans, "source": example.source}
            decision = reuse(name, row | example.parts, chance)
            if decision is not None:
                found.append(replace(decision, source=f"reused/{name}"))
    return found
