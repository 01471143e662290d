"""Draws typed questions of all five types; what the public data lack (score, set, span) comes more often."""

import random
from collections.abc import Callable

from ..deal import Split
from .ask_choice import ask_choice
from .ask_noul import ask_noul
from .ask_score import ask_score
from .ask_set import ask_set
from .ask_span import ask_span
from .computed import read_computed
from .computed.task import Task, make_decision
from .decision import Decision, Type
from .library import Library, read_library

SHARES: dict[Type, float] = {"score": 0.24, "set": 0.23, "span": 0.21, "choice": 0.16, "noul": 0.16}
ASK: dict[Type, Callable[[Library, random.Random], Decision | None]] = {
    "score": ask_score, "set": ask_set, "span": ask_span, "choice": ask_choice, "noul": ask_noul,
}
COMPUTED_SHARE = 0.33
MAX_TRIES_PER_ROW = 30


def generate(split: Split, chance: random.Random, count: int) -> list[Decision]:
    """`count` decisions of one split; no state is asked the same twice."""
    library, computed = read_library(split), read_computed(split)
    decisions: dict[tuple[object, ...], Decision] = {}
    for _ in range(count * MAX_TRIES_PER_ROW):
        if len(decisions) == count:
            break
        kind = chance.choices(list(SHARES), list(SHARES.values()))[0]
        if computed.get(kind) and chance.random() < COMPUTED_SHARE:
            decision = make_decision(pick_task(computed[kind], chance), library.values, chance)
        else:
            decision = ASK[kind](library, chance)
        if decision and decision.state.strip():
            decisions[decision.state.lower(), decision.type, decision.instructions.lower(), decision.options] = decision
    return list(decisions.values())


def pick_task(families: list[list[Task]], chance: random.Random) -> Task:
    """A family weighs as much as the square root of its tasks."""
    return chance.choice(chance.choices(families, [len(family) ** 0.5 for family in families])[0])
