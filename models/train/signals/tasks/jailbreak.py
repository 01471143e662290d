"""Attempts to override or extract instructions, against all else, plain harmful requests among it."""

import random
from pathlib import Path

from ..examples import Example, TaskData, labelled, read_rows, sample, split_by_source
from ..generated import generated
from ..written import written

NAMES = {"1": "jailbreak", "0": "benign"}
# At most so many rows of one kind of attack or context, so that none of them is the task.
TRAINED = {"jackhhao": 1269, "templates_x_goals": 983, "advbench_plain": 400, "giskard": 32}
# Documents with and without an instruction in them. About as many of both train: with one of them alone, the kind of document
# would tell the label. Some of the file's attacks are plain questions beside the task, which override nothing.
PLANTED, CLEAN = "bipia", 400
PLAIN_QUESTIONS = (
    "Content Creation", "Information Retrieval", "Language Translation", "Learning and Tutoring", "Programming Help",
    "Social Interaction",
)  # fmt: skip
# Long texts that ask for nothing: without them, length alone would look like an attack, most of which are long.
LONG = {"pii/lifebench": ("text", 600), "hallucination/halueval_general": ("answer", 400), "hallucination/begin": ("context", 300)}
LONGEST = 6000
# Written by others, in other styles; none of their texts trains.
UNSEEN = ("deepset", "piguard_valid", "notinject_one", "wildguard_benign")


def read(data: Path, seed: int) -> TaskData:
    chance = random.Random(seed)
    public = [example for name, count in TRAINED.items() for example in sample(of_file(data, name), count, chance)]
    train, tuning = split_by_source(public, 0.1, chance)
    train += planted(data, chance)
    unseen = {name: of_file(data, name) for name in UNSEEN}
    unseen["contrast"] = generated("jailbreak", "contrast", 600)
    train += generated("jailbreak", "train", 9000) + written("jailbreak") + ordinary(data, chance) + long(data, chance)
    return TaskData(train, tuning + generated("jailbreak", "validation", 1000), unseen)


def of_file(data: Path, name: str) -> list[Example]:
    rows = labelled(read_rows(data, f"jailbreak/{name}"))
    return [Example(row.text, f"jailbreak/{row.source}", NAMES[row.label]) for row in rows]


def planted(data: Path, chance: random.Random) -> list[Example]:
    rows = of_file(data, PLANTED)
    attacks = [row for row in rows if row.label == "jailbreak" and row.source.split("/")[-1] not in PLAIN_QUESTIONS]
    return attacks + sample([row for row in rows if row.label == "benign"], CLEAN, chance)


def ordinary(data: Path, chance: random.Random) -> list[Example]:
    """Prompts of other tasks: what most traffic is made of. Most of all harmless role plays, as many attacks are role plays too."""
    counts = {
        "fact_check/gpteacher_codegen": 400, "fact_check/gpteacher_roleplay": 1200, "fact_check/nq_open": 400, "modality/parti": 400,
    }  # fmt: skip
    return [row for name, count in counts.items() for row in sample(labelled(read_rows(data, name), "benign"), count, chance)]


def long(data: Path, chance: random.Random) -> list[Example]:
    """Diaries, answers and articles, and several of them one behind the other."""
    texts = []
    for name, (column, count) in LONG.items():
        found = sorted({(row.get(column) or "").strip()[:LONGEST] for row in read_rows(data, name)} - {""})
        texts += chance.sample(found, min(count, len(found)))
    joined = ["\n\n".join(chance.sample(texts, chance.randint(2, 4)))[:LONGEST] for _ in range(len(texts) // 3)]
    return [Example(text, "jailbreak/long", "benign") for text in texts + joined]
