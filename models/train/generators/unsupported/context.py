"""Contexts: what is told of one thing, with a second thing of the same topic and stray sentences to distract."""

import random

from .values import LISTS
from .world import Thing, say


def tell(main: Thing, told: list[dict], other: Thing | None, other_told: list[dict], remark: str, chance: random.Random) -> str:
    """Two to about ten sentences as prose, list or numbered passages; the remark stands at the end of the main block."""
    blocks = [[*tell_block(main, told, chance), *([remark] if remark else [])]] + ([tell_block(other, other_told, chance)] if other else [])
    if chance.random() < 0.4:
        blocks.reverse()
    for sentence in chance.sample(LISTS["noise"], chance.choice((0, 0, 1, 2))):
        chance.choice(blocks).append(sentence)
    shape = chance.random()
    if shape < 0.55:
        return (" " if chance.random() < 0.5 else "\n\n").join(" ".join(block) for block in blocks)
    if shape < 0.70:
        return "\n".join("- " + sentence for block in blocks for sentence in block)
    if shape < 0.85:
        return "\n".join(f"[{number}] " + " ".join(block) for number, block in enumerate(blocks, 1))
    return "\n".join(sentence for block in blocks for sentence in block)


def tell_block(thing: Thing, facts: list[dict], chance: random.Random) -> list[str]:
    style, sentences = chance.randrange(12), []
    for fact in chance.sample(facts, len(facts)):
        frame = chance.choice(fact["tell"])
        if not sentences and "{S}" not in frame:
            sentences.append(chance.choice(("{S}:", "About {S}.", "This is about {S}.", "Subject: {S}.")).replace("{S}", thing.name))
        elif sentences and chance.random() < 0.4:
            frame = frame.replace("The {S} project", thing.topic["alias"]).replace("The class of {S}", thing.topic["alias"]).replace("The {S} plan", thing.topic["alias"]).replace("the {S}", thing.topic["alias"]).replace("The {S}", thing.topic["alias"])
        sentences.append("".join(text for text, _ in say(thing.tokens(fact, frame), thing, style)))
    return sentences
