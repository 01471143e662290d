"""Ordinary prompts of users without anybody's private data: what guards should leave alone.

`seeds/ordinary.txt` marks the prompts that were kept, by hash. All prompts in English of at most 1,500 characters and a sample of those
up to 4,000, without addresses of mail and net, were read one by one. Dropped was what names a private person, invented ones too, or tells
the age, illness with age, address or account of somebody, and the few that might be taken for an attempt to change a model's instructions.
Public figures, authors and characters of well-known works stayed, and so did crude and harmful requests.
"""

import hashlib
from pathlib import Path

from .signals.examples import Example, identity, read_rows

# These measure; the other files of the folder train.
FILES = ("koala", "oasst_eval", "mt_bench_vicuna", "support_bots", "autoj")
KEPT = Path(__file__).parent / "seeds" / "ordinary.txt"


def read_ordinary(data: Path, label: str | None = None) -> list[Example]:
    """Each text once. The source is the file and, behind a stroke, the kind of prompt."""
    kept, found = set(KEPT.read_text(encoding="utf-8").split()), {}
    for name in FILES:
        for row in read_rows(data, f"ordinary/{name}"):
            example = Example(row["text"].strip(), f"ordinary/{row['source']}", label)
            if mark(example) in kept:
                found.setdefault(mark(example), example)
    return list(found.values())


def mark(example: Example) -> str:
    return hashlib.sha256(" ".join(identity(example)).encode()).hexdigest()[:12]
