"""The sentence vectors of the published trunk, which training has to keep; made once for all rows."""

from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

from ..results import report_progress
from .batches import EncodedRow, collate
from .network import Network, sentence_vectors

ROWS = 48


@torch.no_grad()
def add_published(rows: dict[str, list[EncodedRow]], weights: Path, padding: int, device: torch.device, file: Path) -> None:
    """Sets `published` of every row. `file` keeps them for a run that goes on."""
    if file.exists():
        found = load_file(file)
    else:
        network = Network(weights).to(device).eval()
        found = {name: vectors_of(network, task, name, padding, device) for name, task in rows.items()}
        save_file(found, file)
    for name, task in rows.items():
        for row, vector in zip(task, found[name], strict=True):
            row.published = vector


def vectors_of(network: Network, rows: list[EncodedRow], name: str, padding: int, device: torch.device) -> np.ndarray:
    order = sorted(range(len(rows)), key=lambda place: len(rows[place].ids))
    vectors = np.zeros((len(rows), network.trunk.config.hidden_size), np.float16)
    report = report_progress(f"published vectors: {name}", len(rows))
    for first in range(0, len(order), ROWS):
        places = order[first : first + ROWS]
        batch = {key: value.to(device) for key, value in collate([rows[place] for place in places], padding).items()}
        with torch.autocast(device.type, torch.bfloat16):
            last = network.vectors(batch).last
        vectors[places] = sentence_vectors(last.float(), batch["mask"]).cpu().numpy()
        report(first + len(places))
    return vectors
