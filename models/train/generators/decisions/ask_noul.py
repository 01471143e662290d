"""Noul: statements and questions about a state, plain, negated, half true, and about what is not said."""

import random

from .decision import Decision, Option
from .library import Library
from .scene import draw_scene, pick_attribute
from .statements import draw_statements, find_false
from .wording import put_in, vary

ABSENT_SHARE = 0.12
TWO_SHARE = 0.25
HARD_TWO_SHARE = 0.5
EITHER_MEANING_SHARE = 0.15
NEGATED_SHARE = 0.3


def ask_noul(library: Library, chance: random.Random) -> Decision | None:
    if chance.random() < (HARD_TWO_SHARE if library.split == "contrast" else TWO_SHARE):
        return ask_two(library, chance)
    genre, attribute = pick_attribute(library, chance)
    truth = chance.random() < 0.5
    value = chance.choice(attribute.values)
    keys: tuple[str, ...] = (value.key,)
    if attribute.kind == "many":
        keys += tuple(other.key for other in chance.sample(attribute.values, chance.randint(0, 3)) if other.key != value.key)
    if not truth:
        absent = attribute.kind == "one" and chance.random() < ABSENT_SHARE * 2
        keys = () if absent else keys
        wrong = find_false(attribute, keys)
        if not wrong:
            return None
        value = attribute.get(chance.choice(wrong))
    state = draw_scene(library, genre, attribute, keys, chance)
    instructions, options, answer = word_noul(library, value.says, truth, chance)
    return Decision(
        state.text, "noul", vary(library, genre, instructions, chance), options, answer,
        f"{attribute.id}/noul", f"generated/decisions/{attribute.id}",
    )


def ask_two(library: Library, chance: random.Random) -> Decision | None:
    """Two clauses: both must hold, or one of them."""
    drawn = draw_statements(library, chance, min_attributes=1)
    if drawn is None:
        return None
    state, anchor, true, false = drawn
    first, second = chance.choice([(True, True), (True, True), (True, False), (False, True), (False, False)])
    try:
        one = chance.choice(true if first else false)
        other = chance.choice([says for says in (true if second else false) if says != one])
    except IndexError:
        return None
    both = chance.random() < 0.65
    frame = chance.choice(library.wordings["noul_both" if both else "noul_either"])
    says = put_in(put_in(frame, "says", one), "other", other)
    truth = (first and second) if both else (first or second)
    instructions, options, answer = word_noul(library, says, truth, chance, negated_share=0.1)
    return Decision(
        state.text, "noul", vary(library, state.genre, instructions, chance), options, answer,
        f"{anchor.id}/two_statements", f"generated/decisions/{anchor.id}",
    )


def word_noul(
    library: Library, says: str, truth: bool, chance: random.Random, negated_share: float = NEGATED_SHARE,
) -> tuple[str, tuple[Option, Option], bool]:
    """Instructions, the two options and the answer; a negated wording turns the answer."""
    if chance.random() < EITHER_MEANING_SHARE:
        no = chance.choice(["the text does not say that {says}", "it is not so that {says}", "not: {says}", "anything else"])
        options = (("false", put_in(no, "says", says)), ("true", says))
        return chance.choice(library.wordings["either_meaning"]), options, truth
    negated = chance.random() < negated_share * (1.5 if library.split == "contrast" else 1)
    instructions = put_in(chance.choice(library.wordings["noul_negated" if negated else "noul"]), "says", says)
    meanings = chance.choice(library.wordings["meanings"]) if chance.random() < 0.4 else (None, None)
    return instructions, (("false", meanings[0]), ("true", meanings[1])), truth != negated
