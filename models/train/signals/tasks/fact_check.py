"""Whether an answer needs checkable facts about the world."""

import random
from pathlib import Path

from ...natural import read_natural, read_prompts_of_users
from ..examples import TaskData, labelled, read_rows, sample
from ..generated import generated
from ..written import written

TRAINED = {
    "gpteacher_codegen": ("no_fact_check", 1500),
    "gpteacher_roleplay": ("no_fact_check", 1500),
    "nq_efficientqa": ("fact_check", 800),
    "query_wellformedness": ("fact_check", 2500),
}
UNSEEN = {
    "gsm8k": "no_fact_check",
    "humaneval": "no_fact_check",
    "truthfulqa": "fact_check",
    "webquestions": "fact_check",
}


def read(data: Path, seed: int) -> TaskData:
    chance = random.Random(seed)
    train = generated("fact_check", "train", 7000) + written("fact_check")
    for name, (label, count) in TRAINED.items():
        train += sample(labelled(read_rows(data, f"fact_check/{name}"), label), count, chance)
    # Each file has one label only, so together they are one set.
    public = [
        row
        for name, label in UNSEEN.items()
        for row in sample(labelled(read_rows(data, f"fact_check/{name}"), label), 300, chance)
    ]
    natural, measured = read_natural("fact_check")
    train += natural
    measured += read_prompts_of_users("fact_check", data)
    unseen = {"single-label files": public, "natural": measured, "contrast": generated("fact_check", "contrast", 500)}
    return TaskData(train, generated("fact_check", "validation", 1000), unseen)
