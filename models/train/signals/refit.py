"""Fits heads of whole texts of the package anew over the layers that it stores: their texts may grow without another training."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from ..golden import compute_golden
from ..pack import pack
from ..packages import HEAD_FILE, SIGNALS
from ..quantize import expand_stored
from .calibrate import calibrate_head
from .fitted_heads import fit_head
from .heads import HEAD_BY_NAME
from .network import Network
from .package import describe
from .steps import read_tokenizer
from .tasks import read_task

SEED = 1


def refit(names: list[str], weights: Path, data: Path, package: Path) -> None:
    """Writes these heads, their temperatures and thresholds, and what depends on them; the layers and the other heads stay as they are."""
    network, tokenizer = read_network(weights, package), read_tokenizer(weights)
    settings = json.loads((package / "rtrun.json").read_text(encoding="utf-8"))
    heads = load_file(package / HEAD_FILE)
    for name in names:
        head, task = HEAD_BY_NAME[name], read_task(name, data)
        fit_head(network, head, task.train, tokenizer, SEED)
        heads |= {f"{name}.{part}": tensor.detach().float().numpy() for part, tensor in network.heads[name].state_dict().items()}
        entry = describe(head, vars(calibrate_head(network, head, task, tokenizer)))
        settings["heads"] = [entry if other["name"] == name else other for other in settings["heads"]]
        print(f"refit: {name}: temperature {entry['temperature']}, threshold {entry['threshold']}", flush=True)
    save_file(heads, package / HEAD_FILE)
    pack(SIGNALS, package, settings, lambda folder: compute_golden(SIGNALS, folder))


def read_network(weights: Path, package: Path) -> Network:
    """With the layers as the package stores them. Its heads are not those of the package."""
    network = Network(weights)
    stored = expand_stored(load_file(package / "model.safetensors"))
    parts = network.stored_parts()
    network.take_parts({name: np.array(stored.get(name, part), np.float32) for name, part in parts.items()})
    return network.eval()
