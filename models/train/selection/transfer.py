"""Whether a predictor made from exams holds for prompts of other kinds: one model that a second source knows too."""

import gzip
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score

from ..scores import rounded
from .predictor import Linear
from .vectors import read_vectors

SAMPLE_SEED = 5
ROWS_A_TASK = 100
# The one model that both sources have in the same version: its name there and in the matrix.
SHARED = ("llama-3.1-8b-instruct", "Meta-Llama-3_1-8B-Instruct")
# Left out, because scores there tell of formats and of comparing strings: of models that know the answers, some have
# almost none right (mmlu, gpqa), nearly all have none (trivia_qa), or the score is a share of words (the other two).
UNSOUND_TASKS = ("mmlu", "gpqa", "trivia_qa", "natural_qa", "commongen")


def measure_transfer(data_folder: Path, package_folder: Path, predictor: Linear, names: list[str]) -> dict:
    """By task and over all: rows, share right, mean chance, and the area under the ROC curve."""
    theirs, ours = SHARED
    by_task = read_tasks(data_folder, theirs)
    texts = tuple(text for rows in by_task.values() for text, _ in rows)
    right = np.array([score for rows in by_task.values() for _, score in rows])
    tasks = np.array([task for task, rows in by_task.items() for _ in rows])
    chances = predictor(read_vectors(package_folder, texts, "second source"))[:, names.index(ours)]
    figures = {task: describe(chances[tasks == task], right[tasks == task]) for task in by_task}
    within = float(np.mean([figure["roc_area"] for figure in figures.values()]))
    return {
        "model": ours,
        "left_out": list(UNSOUND_TASKS),
        "tasks": figures,
        "all": describe(chances, right),
        "mean_roc_area_within_tasks": rounded(within),
    }


def read_tasks(data_folder: Path, model: str) -> dict[str, list[tuple[str, int]]]:
    """Up to a hundred prompts of each sound task, and whether the model was right."""
    task_of = {row["query"].strip(): row["task_name"] for row in read_rows(data_folder, "llmrouter_default_query_train")}
    by_task = defaultdict(list)
    for row in read_rows(data_folder, "llmrouter_dcrouter_train"):
        text = row["question"].strip()
        by_task[task_of[text]].append((text, int(row["scores"][model] >= 0.5)))
    chance = np.random.default_rng(SAMPLE_SEED)
    return {
        task: [rows[number] for number in chance.permutation(len(rows))[:ROWS_A_TASK]]
        for task, rows in sorted(by_task.items())
        if task not in UNSOUND_TASKS
    }


def describe(chances: np.ndarray, right: np.ndarray) -> dict:
    return {
        "rows": len(right),
        "right": rounded(right.mean()),
        "mean_chance": rounded(chances.mean()),
        "roc_area": rounded(roc_auc_score(right, chances)),
    }


def read_rows(data_folder: Path, name: str) -> list[dict]:
    with gzip.open(data_folder / "router" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
