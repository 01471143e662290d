"""Texts of every kind in the data folder, to measure a package on more than the texts of one task."""

import gzip
import json
import random
from pathlib import Path

TEXT_KEYS = ("text", "text_a", "answer", "state", "context")


def read_varied_texts(data_folder: Path, texts_per_file: int, seed: int = 7) -> list[str]:
    """A seeded sample from every JSON Lines file that holds texts."""
    sample = []
    for path in sorted(data_folder.glob("*/*.jsonl.gz")):
        rows = (json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8"))
        texts = sorted({text for row in rows if (text := first_text(row))})
        sample += random.Random(seed).sample(texts, min(texts_per_file, len(texts)))
    return sample


def first_text(row: dict) -> str | None:
    values = (row.get(key) for key in TEXT_KEYS)
    return next((value for value in values if isinstance(value, str) and value.strip()), None)
