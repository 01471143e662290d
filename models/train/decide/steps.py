"""The steps of this package: train with figures, and pack."""

import json
import random
from pathlib import Path

import torch
from tokenizers import Tokenizer

from ..quantize import NO_FLOAT16, expand_stored, store
from ..results import write_result
from ..signals.examples import SPLIT_SEED
from ..signals.steps import read_data
from .asked import read, reused
from .calibrate import calibrate
from .fit import Recipe, fit
from .measure import measure
from .network import Decider
from .package import write_package
from .predict import ask

NETWORK, CALIBRATION = "network.pt", "calibration.json"
GENERATED, REUSED = 40_000, 2_000


def train(folder: Path, seed: int, recipe: Recipe, data: Path, weights: Path, device: torch.device) -> None:
    """Trains, calibrates and measures; writes the network to the folder and `results/decide-seed-<n>.json`."""
    questions = read(data, GENERATED)
    learned = questions.train + reused(read_data(data), REUSED, random.Random(SPLIT_SEED))
    network = fit(folder, seed, recipe, learned, weights, device).to("cpu")
    torch.save(network.state_dict(), folder / NETWORK)
    tokenizer = read_tokenizer(weights)
    calibration = calibrate(ask(network, questions.tuning, tokenizer))
    (folder / CALIBRATION).write_text(json.dumps(calibration, indent=2) + "\n", encoding="utf-8")
    write_result(f"decide-seed-{seed}", {"recipe": vars(recipe), "unseen": figures(network, questions.unseen, tokenizer, calibration)})


def figures(network: Decider, unseen: dict, tokenizer: Tokenizer, calibration: dict) -> dict:
    return {name: measure(ask(network, asked, tokenizer), calibration) for name, asked in unseen.items()}


def measure_stored(folder: Path, data: Path, weights: Path) -> None:
    """What storing the weights small costs: the figures again, with the weights as the package expands them."""
    network = load(folder, weights)
    expanded = expand_stored(store({name: tensor.numpy() for name, tensor in network.encoder.state_dict().items()}, NO_FLOAT16))
    network.encoder.load_state_dict({name: torch.from_numpy(tensor) for name, tensor in expanded.items()})
    calibration = json.loads((folder / CALIBRATION).read_text(encoding="utf-8"))
    write_result("decide-stored", {"unseen": figures(network, read(data, 0).unseen, read_tokenizer(weights), calibration)})


def pack(folder: Path, weights: Path, package: Path) -> None:
    calibration = json.loads((folder / CALIBRATION).read_text(encoding="utf-8"))
    write_package(load(folder, weights), calibration, weights, package)


def load(folder: Path, weights: Path) -> Decider:
    network = Decider(weights)
    network.load_state_dict(torch.load(folder / NETWORK, weights_only=True))
    return network.eval()


def read_tokenizer(weights: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
