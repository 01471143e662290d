"""Trains the domain head: a linear layer over the frozen sentence vector of the stored package, and its figures."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file
from sklearn.linear_model import LogisticRegression

from .domain_data import Prompt, assign_folds, choose_test_sources, read_domain_data
from .domain_measure import fit_temperature, macro_f1, measure, rounded
from .packages import HEAD_FILE, LABELS, MINILM
from .reference import BertReference
from .results import report_progress, write_result

FOLDS = 3
# Templated questions differ in their numbers only: above this cosine a training row is a copy of a held-out one.
NEAR_DUPLICATE_COSINE = 0.95
# MMLU-Pro calls accounting "other"; people who ask about a profit and loss statement mean business. Measured, not trained.
UNTRAINED_SOURCES = ("ori_mmlu-professional_accounting",)


@dataclass(frozen=True)
class Recipe:
    """Weights relative to the exam questions' total, and scikit-learn's inverse regularisation strength."""

    generated: float
    borrowed: float
    strength: float


RECIPES = tuple(
    Recipe(generated, borrowed, strength)
    for generated in (3, 6)
    for borrowed in (0.5, 1)
    for strength in (0.1, 0.2, 0.4)
)


@dataclass(frozen=True)
class Rows:
    """Sentence vectors [rows, dimension] with label numbers and sources."""

    vectors: np.ndarray
    labels: np.ndarray
    sources: np.ndarray

    def where(self, mask: np.ndarray) -> "Rows":
        return Rows(self.vectors[mask], self.labels[mask], self.sources[mask])


@dataclass(frozen=True)
class Head:
    """A linear layer [labels, dimension]; `logits` divides by the temperature."""

    weight: np.ndarray
    bias: np.ndarray
    temperature: float = 1.0

    def logits(self, rows: Rows) -> np.ndarray:
        return (rows.vectors @ self.weight.T + self.bias) / self.temperature


@dataclass(frozen=True)
class Trainer:
    """The prompts that train beside whatever part of the exam a split leaves."""

    exam: Rows
    generated: Rows
    borrowed: Rows

    def fit(self, allowed: np.ndarray, recipe: Recipe) -> Head:
        """A head trained on the allowed exam rows that are no near-duplicates of the others."""
        mask = allowed & ~np.isin(self.exam.sources, UNTRAINED_SOURCES)
        if not allowed.all():
            held_out = self.exam.vectors[~allowed]
            mask &= ~near_any(self.exam.vectors, held_out)
        exam = self.exam.where(mask)
        # Borrowed prompts exist for a few labels: each gets its share of what generated prompts give to one label.
        borrowed = recipe.generated * recipe.borrowed * len(np.unique(self.borrowed.labels)) / len(LABELS)
        parts = ((exam, 1.0), (self.generated, recipe.generated), (self.borrowed, borrowed))
        return fit_head(parts, recipe.strength * len(self.exam.labels))


def train_domain_head(data_folder: Path) -> None:
    """Writes `heads.safetensors` and `results/domain_head.json`."""
    data = read_domain_data(data_folder)
    model = BertReference(MINILM.folder, np.float32)
    trainer = Trainer(*(embed(model, name, getattr(data, name)) for name in ("exam", "generated", "borrowed")))
    measured = {name: embed(model, name, prompts) for name, prompts in data.measured.items()}
    single_label = {name: embed(model, name, prompts) for name, prompts in data.single_label.items()}

    exam = trainer.exam
    test = np.isin(exam.sources, sorted(choose_test_sources(data.exam)))
    fold_of = assign_folds([prompt for prompt, used in zip(data.exam, test) if not used], FOLDS)
    folds = np.array([fold_of.get(source, -1) for source in exam.sources])

    tried = {recipe: validate(trainer, recipe, folds, test, measured["chat validation"]) for recipe in RECIPES}
    recipe = max(RECIPES, key=lambda recipe: tried[recipe]["exam"] + tried[recipe]["chat"])
    unseen = predict_folds(trainer, recipe, folds, test)
    everything = np.ones(len(exam.labels), bool)
    head = trainer.fit(everything, recipe)
    chat = measured["chat validation"]
    temperature = fit_temperature([(unseen[~test], exam.labels[~test]), (head.logits(chat), chat.labels)])
    head = replace(store_head(head), temperature=temperature)

    tested = replace(trainer.fit(~test, recipe), temperature=temperature)
    write_result(
        "domain_head",
        {
            "recipe": asdict(recipe),
            "temperature": temperature,
            "rows": {name: len(getattr(trainer, name).labels) for name in ("exam", "generated", "borrowed")},
            "selection": [asdict(recipe) | scores for recipe, scores in tried.items()],
            "unseen exam sub-sources, never used to choose": {
                "sub_sources": sorted(set(exam.sources[test])),
                **measure(tested.logits(exam.where(test)), exam.labels[test], LABELS),
            },
            "unseen exam sub-source, each left out once": measure(
                leave_one_source_out(trainer, recipe) / temperature, exam.labels, LABELS, exam.sources
            ),
            "in distribution, random rows": measure(
                predict_folds(trainer, recipe, random_folds(len(test)), ~everything) / temperature, exam.labels, LABELS
            ),
            **{name: measure(head.logits(rows), rows.labels, LABELS) for name, rows in measured.items()},
            "recall on unseen single-label sources": {
                name: rounded((head.logits(rows).argmax(axis=1) == rows.labels).mean())
                for name, rows in single_label.items()
            },
            "chat validation errors": list_errors(head, chat, data.measured["chat validation"]),
        },
    )


def embed(model: BertReference, name: str, prompts: list[Prompt]) -> Rows:
    vectors = model.embed([prompt.text for prompt in prompts], report_progress(f"embed: {name}", len(prompts)))
    labels = np.array([LABELS.index(prompt.label) for prompt in prompts])
    return Rows(vectors, labels, np.array([prompt.source for prompt in prompts]))


def fit_head(parts: tuple[tuple[Rows, float], ...], strength: float) -> Head:
    """Multinomial logistic regression in which each part counts its share, in it each label, in that each source."""
    weights = np.concatenate([share * balance(rows) for rows, share in parts])
    classifier = LogisticRegression(C=strength, max_iter=1000, tol=1e-5)
    classifier.fit(
        np.concatenate([rows.vectors for rows, _ in parts]),
        np.concatenate([rows.labels for rows, _ in parts]),
        sample_weight=weights,
    )
    return Head(classifier.coef_, classifier.intercept_)


def balance(rows: Rows) -> np.ndarray:
    """Weights that sum to 1: equal labels, and equal sources within a label."""
    weights = np.zeros(len(rows.labels))
    labels = np.unique(rows.labels)
    for label in labels:
        sources = np.unique(rows.sources[rows.labels == label])
        for source in sources:
            mask = (rows.labels == label) & (rows.sources == source)
            weights[mask] = 1 / len(labels) / len(sources) / mask.sum()
    return weights


def validate(trainer: Trainer, recipe: Recipe, folds: np.ndarray, test: np.ndarray, chat: Rows) -> dict[str, float]:
    """Macro F1 on exam sub-sources and on chat prompts that the training does not see."""
    exam = trainer.exam
    predicted = predict_folds(trainer, recipe, folds, test)[~test].argmax(axis=1)
    chat_predicted = trainer.fit(~test, recipe).logits(chat).argmax(axis=1)
    scores = {
        "exam": rounded(macro_f1(exam.labels[~test], predicted, len(LABELS))),
        "chat": rounded(macro_f1(chat.labels, chat_predicted, len(LABELS))),
    }
    print(f"select: {recipe} {scores}", flush=True)
    return scores


def predict_folds(trainer: Trainer, recipe: Recipe, folds: np.ndarray, never: np.ndarray) -> np.ndarray:
    """Logits of every exam row by a head that saw neither its fold nor the rows that may never train."""
    logits = np.zeros((len(folds), len(LABELS)))
    for fold in range(folds.max() + 1):
        held_out = folds == fold
        logits[held_out] = trainer.fit(~held_out & ~never, recipe).logits(trainer.exam.where(held_out))
    return logits


def leave_one_source_out(trainer: Trainer, recipe: Recipe) -> np.ndarray:
    names = sorted(set(trainer.exam.sources))
    folds = np.array([names.index(source) for source in trainer.exam.sources])
    return predict_folds(trainer, recipe, folds, np.zeros(len(folds), bool))


def random_folds(rows: int) -> np.ndarray:
    return np.random.default_rng(3).permutation(rows) % 5


def near_any(vectors: np.ndarray, others: np.ndarray) -> np.ndarray:
    return (vectors.astype(np.float32) @ others.astype(np.float32).T).max(axis=1) > NEAR_DUPLICATE_COSINE


def store_head(head: Head) -> Head:
    """The head as it is read back from the package, so that the figures are those of what is stored."""
    # safetensors writes the memory as it lies, and scikit-learn's matrix may lie column by column.
    tensors = {
        "domain.weight": np.ascontiguousarray(head.weight, np.float32),
        "domain.bias": np.ascontiguousarray(head.bias, np.float32),
    }
    path = MINILM.folder / HEAD_FILE
    save_file(tensors, path, metadata={"format": "pt"})
    stored = load_file(path)
    return Head(stored["domain.weight"], stored["domain.bias"])


def list_errors(head: Head, rows: Rows, prompts: list[Prompt]) -> list[str]:
    predicted = head.logits(rows).argmax(axis=1)
    wrong = np.flatnonzero(predicted != rows.labels)
    return [f"{prompts[row].label} read as {LABELS[predicted[row]]}: {prompts[row].text}" for row in wrong]
