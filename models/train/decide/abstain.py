"""Choices none of whose options fits: the model reads one more option that says so, and learns when it is right."""

import random
import re
from dataclasses import replace

from ..generators.decisions import Decision

# What the worker reads behind the options of a choice; `head.abstain` of the package.
ABSTAIN = "none of these"
FEWEST_OPTIONS = 3
# An option that says it already; the generators' options of this kind among them.
SAYS_NONE = re.compile(r"^(none|other|unknown|not[_ ]|no_answer|n/a|neither)|the text does not say|something else|cannot be told|silent|nothing of this", re.I)
# Some texts list the options themselves, this one among them.
LISTS_NONE = "none of the above"


def leave_out(decisions: list[Decision], share: float, chance: random.Random) -> list[Decision]:
    """The same questions; of so many of the choices the right option is gone."""
    return [without_answer(one) if can_lose(one) and chance.random() < share else one for one in decisions]


def can_lose(decision: Decision) -> bool:
    """Who has "none of them" as an option, in whatever words, could still answer."""
    if decision.type != "choice" or len(decision.options) < FEWEST_OPTIONS or LISTS_NONE in decision.state.lower():
        return False
    return not any(SAYS_NONE.search(text) for option in decision.options for text in option if text)


def without_answer(decision: Decision) -> Decision:
    """The choice without its right option; none of the others is right."""
    options = tuple(option for option in decision.options if option[0] != decision.answer)
    return replace(decision, options=options, answer=None)
