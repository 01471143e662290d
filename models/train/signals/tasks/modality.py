"""Whether a prompt wants a text, an image or both."""

import random
from pathlib import Path

from ...natural import read_natural, read_prompts_of_users
from ..copies import without_copies
from ..examples import TaskData, labelled, read_rows, sample
from ..generated import generated
from ..written import TIMES, written

TRAINED = {"ar_from_other_tasks": 2500, "t2i_compbench": 1200, "tifa": 1200, "dpg": 500}
UNSEEN = {"parti": 400, "geneval": 100, "upstream_both_seeds": 75}


def read(data: Path, seed: int) -> TaskData:
    chance = random.Random(seed)
    train = generated("modality", "train", 8000) + written("modality")
    for name, count in TRAINED.items():
        train += sample(labelled(read_rows(data, f"modality/{name}")), count, chance)
    natural, measured = read_natural("modality")
    train += natural * TIMES
    public = [row for name, count in UNSEEN.items() for row in sample(labelled(read_rows(data, f"modality/{name}")), count, chance)]
    public += sample(labelled(read_rows(data, "unlabelled/selfinstruct_seeds"), "AR"), 150, chance)
    measured += without_copies(read_prompts_of_users("modality", data), public)
    unseen = {"public": public, "natural": measured, "contrast": generated("modality", "contrast", 500)}
    return TaskData(train, generated("modality", "validation", 1000), unseen)
