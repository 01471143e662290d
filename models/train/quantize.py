"""Stores a published BERT model small: int8 with row scales, float16 where int8 costs too much of the sentence vector."""

import re
import shutil
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from .reference import SCALE_SUFFIX, BertReference, expand, read_weights
from .results import report_progress, write_result
from .varied_texts import read_varied_texts

COPIED_FILES = ("config.json", "tokenizer.json", "sentence_bert_config.json", "modules.json", "1_Pooling/config.json")
UNUSED_TENSORS = re.compile(r"embeddings\.position_ids|pooler\..*")
# These tensors carry the outlier channels of MiniLM: with them in int8 the worst sentence vector falls to cosine 0.997.
FLOAT16_TENSORS = re.compile(r"encoder\.layer\.([0-3]\.output\.dense|\d\.attention\.self\.value)\.weight")
# Two rows for 22.7 million parameters' worth of texts: int8 would save 1 kB and cost more than the whole word table.
FLOAT32_TENSORS = re.compile(r"embeddings\.token_type_embeddings\.weight")
LEAST_COSINE = 0.999
TEXTS_PER_FILE = 25


def write_minilm(weights_folder: Path, data_folder: Path, package: Path) -> None:
    """Writes the package's published files and its small weights, and measures what the storage costs."""
    for name in COPIED_FILES:
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(weights_folder / name, package / name)
    published = {
        name: tensor
        for name, tensor in read_weights(weights_folder / "model.safetensors").items()
        if not UNUSED_TENSORS.fullmatch(name)
    }
    mixed = store(published, FLOAT16_TENSORS)
    save_file(mixed, package / "model.safetensors", metadata={"format": "pt"})

    texts = read_varied_texts(data_folder, TEXTS_PER_FILE)
    exact = embed_with(weights_folder, published, texts, "float32")
    all_int8 = store(published, re.compile("(?!)"))
    figures = {"texts": len(texts)}
    for label, stored in (("int8", all_int8), ("int8 and float16", mixed)):
        vectors = embed_with(weights_folder, expand_stored(stored), texts, label)
        figures[label] = cosine_figures((exact * vectors).sum(axis=1), stored)
    write_result("quantize", figures)
    if figures["int8 and float16"]["cosine"]["min"] < LEAST_COSINE:
        raise SystemExit(f"quantize: a sentence vector falls below cosine {LEAST_COSINE}, keep more tensors in float16")


def store(tensors: dict[str, np.ndarray], float16: re.Pattern) -> dict[str, np.ndarray]:
    """Tensors as they are stored: matrices in int8 with a scale per row, the exceptions in floats, vectors in float32."""
    stored = {}
    for name, tensor in tensors.items():
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


def embed_with(folder: Path, weights: dict[str, np.ndarray], texts: list[str], label: str) -> np.ndarray:
    model = BertReference(folder, np.float32, weights)
    return model.embed(texts, report_progress(f"quantize: {label}", len(texts)))


def cosine_figures(cosines: np.ndarray, stored: dict[str, np.ndarray]) -> dict:
    return {
        "megabytes": round(sum(tensor.nbytes for tensor in stored.values()) / 1e6, 2),
        "cosine": {
            "min": round(float(cosines.min()), 5),
            "percentile_1": round(float(np.quantile(cosines, 0.01)), 5),
            "mean": round(float(cosines.mean()), 5),
        },
    }
