"""What a user's turn says of the answer before it, in a router's words."""

import random
from pathlib import Path

from ..examples import Example, TaskData, labelled, read_rows, sample
from ..generated import generated

# The answer that the turn is about stands behind it, so that cutting a long row cuts the answer first.
WITH_PREVIOUS = "{text}\n\nassistant: {previous}"
PREVIOUS_CHARACTERS = 600
# Dialogues about flights and restaurants: many rows, few ways to say it.
TRAINED = {"sgd": 4000}
UNSEEN = ("hwu64", "iard")


def read(data: Path, seed: int) -> TaskData:
    chance = random.Random(seed)
    train = generated("feedback", "train", 8000) + ordinary(data, chance)
    for name, count in TRAINED.items():
        train += sample(of_file(data, name), count, chance)
    unseen = {name: of_file(data, name) for name in UNSEEN}
    unseen["contrast"] = generated("feedback", "contrast", 500)
    return TaskData(train, generated("feedback", "validation", 1000), unseen)


def of_file(data: Path, name: str) -> list[Example]:
    examples = []
    for row in read_rows(data, f"feedback/{name}"):
        text, previous = row["text"], row.get("previous")
        examples.append(Example(layout(text, previous), row["source"], row["label"], parts=parts(text, previous)))
    return examples


def layout(text: str, previous: str | None) -> str:
    """The text that the head reads."""
    text = text.strip()
    return WITH_PREVIOUS.format(text=text, previous=previous.strip()[:PREVIOUS_CHARACTERS]) if previous else text


def parts(text: str, previous: str | None) -> dict[str, str]:
    """What `layout` puts together."""
    return {"text": text.strip()} | ({"previous": previous} if previous else {})


def ordinary(data: Path, chance: random.Random) -> list[Example]:
    names = ("fact_check/gpteacher_codegen", "fact_check/nq_efficientqa", "modality/tifa", "domain/mmlu_pro")
    return [row for name in names for row in sample(labelled(read_rows(data, name), "NONE"), 300, chance)]
