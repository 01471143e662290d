"""The sentence vectors of the published trunk, which training has to keep; each is made once."""

import hashlib
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

from ..results import report_progress
from .batches import EncodedRow, collate
from .network import Network, sentence_vectors

ROWS = 48


def add_published(rows: list[EncodedRow], weights: Path, padding: int, device: torch.device, file: Path) -> None:
    """Sets `published` of every row. `file` keeps them, for a run that goes on and for one with other rows among these."""
    stored = load_file(file) if file.exists() else {"keys": np.zeros(0, np.uint64), "vectors": np.zeros((0, 0), np.float16)}
    known = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))
    missing = [row for row in rows if key_of(row) not in known]
    if missing:
        known |= zip(map(key_of, missing), vectors_of(Network(weights).to(device).eval(), missing, padding, device), strict=True)
        save_file({"keys": np.array(list(known), np.uint64), "vectors": np.stack(list(known.values()))}, file)
    for row in rows:
        row.published = known[key_of(row)]


def key_of(row: EncodedRow) -> int:
    """A number for what the trunk reads."""
    read = np.array([*row.ids, -1, *row.segments], np.int32).tobytes()
    return int.from_bytes(hashlib.blake2b(read, digest_size=8).digest(), "little")


@torch.no_grad()
def vectors_of(network: Network, rows: list[EncodedRow], padding: int, device: torch.device) -> np.ndarray:
    """`[rows, width]`, in 16 bits."""
    order = sorted(range(len(rows)), key=lambda place: len(rows[place].ids))
    vectors = np.zeros((len(rows), network.trunk.config.hidden_size), np.float16)
    report = report_progress("published vectors", len(rows))
    for first in range(0, len(order), ROWS):
        places = order[first : first + ROWS]
        alike = [EncodedRow(rows[place].ids, rows[place].segments, 0, None) for place in places]
        batch = {key: value.to(device) for key, value in collate(alike, padding).items()}
        with torch.autocast(device.type, torch.bfloat16):
            last = network.vectors(batch).last
        vectors[places] = sentence_vectors(last.float(), batch["mask"]).cpu().numpy()
        report(first + len(places))
    return vectors
