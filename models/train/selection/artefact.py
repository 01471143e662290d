"""The folder that a learned selector loads: weights, what they mean, hashes."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from ..pack import hash_files, write_json
from .data import Model
from .predictor import Linear
from .prices import CHAT

WEIGHTS_FILE = "selection.safetensors"
SETTINGS_FILE = "selection.json"
CURRENCY = "USD"
PROBE_NUMBERS = 8
MEANING = "chance that the model answers an exam question of this kind rightly; compare it within this file only"


@dataclass(frozen=True)
class Vectors:
    """What makes the sentence vectors: the package's name, the digest of its weights, the vectors' length, and a text with
    the first numbers of its vector, by which a reader knows them again."""

    package: str
    model_sha256: str
    dimension: int
    probe: dict


def store(folder: Path, predictor: Linear, models: tuple[Model, ...], vectors: Vectors, calibration: dict) -> Linear:
    """Writes the weights and the settings; returns the predictor as it is read back."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {
        "weight": np.ascontiguousarray(predictor.weight, np.float16),
        "bias": np.ascontiguousarray(predictor.bias, np.float32),
    }
    save_file(tensors, folder / WEIGHTS_FILE)
    settings = {
        "schema": 1,
        "kind": "linear",
        "score": MEANING,
        "vectors": asdict(vectors),
        "file": WEIGHTS_FILE,
        "weight": "weight",
        "bias": "bias",
        "currency": CURRENCY,
        "models": [describe_model(model) for model in models],
        "calibration": calibration,
    }
    write_json(folder / SETTINGS_FILE, settings)
    return load(folder)[0]


def load(folder: Path) -> tuple[Linear, dict]:
    """The predictor and the settings of a folder; raises ValueError where they do not fit together."""
    settings = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    found = (settings["schema"], settings["kind"])
    if found != (1, "linear"):
        raise ValueError(f"Cannot read {folder.name}: schema and kind are {found}, what is read is (1, 'linear')")
    stored = load_file(folder / settings["file"])
    weight, bias = stored[settings["weight"]].astype(np.float64), stored[settings["bias"]].astype(np.float64)
    expected = (len(settings["models"]), settings["vectors"]["dimension"])
    if weight.shape != expected or bias.shape != expected[:1]:
        raise ValueError(f"Cannot read {folder.name}: weight {weight.shape} and bias {bias.shape} do not fit {expected}")
    return Linear(weight, bias), settings


def read_probe(package_folder: Path) -> dict:
    """The first English sentence of the package's recorded answers, and the first numbers of its vector."""
    recorded = json.loads((package_folder / "golden.json").read_text(encoding="utf-8"))["embeddings"]
    entry = next(entry for entry in recorded if entry["text"].startswith("What is"))
    return {"text": entry["text"], "first": entry["vector"][:PROBE_NUMBERS]}


def seal(folder: Path) -> None:
    """Writes the manifest; the card and the picture have to stand in the folder before, for it covers them."""
    for path in folder.iterdir():
        path.chmod(0o644)
    write_json(folder / "manifest.json", {"schema": 1, "files": hash_files(folder)})


def describe_model(model: Model) -> dict:
    return {
        "name": model.name,
        "chat": model.name in CHAT,
        "prompt_per_1m": model.price.prompt,
        "completion_per_1m": model.price.completion,
        "mean_completion_tokens": model.completion_tokens,
        "price_source": model.price.source,
    }
