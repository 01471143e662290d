"""Golden answers of a package: what the independent float64 forward says about fixed probes."""

import json

import numpy as np
from safetensors.numpy import load_file

from .packages import CLASSIFY_PROBES, COMMON_PROBES, HEAD_FILE, TOLERANCE, PackageSettings
from .reference import BertReference, StaticReference, softmax

DECIMALS = 7


def compute_golden(package: PackageSettings) -> dict:
    """The content of `golden.json`, computed from the files of the package."""
    vectors = read_reference(package).embed(list(COMMON_PROBES))
    golden = {
        "schema": 1,
        "reference": "numpy float64",
        "tolerance": TOLERANCE,
        "embeddings": [{"text": text, "vector": rounded(vector)} for text, vector in zip(COMMON_PROBES, vectors)],
    }
    if package.head:
        golden["classify"] = [
            {"head": package.head, "text": text, "probabilities": rounded(row)}
            for text, row in zip(CLASSIFY_PROBES, classify(package, list(CLASSIFY_PROBES)))
        ]
    return golden


def classify(package: PackageSettings, texts: list[str]) -> np.ndarray:
    """Probabilities [texts, labels] of the package's head."""
    head = {name: tensor.astype(np.float64) for name, tensor in load_file(package.folder / HEAD_FILE).items()}
    logits = read_reference(package).embed(texts) @ head[f"{package.head}.weight"].T + head[f"{package.head}.bias"]
    return softmax(logits / package.read_temperature())


def read_reference(package: PackageSettings) -> BertReference | StaticReference:
    if package.family == "static_embeddings":
        return StaticReference(package.folder, package.max_tokens)
    return BertReference(package.folder)


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
