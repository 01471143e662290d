"""Sentence vectors of texts by a package's encoder, kept in a temporary folder so that a second run reads them."""

import hashlib
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from ..reference import BertReference
from ..results import report_progress

# A run that is stopped loses at most this many vectors.
TEXTS_A_PART = 512


def read_vectors(package_folder: Path, texts: tuple[str, ...], label: str) -> np.ndarray:
    """Vectors [texts, dimension] of length 1, float32, in the order of the texts."""
    path = Path(tempfile.gettempdir()) / f"rtr-vectors-{digest_package(package_folder)[:16]}.safetensors"
    kept = load_file(path) if path.exists() else {}
    # Texts of one length share a forward, so parts of sorted texts are much quicker than parts as they come.
    missing = sorted({text for text in texts if digest_text(text) not in kept}, key=lambda text: (len(text), text))
    report = report_progress(f"vectors: {label}", len(missing))
    model = BertReference(package_folder, np.float32) if missing else None
    for start in range(0, len(missing), TEXTS_A_PART):
        part = missing[start : start + TEXTS_A_PART]
        vectors = model.embed(part).astype(np.float32)
        kept |= {digest_text(text): vector for text, vector in zip(part, vectors)}
        write_whole(path, kept)
        report(start + len(part))
    return np.stack([kept[digest_text(text)] for text in texts])


def digest_package(package_folder: Path) -> str:
    """SHA-256 of the weights, the digest that the worker's card of the model gives as `model_sha256`."""
    return hashlib.sha256((package_folder / "model.safetensors").read_bytes()).hexdigest()


def digest_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_whole(path: Path, vectors: dict[str, np.ndarray]) -> None:
    """Replaces the file, so that a stopped run never leaves half of one."""
    part = path.with_suffix(".part")
    save_file(vectors, part)
    part.replace(path)
