"""The steps of this package: train with figures, and pack."""

import json
import random
import shutil
from pathlib import Path

import torch
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from ..addressed import with_addressed
from ..documents import package_folders, read_documents, with_documents
from ..golden import compute_golden
from ..pack import pack as pack_folder
from ..packages import GUARD, HEAD_FILE
from ..quantize import NO_FLOAT16, expand_stored, store
from ..results import write_result
from ..signals.calibrate import calibrate_head
from ..signals.examples import SPLIT_SEED, TaskData
from ..signals.fitted_heads import fit_head
from ..signals.measure import measure_head
from ..signals.package import COPIED_FILES, SCANNED, VECTOR, describe
from ..signals.steps import fewer
from ..signals.tasks import read_task
from .fit import Run, fit
from .network import CALIBRATION, HEAD, Network, load_run, published, read_calibration, save_run

# More rows move the weights of this head hardly more.
FITTED = 9_000


def read_data(data: Path) -> TaskData:
    task = fewer(read_task(HEAD.name, data), random.Random(SPLIT_SEED))
    return with_addressed(with_documents(task, list(read_documents(package_folders())), SPLIT_SEED), SPLIT_SEED)


def train(run: Run, data: Path, weights: Path, layers: int | None, device: torch.device) -> None:
    """Trains, calibrates and measures; writes the network to the folder and `results/guard-seed-<n>.json`."""
    task, folder, seed, tokenizer = read_data(data), run.folder, run.seed, read_tokenizer(weights)
    network = published(weights, layers) if run.start is None else load_run(run.start)
    fit(run, task.train, network, tokenizer, device)
    calibration = finish(network.to("cpu"), folder, task, tokenizer, seed)
    unseen = measure_head(network, HEAD.name, task, tokenizer, calibration)
    write_result(f"guard-seed-{seed}", {"recipe": vars(run.recipe), "calibration": calibration, "unseen": unseen})


def average(folder: Path, runs: list[Path], data: Path, weights: Path) -> None:
    """Writes a run whose layers are the means of those of others. Runs that began alike and learned from other rows in another order
    err in different places, and their mean errs less than each."""
    networks = [load_run(run) for run in runs]
    states = [network.state_dict() for network in networks]
    mean = {name: torch.stack([state[name].double() for state in states]).mean(0) for name in states[0]}
    networks[0].load_state_dict(mean)
    folder.mkdir(parents=True, exist_ok=True)
    finish(networks[0], folder, read_data(data), read_tokenizer(weights), seed=1)


def finish(network: Network, folder: Path, task: TaskData, tokenizer: Tokenizer, seed: int) -> dict:
    """Fits the head to the layers, writes the network, and writes and gives the calibration."""
    fit_head(network, HEAD, task.train, tokenizer, seed, FITTED)
    save_run(network, folder)
    calibration = vars(calibrate_head(network, HEAD, task, tokenizer))
    (folder / CALIBRATION).write_text(json.dumps(calibration, indent=2) + "\n", encoding="utf-8")
    return calibration


def measure_stored(folder: Path, data: Path, weights: Path) -> None:
    """What storing the weights small costs: the figures again, with the weights as the package expands them."""
    network = load_run(folder)
    network.take_parts(expand_stored(store(network.stored_parts(), NO_FLOAT16)))
    unseen = measure_head(network, HEAD.name, read_data(data), read_tokenizer(weights), read_calibration(folder))
    write_result("guard-stored", {"unseen": unseen})


def pack(folder: Path, weights: Path, package: Path) -> None:
    """Writes everything but the card, which has to stand in the package's folder already."""
    network = load_run(folder)
    for name in COPIED_FILES:
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(weights / name, package / name)
    save_file(store(network.stored_parts(), NO_FLOAT16), package / "model.safetensors", metadata={"format": "pt"})
    head = {f"{HEAD.name}.{name}": tensor.detach().float().numpy() for name, tensor in network.heads[HEAD.name].state_dict().items()}
    save_file(head, package / HEAD_FILE)
    settings = SCANNED | VECTOR | {"heads_mean_layers": list(network.mean_layers), "heads": [describe(HEAD, read_calibration(folder))]}
    pack_folder(GUARD, package, settings, lambda folder: compute_golden(GUARD, folder))


def read_tokenizer(weights: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_padding()
    return tokenizer
