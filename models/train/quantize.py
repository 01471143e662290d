"""Stores a BERT encoder small: int8 with row scales, float16 where int8 costs too much of the sentence vector."""

import re

import numpy as np

from .reference import SCALE_SUFFIX, expand

UNUSED_TENSORS = re.compile(r"embeddings\.position_ids|pooler\..*")
# These tensors carry the outlier channels of MiniLM: with them in int8 the worst sentence vector falls to cosine 0.997.
FLOAT16_TENSORS = re.compile(r"encoder\.layer\.([0-3]\.output\.dense|\d\.attention\.self\.value)\.weight")
# Where no sentence vector is to be kept, int8 costs nothing that counts.
NO_FLOAT16 = re.compile(r"(?!)")
# Two rows for 22.7 million parameters' worth of texts: int8 would save 1 kB and cost more than the whole word table.
FLOAT32_TENSORS = re.compile(r"embeddings\.token_type_embeddings\.weight")


def store(tensors: dict[str, np.ndarray], float16: re.Pattern = FLOAT16_TENSORS) -> dict[str, np.ndarray]:
    """Tensors as they are stored: matrices in int8 with a scale per row, the exceptions in floats, vectors in float32."""
    stored = {}
    for name, tensor in tensors.items():
        if UNUSED_TENSORS.fullmatch(name):
            continue
        if tensor.ndim != 2 or FLOAT32_TENSORS.fullmatch(name):
            stored[name] = tensor
        elif float16.fullmatch(name):
            stored[name] = tensor.astype(np.float16)
        else:
            stored[name], stored[name + SCALE_SUFFIX] = quantize_rows(tensor)
    return stored


def quantize_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric int8 values [rows, columns] and float32 scales [rows]; the largest value of a row becomes ±127."""
    scale = np.maximum(np.abs(matrix).max(axis=1), np.finfo(np.float32).tiny * 127) / np.float32(127)
    return np.rint(matrix / scale[:, None]).clip(-127, 127).astype(np.int8), scale.astype(np.float32)


def expand_stored(stored: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        name: expand(tensor, stored.get(name + SCALE_SUFFIX))
        for name, tensor in stored.items()
        if not name.endswith(SCALE_SUFFIX)
    }
