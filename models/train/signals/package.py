"""From a trained network to the files of the package."""

import shutil
from pathlib import Path

from safetensors.numpy import save_file

from ..golden import compute_golden
from ..pack import pack
from ..packages import HEAD_FILE, SIGNALS
from ..quantize import store
from .heads import HEADS, Head
from .network import HEADS_LAYER, MEAN_LAYERS, Network
from .layouts import GROUNDED_PROMPT

COPIED_FILES = ("config.json", "tokenizer.json", "sentence_bert_config.json", "modules.json", "1_Pooling/config.json")
# Windows are what the heads were trained on; a quarter of overlap leaves no attack or name cut in every window.
OVERLAP_SHARE = 4
# Some 130 kB of English: two seconds of two cores, which a router's deadline may cut short. What is longer is not read at all.
SCANNED = {"max_scan_tokens": 32_768}
VECTOR = {"pooling": "mean", "normalize": True}
BRANCH = {"heads_layer": HEADS_LAYER, "heads_own_layers": 1, "heads_mean_layers": list(MEAN_LAYERS)}
GUARDS = ("jailbreak", "pii", "hallucination")


def write_package(network: Network, calibration: dict[str, dict], weights: Path, folder: Path) -> None:
    """Writes everything but the card, which has to stand in the folder already."""
    for name in COPIED_FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(weights / name, folder / name)
    save_file(store(network.stored_parts()), folder / "model.safetensors", metadata={"format": "pt"})
    heads = {name: tensor.detach().float().numpy() for name, tensor in network.heads.state_dict().items()}
    save_file(heads, folder / HEAD_FILE)
    settings = SCANNED | VECTOR | BRANCH | {"heads": [describe(head, calibration[head.name]) for head in HEADS]}
    pack(SIGNALS, folder, settings, lambda folder: compute_golden(SIGNALS, folder))


def describe(head: Head, calibration: dict) -> dict:
    """The head's entry in `rtrun.json`."""
    entry = {
        "name": head.name,
        "kind": head.kind,
        "labels": list(head.labels),
        "file": HEAD_FILE,
        "weight": f"{head.name}.weight",
        "bias": f"{head.name}.bias",
    }
    if head.kind == "sequence":
        entry["reads"] = "mean"
    entry |= {"temperature": calibration["temperature"], "threshold": calibration["threshold"]}
    if head.background:
        entry["background"] = head.background
    if head.name in GUARDS:
        entry["window"] = {"tokens": head.max_tokens, "overlap": head.max_tokens // OVERLAP_SHARE}
    if head.name == "hallucination":
        entry["grounded_prompt"] = GROUNDED_PROMPT
    return entry
