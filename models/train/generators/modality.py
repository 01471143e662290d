"""Modality rows. "AR" wants text (also code that draws, a prompt for an image model, words about pictures), "DIFFUSION"
wants an image and no text (a bare caption too), "BOTH" wants a text and an image made for it."""

import random

from .deal import Split
from .grammar import Frame, Grammar, draw_distinct
from .row import Row
from .texture import roughen

LABELS = {"AR": 40, "DIFFUSION": 30, "BOTH": 30}
PAIRS_SHARE = 0.5  # of the contrast split
CONTEXT_SHARE = 0.3


def generate(split: Split, chance: random.Random, count: int) -> list[Row]:
    """Rows of one split: 40 % AR, 30 % DIFFUSION, 30 % BOTH."""
    grammar = Grammar("modality", split)
    return draw_distinct(lambda: draw_row(grammar, split, chance), count)


def draw_row(grammar: Grammar, split: Split, chance: random.Random) -> Row:
    label = chance.choices(list(LABELS), list(LABELS.values()))[0]
    pairs = split == "contrast" and chance.random() < PAIRS_SHARE
    frame = grammar.pick_frame(label, chance, "pairs") if pairs else grammar.pick_frame(label, chance, excluded=("pairs",))
    text = grammar.fill(frame.text, chance)
    if chance.random() < CONTEXT_SHARE:
        text = add_context(text, frame, grammar, chance)
    text = roughen(text, chance, frame.language)
    return Row(text=text, label=label, source=f"generated/modality/{frame.id}", language=frame.language)


def add_context(text: str, frame: Frame, grammar: Grammar, chance: random.Random) -> str:
    """One to three sentences around the request that say nothing about text or image. Captions and code stay alone."""
    if frame.language != "en" or frame.family in ("caption", "code", "long"):
        return text
    before = chance.choice(["", "{before} ", "{before} ", "{before} {before} "])
    after = chance.choice(["", " {after}"])
    text = text if text.endswith((".", "!", "?")) or not after else f"{text}."
    return grammar.fill(before, chance) + text + grammar.fill(after, chance)
