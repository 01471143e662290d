"""Golden answers of a package: what the independent float64 forward says about fixed probes."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from .packages import CLASSIFY_PROBES, COMMON_PROBES, TOLERANCE, PackageSettings
from .reference import BertReference, StaticReference, softmax

DECIMALS = 7


def compute_golden(package: PackageSettings, folder: Path) -> dict:
    """The content of `golden.json`, computed from the files of the package."""
    reference = read_reference(package, folder)
    vectors = reference.embed(list(COMMON_PROBES))
    golden = {
        "schema": 1,
        "reference": "numpy float64",
        "tolerance": TOLERANCE,
        "embeddings": [{"text": text, "vector": rounded(vector)} for text, vector in zip(COMMON_PROBES, vectors)],
    }
    settings = json.loads((folder / "rtrun.json").read_text(encoding="utf-8"))
    answers = [
        {"head": head["name"], "text": text, "probabilities": rounded(row)}
        for head in settings.get("heads", [])
        if head["kind"] == "sequence"
        for text, row in zip(CLASSIFY_PROBES, classify(reference, folder, head, settings))
    ]
    return golden | ({"classify": answers} if answers else {})


def classify(reference: BertReference, folder: Path, head: dict, settings: dict) -> np.ndarray:
    """Probabilities [probes, labels] of a head."""
    texts = list(CLASSIFY_PROBES)
    vectors = read_means(reference, texts, settings) if head.get("reads") == "mean" else reference.embed(texts)
    tensors = {name: tensor.astype(np.float64) for name, tensor in load_file(folder / head["file"]).items()}
    return softmax((vectors @ tensors[head["weight"]].T + tensors[head["bias"]]) / head["temperature"])


def read_means(reference: BertReference, texts: list[str], settings: dict) -> np.ndarray:
    """What a head reads: the mean of its layer, or, behind one another and each of length 1, those of others and that one."""
    own = reference.means(texts, settings.get("heads_layer"), settings.get("heads_own_layers", 0))
    others = settings.get("heads_mean_layers", [])
    if not others:
        return own
    means = [*(reference.means(texts, layer) for layer in others), own]
    return np.concatenate([mean / np.linalg.norm(mean, axis=1, keepdims=True) for mean in means], axis=1)


def read_reference(package: PackageSettings, folder: Path) -> BertReference | StaticReference:
    if package.family == "static_embeddings":
        return StaticReference(folder, package.max_tokens)
    return BertReference(folder)


def format_golden(golden: dict) -> str:
    """JSON with one probe a line, so that a changed probe shows as one changed line."""
    lines = []
    for key, value in golden.items():
        if isinstance(value, list):
            entries = ",\n".join("    " + json.dumps(entry, ensure_ascii=False) for entry in value)
            lines.append(f"  {json.dumps(key)}: [\n{entries}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def rounded(vector: np.ndarray) -> list[float]:
    return [round(float(value), DECIMALS) + 0.0 for value in vector]
