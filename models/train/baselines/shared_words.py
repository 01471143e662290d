"""Typed questions by rules: the option that shares most words with the state, else the commoner answer."""

import re
from collections import Counter, defaultdict

from ..generators.decisions import Decision

WORD = re.compile(r"\w+")


def learn_commonest(decisions: list[Decision]) -> dict[tuple[str, int], object]:
    """By type and number of options: the commonest answer of questions whose answers have an order of their own."""
    answers: dict[tuple[str, int], Counter[object]] = defaultdict(Counter)
    for decision in decisions:
        if decision.type in ("noul", "score"):
            answers[decision.type, len(decision.options)][decision.answer] += 1
    return {key: counts.most_common(1)[0][0] for key, counts in answers.items()}


def answer_by_shared_words(decision: Decision, commonest: dict[tuple[str, int], object]) -> str | int | bool:
    """A key, the index of a level, or a truth value; of two options that share as much, the first."""
    if decision.type in ("noul", "score"):
        fallback = False if decision.type == "noul" else len(decision.options) // 2
        return commonest.get((decision.type, len(decision.options)), fallback)
    words = words_of(decision.state)

    def shared(key: str, text: str | None) -> float:
        own = words_of(f"{key} {text or ''}")
        return len(own & words) / max(len(own), 1)

    return max(decision.options, key=lambda option: shared(*option))[0]


def words_of(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text.replace("_", " "))}
