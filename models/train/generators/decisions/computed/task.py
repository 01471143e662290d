"""What a computed task is, and how its parts become a decision."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from ...row import Span
from ..decision import Answer, Decision, Option, Type
from ..marked_text import choose
from ..values import Values


@dataclass(frozen=True)
class Asked:
    """One question before it is worded: `answer` names keys of `options`, the index of a level, a truth or spans."""

    state: str
    options: tuple[Option, ...]
    answer: Answer
    subject: str = ""


@dataclass(frozen=True)
class Task:
    """`wordings` may hold {a|b} and SUBJECT, what the question is about this time; a subject
    of two parts, "person|thing", fills PERSON and THING."""

    name: str
    type: Type
    wordings: tuple[str, ...]
    ask: Callable[[Values, random.Random], Asked | None]


def make_decision(task: Task, values: Values, chance: random.Random) -> Decision | None:
    asked = task.ask(values, chance)
    if asked is None:
        return None
    person, _, thing = asked.subject.partition("|")
    instructions = choose(chance.choice(task.wordings), chance)
    for slot, text in (("SUBJECT", asked.subject), ("PERSON", person), ("THING", thing)):
        instructions = instructions.replace(slot, text)
    if chance.random() < 0.12:
        instructions = instructions.lower()
    return Decision(asked.state, task.type, instructions, asked.options, asked.answer, f"{task.name}/{task.type}", f"generated/decisions/{task.name}")


def shuffled(options: list[Option], chance: random.Random) -> tuple[Option, ...]:
    return tuple(chance.sample(options, len(options)))


def no_and_yes(chance: random.Random) -> tuple[Option, Option]:
    meanings = chance.choice([(None, None), (None, None), ("no", "yes"), ("it is not so", "it is so"), ("wrong", "right")])
    return (("false", meanings[0]), ("true", meanings[1]))


def find_all(text: str, parts: list[str], label: str) -> tuple[Span, ...]:
    """Spans of parts that stand in the text in this order."""
    spans, position = [], 0
    for part in parts:
        start = text.index(part, position)
        position = start + len(part)
        spans.append(Span(start, position, label))
    return tuple(spans)
