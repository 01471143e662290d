"""From a trained network to the files of the package."""

import shutil
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from ..pack import pack
from ..packages import DECIDE
from ..quantize import NO_FLOAT16, store
from .abstain import ABSTAIN
from .golden import compute_decide_golden
from .layout import OPTION, QUESTION, TYPES
from .network import SPAN_SIZE, SPAN_TEMPERATURE, TURNS_UNIT, UNIT, Decider

COPIED_FILES = ("config.json", "tokenizer.json")
DECISIONS_FILE = "decisions.safetensors"
MOST_OPTIONS = 64
# Numbers of the network that `rtrun.json` has.
SETTINGS = ("span_bias", "max_similarity", "statement")
# Tensors that the network has in units.
IN_UNITS = ("turns.weight", "turns.bias")


def write_package(network: Decider, calibration: dict, weights: Path, folder: Path) -> None:
    """Writes everything but the card, which has to stand in the folder already."""
    for name in COPIED_FILES:
        shutil.copyfile(weights / name, folder / name)
    encoder = {name: tensor.detach().float().numpy() for name, tensor in network.encoder.state_dict().items()}
    save_file(store(encoder, NO_FLOAT16), folder / "model.safetensors", metadata={"format": "pt"})
    head = {name: tensor.detach().float().numpy() for name, tensor in network.rest.state_dict().items() if name not in SETTINGS}
    for name in IN_UNITS:
        head[name] *= TURNS_UNIT
    max_similarity = {kind: round(UNIT * weight, 4) for kind, weight in zip(TYPES, network.rest.max_similarity.tolist(), strict=True) if kind not in ("noul", "span")}
    factor, addend = (round(UNIT * number, 4) for number in network.rest.statement.tolist())
    statement = {"factor": factor, "addend": addend}
    save_file({name: half(tensor) for name, tensor in head.items()}, folder / DECISIONS_FILE)
    decisions = {
        "questions": {"types": list(TYPES), "max_options": MOST_OPTIONS, "tokens": QUESTION, "option_tokens": OPTION},
        "calibration": calibration,
        "head": {"file": DECISIONS_FILE, "prefix": "", "layers": network.layers, "type_embedding": True, "abstain": ABSTAIN, "max_similarity": max_similarity, "statement": statement},
        "span": {"size": SPAN_SIZE, "temperature": SPAN_TEMPERATURE, "bias": round(network.rest.span_bias.item(), 4)},
    }
    pack(DECIDE, folder, {"decisions": decisions}, lambda folder: compute_decide_golden(folder, decisions))


def half(tensor: np.ndarray) -> np.ndarray:
    """Matrices in 16 bits; vectors are small and stay."""
    return tensor.astype(np.float16) if tensor.ndim == 2 else tensor
