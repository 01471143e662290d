"""Yes-or-no questions about the options of a choice: whether one of them is what the state is about."""

import json
import random
from dataclasses import replace
from typing import Literal

from ..grammar import WORDS
from .decision import Decision
from .wording import put_in

CLAIMS: dict[str, dict[str, list[str]]] = json.loads((WORDS / "decisions_claims.json").read_text(encoding="utf-8"))
NEGATED_SHARE = 0.2


def claim(decision: Decision, wordings: Literal["train", "unseen"], chance: random.Random) -> Decision:
    """Claims one of the options of a choice that has a right one; half of the claims hold, and some are negated, which turns the
    answer."""
    holds, negated = chance.random() < 0.5, chance.random() < NEGATED_SHARE
    key, meaning = chance.choice([option for option in decision.options if (option[0] == decision.answer) == holds])
    frame = chance.choice(CLAIMS[wordings]["negated" if negated else "plain"])
    return replace(
        decision, type="noul", instructions=put_in(frame, "option", meaning or key.replace("_", " ")), options=(("false", None), ("true", None)),
        answer=holds != negated, task=f"{decision.task}/claim",
    )
