"""One module a head: which texts teach it, which tune it, and which only measure."""

import hashlib

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ..examples import SPLIT_SEED, TaskData, identity
from . import domain, fact_check, feedback, hallucination, jailbreak, modality, pii

READERS: dict[str, Callable[[Path, int], TaskData]] = {
    "domain": domain.read,
    "jailbreak": jailbreak.read,
    "fact_check": fact_check.read,
    "feedback": feedback.read,
    "modality": modality.read,
    "pii": pii.read,
    "hallucination": hallucination.read,
}
# Of every unseen set, one row of so many only fits temperature and threshold and measures nothing.
TUNING_SHARE = 3


def read_tasks(data: Path) -> dict[str, TaskData]:
    """All heads. What measures one of them trains none, because they share an encoder."""
    return apart({name: read_task(name, data) for name in READERS})


def apart(tasks: dict[str, TaskData]) -> dict[str, TaskData]:
    """The same tasks without training texts that measure one of them."""
    measured = {identity(example) for task in tasks.values() for examples in task.unseen.values() for example in examples}
    kept = lambda task: [example for example in task.train if identity(example) not in measured]  # noqa: E731
    return {name: replace(task, train=kept(task)) for name, task in tasks.items()}


def read_task(name: str, data: Path) -> TaskData:
    """The texts of a head. What a temperature is fitted on has to be like what the head meets, so a part of every unseen
    set is among it; that part is not measured."""
    task = READERS[name](data, SPLIT_SEED)
    moved = [example for examples in task.unseen.values() for example in examples if tunes(example.text)]
    unseen = {part: [example for example in examples if not tunes(example.text)] for part, examples in task.unseen.items() if examples}
    return TaskData(task.train, task.tuning + moved, unseen)


def tunes(text: str) -> bool:
    """Whether the row of this text is one that fits temperatures; the same rows in every run."""
    return hashlib.sha256(text.encode()).digest()[0] % TUNING_SHARE == 0
