"""The outcome matrix: which public models answered which exam question rightly, and what a call of each costs."""

import csv
import gzip
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from .prices import CHARACTERS_A_TOKEN, Price, read_prices

# A model whose answers are missing is missing whole subjects, so the rest would flatter or slander it.
MISSING_ALLOWED = 0.01
# "The answer is (B)." and no reasoning: where most replies are so, the run differed between subjects, not the model.
BARE_CHARACTERS = 40
BARE_ALLOWED = 0.5


@dataclass(frozen=True)
class Model:
    """A model of the matrix: its price and how many tokens it writes to reason about one question."""

    name: str
    price: Price
    completion_tokens: float


@dataclass(frozen=True)
class Outcomes:
    """`right` is 1 or 0 [rows, models]; `costs` are US dollars per thousand calls [rows, models].

    `domains` are what splits go by, `sources` the exams within them, whose questions are alike.
    """

    models: tuple[Model, ...]
    texts: tuple[str, ...]
    domains: np.ndarray
    sources: np.ndarray
    right: np.ndarray
    costs: np.ndarray

    def where(self, rows: np.ndarray) -> "Outcomes":
        """The rows of a mask or of row numbers."""
        numbers = np.arange(len(self.texts))[rows]
        texts = tuple(self.texts[row] for row in numbers)
        parts = {name: getattr(self, name)[numbers] for name in ("domains", "sources", "right", "costs")}
        return replace(self, texts=texts, **parts)


def read_outcomes(data_folder: Path) -> tuple[Outcomes, dict[str, str]]:
    """The complete rows of the sound models, and why each other model is left out."""
    matrix = read_table(data_folder / "router" / "mmlu_pro_model_matrix.csv.gz")
    asked = read_table(data_folder / "router" / "mmlu_pro_questions.csv.gz")
    questions = {row["question_id"]: row["text"].strip() for row in asked}
    names = [name.removesuffix(":ok") for name in matrix[0] if name.endswith(":ok")]
    right = read_columns(matrix, names, "ok")
    characters = read_columns(matrix, names, "out_chars")

    excluded = find_unsound(names, right, characters)
    kept = [number for number, name in enumerate(names) if name not in excluded]
    rows = np.flatnonzero(~np.isnan(right[:, kept]).any(axis=1))
    used = tuple(names[number] for number in kept)
    models = tuple(
        Model(name, price, count_completion_tokens(characters[:, number]))
        for name, number, price in zip(used, kept, read_prices(data_folder, used))
    )
    texts = tuple(questions[matrix[row]["question_id"]] for row in rows)
    domains, sources = (np.array([matrix[row][column] for row in rows]) for column in ("category", "src"))
    return Outcomes(models, texts, domains, sources, right[np.ix_(rows, kept)], price_calls(models, texts)), excluded


def find_unsound(names: list[str], right: np.ndarray, characters: np.ndarray) -> dict[str, str]:
    """Models of which the matrix says too little, with the reason."""
    reasons = {}
    for name, outcomes, lengths in zip(names, right.T, characters.T):
        missing, bare = np.isnan(outcomes).mean(), (lengths < BARE_CHARACTERS).mean()
        if missing > MISSING_ALLOWED:
            reasons[name] = f"{missing:.1%} of the answers are missing"
        elif bare > BARE_ALLOWED:
            reasons[name] = f"{bare:.1%} of the answers are bare letters without reasoning"
    return reasons


def count_completion_tokens(characters: np.ndarray) -> float:
    """Mean tokens of a reply that reasons; bare letters would make a model look as cheap as its evaluation was."""
    return round(float(np.nanmean(characters[characters >= BARE_CHARACTERS])) / CHARACTERS_A_TOKEN, 1)


def price_calls(models: tuple[Model, ...], texts: tuple[str, ...]) -> np.ndarray:
    """US dollars per thousand calls [texts, models]: the prompt as it is, and the model's mean completion."""
    prompt_tokens = np.array([len(text) / CHARACTERS_A_TOKEN for text in texts])
    prompt = np.array([model.price.prompt for model in models])
    completion = np.array([model.price.completion * model.completion_tokens for model in models])
    return (prompt_tokens[:, None] * prompt + completion) / 1000


def read_table(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_columns(rows: list[dict[str, str]], names: list[str], kind: str) -> np.ndarray:
    """Numbers [rows, names], NaN where the table has none."""
    return np.array([[float(row[f"{name}:{kind}"] or "nan") for name in names] for row in rows])
