"""What a user's turn says of the answer before it, in a router's words."""

import random
from pathlib import Path

from ...natural import read_natural
from ..examples import Example, TaskData, labelled, read_rows, sample
from ..generated import generated
from ..layouts import feedback_example
from ..written import TIMES, written

# Dialogues about flights and restaurants: many rows, few ways to say it.
TRAINED = {"sgd": 4000}
UNSEEN = ("hwu64", "iard")


def read(data: Path, seed: int) -> TaskData:
    chance = random.Random(seed)
    train = generated("feedback", "train", 8000) + generated("feedback_recommendations", "train", 4000)
    train += written("feedback") + ordinary(data, chance)
    for name, count in TRAINED.items():
        train += sample(of_file(data, name), count, chance)
    unseen = {name: of_file(data, name) for name in UNSEEN}
    natural, unseen["natural"] = read_natural("feedback")
    train += natural * TIMES
    unseen["contrast"] = generated("feedback", "contrast", 500)
    return TaskData(train, generated("feedback", "validation", 1000), unseen)


def of_file(data: Path, name: str) -> list[Example]:
    rows = read_rows(data, f"feedback/{name}")
    return [feedback_example(row["text"], row.get("previous"), row["source"], row["label"]) for row in rows]


def ordinary(data: Path, chance: random.Random) -> list[Example]:
    names = ("fact_check/gpteacher_codegen", "fact_check/nq_efficientqa", "modality/tifa", "domain/mmlu_pro")
    return [row for name in names for row in sample(labelled(read_rows(data, name), "NONE"), 300, chance)]
