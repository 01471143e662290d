"""Choices none of whose options fits: the model reads one more option that says so, and learns when it is right."""

import random
from dataclasses import replace

from ..generators.decisions import Decision

# What the worker reads behind the options of a choice; `head.abstain` of the package.
ABSTAIN = "none of these"
FEWEST_OPTIONS = 3


def leave_out(decisions: list[Decision], share: float, chance: random.Random) -> list[Decision]:
    """The same questions; of so many of the choices the right option is gone."""
    return [without_answer(one) if can_lose(one) and chance.random() < share else one for one in decisions]


def can_lose(decision: Decision) -> bool:
    """Who has "none of them" as an option could still answer."""
    named = any(key == ABSTAIN for key, _ in decision.options)
    return decision.type == "choice" and len(decision.options) >= FEWEST_OPTIONS and not named


def without_answer(decision: Decision) -> Decision:
    """The choice without its right option; none of the others is right."""
    options = tuple(option for option in decision.options if option[0] != decision.answer)
    return replace(decision, options=options, answer=None)
