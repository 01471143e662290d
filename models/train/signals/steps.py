"""The steps of this package: train with figures, and pack."""

import json
import random
from pathlib import Path

import torch
from tokenizers import Tokenizer

from ..quantize import expand_stored, store
from ..results import write_result
from .calibrate import calibrate
from .compare import compare
from .examples import SPLIT_SEED, Example, TaskData, sample
from .fit import Recipe, Run, fit
from .fitted_heads import fit_heads
from .kept import kept_cosines
from .measure import measure
from .network import Network
from .package import write_package
from .tasks import read_tasks

NETWORK, CALIBRATION = "network.pt", "calibration.json"
# More rows of a head or a set move no figure beyond its interval.
TUNED, MEASURED = 900, 300


def read_data(data: Path) -> dict[str, TaskData]:
    return {name: fewer(task, random.Random(SPLIT_SEED)) for name, task in read_tasks(data).items()}


def fewer(task: TaskData, chance: random.Random) -> TaskData:
    """All that trains, and a part of what only measures."""
    unseen = {name: sample(examples, MEASURED, chance) for name, examples in task.unseen.items()}
    return TaskData(task.train, sample(task.tuning, TUNED, chance), unseen)


def trained_by(tasks: dict[str, TaskData]) -> list[Example]:
    return [example for task in tasks.values() for example in task.train]


def train(run: Run, data: Path, weights: Path, device: torch.device) -> None:
    """Trains, calibrates and measures; writes the network to the run's folder and `results/signals-seed-<n>.json`."""
    tasks = read_data(data)
    network = fit(run, tasks, weights, device).to("cpu")
    tokenizer = read_tokenizer(weights)
    fit_heads(network, tasks, tokenizer, run.seed)
    torch.save(network.state_dict(), run.folder / NETWORK)
    calibration = calibrate(network, tasks, tokenizer)
    (run.folder / CALIBRATION).write_text(json.dumps(calibration, indent=2) + "\n", encoding="utf-8")
    figures = {"recipe": vars(run.recipe), "calibration": calibration, "kept": kept_cosines(network.encoder, weights, data, trained_by(tasks))}
    write_result(f"signals-seed-{run.seed}", figures | {"unseen": measure(network, tasks, tokenizer, calibration)})


def measure_stored(folder: Path, data: Path, weights: Path) -> None:
    """What storing the weights small costs: the figures again, with the weights as the package expands them."""
    tasks, network = read_data(data), load(folder, weights)
    expanded = expand_stored(store(network.stored_parts()))
    network.take_parts(expanded)
    calibration = json.loads((folder / CALIBRATION).read_text(encoding="utf-8"))
    figures = {"kept": kept_cosines(network.encoder, weights, data, trained_by(tasks))}
    write_result("signals-stored", figures | {"unseen": measure(network, tasks, read_tokenizer(weights), calibration)})


def pack(folder: Path, weights: Path, package: Path) -> None:
    calibration = json.loads((folder / CALIBRATION).read_text(encoding="utf-8"))
    write_package(load(folder, weights), calibration, weights, package)


def compare_worker(folder: Path, weights: Path, data: Path, worker: str) -> None:
    calibration = json.loads((folder / CALIBRATION).read_text(encoding="utf-8"))
    compare(load(folder, weights), calibration, weights, data, worker)


def load(folder: Path, weights: Path) -> Network:
    network = Network(weights)
    network.load_state_dict(torch.load(folder / NETWORK, weights_only=True))
    return network.eval()


def read_tokenizer(weights: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_padding()
    return tokenizer
