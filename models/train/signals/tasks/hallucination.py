"""Parts of an answer that its context does not support."""

import hashlib
import random
from dataclasses import replace
from pathlib import Path

from ..examples import Example, Span, TaskData, read_rows, sample, split_by_source
from ..generated import generated
from ..layouts import UNSUPPORTED, grounded_example
from ..written import written

# Rows whose context is longer teach little, because a row is cut to what the model reads at once. They are measured
# like all others: the worker reads a long context in windows.
CONTEXT_CHARACTERS = 1200


def read(data: Path, seed: int) -> TaskData:
    chance = random.Random(seed)
    edits, unseen_edits = split_by_source(of_file(data, "summedits"), 0.2, chance)
    questions, unseen_questions = split_by_source(by_row(of_file(data, "halueval_qa")), 0.25, chance)
    train = generated("hallucination", "train", 9000) + written("hallucination") + sample(readable(edits), 3000, chance) + readable(questions)
    unseen = {
        "summedits": unseen_edits,
        "halueval_qa": unseen_questions,
        "contrast": generated("hallucination", "contrast", 500),
    }
    return TaskData(train, generated("hallucination", "validation", 800), unseen)


def of_file(data: Path, name: str) -> list[Example]:
    """Rows with a context and spans; what is said to be wrong without a place teaches no span."""
    examples = []
    for row in read_rows(data, f"hallucination/{name}"):
        context, answer, spans = row["context"].strip(), row["answer"], row.get("spans", [])
        if not context or (row["label"] == 1 and not spans):
            continue
        places = tuple(Span(span["start"], span["end"], UNSUPPORTED) for span in spans) if row["label"] == 1 else ()
        examples.append(grounded_example(context, row.get("question"), answer, row["source"], places))
    return examples


def readable(examples: list[Example]) -> list[Example]:
    return [example for example in examples if len(example.first or "") <= CONTEXT_CHARACTERS]


def by_row(examples: list[Example]) -> list[Example]:
    """Both answers to a question share a source of their own."""
    return [replace(row, source=f"{row.source}/{hash_of(row.first)}") for row in examples]


def hash_of(text: str | None) -> str:
    return hashlib.sha256((text or "").encode()).hexdigest()[:12]
