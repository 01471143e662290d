"""The texts of the domain head: exam questions by sub-source, prompts that also train, and prompts that only measure."""

import gzip
import hashlib
import json
import random
from dataclasses import dataclass
from pathlib import Path

from .domain_seeds import generate_seeds

SEEDS = Path(__file__).parent / "seeds"
SAMPLE_SEED = 5
UNLABELLED = ("selfinstruct_seeds", "arena_hard_v01")


@dataclass(frozen=True)
class Prompt:
    """One labelled text; `source` is what splits go by."""

    text: str
    label: str
    source: str


@dataclass(frozen=True)
class SingleLabelFile:
    """A file of which every text has the same domain."""

    path: str
    text_key: str
    label: str
    rows: int


@dataclass(frozen=True)
class DomainData:
    """`exam`, `generated` and `borrowed` may train; what `measured` holds never does."""

    exam: list[Prompt]
    generated: list[Prompt]
    borrowed: list[Prompt]
    measured: dict[str, list[Prompt]]


BORROWED = (
    SingleLabelFile("fact_check/gpteacher_codegen", "text", "computer science", 300),
    SingleLabelFile("decisions/snips", "state", "other", 300),
    SingleLabelFile("modality/parti", "text", "other", 150),
)


def read_domain_data(data_folder: Path) -> DomainData:
    exam = [
        Prompt(row["text"].strip(), row["label"], row["source"].removeprefix("mmlu_pro/"))
        for row in read_rows(data_folder / "domain" / "mmlu_pro.jsonl.gz")
    ]
    measured = {
        "chat validation": read_chat_prompts("validation"),
        "chat test": read_chat_prompts("test"),
        "upstream cases": [
            Prompt(row["text"], row["label"], "upstream cases")
            for row in read_rows(data_folder / "domain" / "upstream_cases.jsonl.gz")
        ],
        "user prompts": read_user_prompts(data_folder),
    }
    excluded = [prompt.text for prompts in measured.values() for prompt in prompts]
    generated = [Prompt(text, label, "generated") for text, label in generate_seeds(excluded)]
    borrowed = [prompt for file in BORROWED for prompt in sample_file(data_folder, file)]
    return DomainData(exam, generated, borrowed, measured)


def read_chat_prompts(split: str) -> list[Prompt]:
    lines = (SEEDS / "chat_prompts.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Prompt(row["text"], row["label"], split) for row in rows if row["split"] == split]


def read_user_prompts(data_folder: Path) -> list[Prompt]:
    """Prompts of real users, labelled by hand by row number; rows of unclear domain have no label and are left out."""
    labels = json.loads((SEEDS / "user_prompt_labels.json").read_text(encoding="utf-8"))
    prompts = []
    for name in UNLABELLED:
        rows = read_rows(data_folder / "unlabelled" / f"{name}.jsonl.gz")
        for label, numbers in labels[name].items():
            prompts += [Prompt(rows[number]["text"].strip(), label, name) for number in numbers]
    return prompts


def sample_file(data_folder: Path, file: SingleLabelFile) -> list[Prompt]:
    rows = read_rows(data_folder / f"{file.path}.jsonl.gz")
    texts = sorted({row[file.text_key].strip() for row in rows})
    chosen = random.Random(SAMPLE_SEED).sample(texts, min(file.rows, len(texts)))
    return [Prompt(text, file.label, file.path) for text in chosen]


def read_rows(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def choose_test_sources(exam: list[Prompt]) -> set[str]:
    """One sub-source per label, the first by hash that holds at most half of the label's rows.

    The rule looks at names and sizes only, so it cannot favour easy sources.
    """
    chosen = set()
    for label in sorted({prompt.label for prompt in exam}):
        sources = [prompt.source for prompt in exam if prompt.label == label]
        small = {source for source in sources if sources.count(source) * 2 <= len(sources)}
        chosen.add(min(small, key=hash_name))
    return chosen


def hash_name(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
