"""What people answer when something was recommended to them: a film, a dress, a restaurant. They rarely say "good" or "wrong", but
that they will have a look, that they pass, or what they want to know first. Labels as in `feedback`."""

import random

from .deal import Split
from .grammar import Grammar, draw_distinct
from .row import Row
from .texture import roughen

LABELS = {"SAT": 32, "WANT_DIFFERENT": 34, "NEED_CLARIFICATION": 20, "WRONG_ANSWER": 6, "NONE": 8}
MAX_REPEATS = 4
# People often write several short messages in a row.
TWO_SENTENCES = 0.3


def generate(split: Split, chance: random.Random, count: int) -> list[Row]:
    """Rows of one split, each with the recommendation before it."""
    grammar = Grammar("recommendations", split)
    return draw_distinct(lambda: draw_row(grammar, chance), count, MAX_REPEATS)


def draw_row(grammar: Grammar, chance: random.Random) -> Row:
    label = chance.choices(list(LABELS), list(LABELS.values()))[0]
    frame = grammar.pick_frame(label, chance)
    text = grammar.fill(frame.text, chance)
    if chance.random() < TWO_SENTENCES:
        second = grammar.fill(grammar.pick_frame(label, chance).text, chance)
        text = f"{text}{chance.choice([' ', '...', '. ' if text[-1] not in '.!?' else ' '])}{second}"
    return Row(
        text=roughen(text, chance, frame.language),
        label=label,
        previous=grammar.fill(chance.choice(grammar.lists["suggest"]), chance),
        source=f"generated/feedback_recommendations/{frame.id}",
        language=frame.language,
    )
