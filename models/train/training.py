"""What every training run of a network needs: batches, its recipe's optimizer, steps, checkpoints, a log."""

import hashlib
import json
import random
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol, TypeVar

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR

Row = TypeVar("Row")
Batch = TypeVar("Batch")
# More rows of one task in a step teach it little more than these.
MOST_ROWS = 48
# Rows are as long as a multiple of so many tokens: a processor prepares its kernels anew for every new shape.
LENGTH_STEP = 16
SAVED_EVERY = 200


def batches(rows: list[Row], length: Callable[[Row], int], tokens: int, chance: random.Random) -> Iterator[list[Row]]:
    """For ever: rows of about the same length together, batches in random order.

    A batch has at most so many tokens with its padding, so that every step costs about the same.
    """
    padded = lambda row: padded_length(length(row))  # noqa: E731
    while True:
        parts: list[list[Row]] = []
        longest = 0
        for row in sorted(rows, key=lambda row: length(row) + chance.random() * 16, reverse=True):
            wider = max(longest, padded(row))
            if not parts or len(parts[-1]) == MOST_ROWS or wider * (len(parts[-1]) + 1) > tokens:
                parts.append([])
                wider = padded(row)
            parts[-1].append(row)
            longest = wider
        chance.shuffle(parts)
        yield from parts


def padded_length(tokens: int) -> int:
    return -(-tokens // LENGTH_STEP) * LENGTH_STEP


def trains_quickly(device: torch.device) -> AbstractContextManager:
    """In 16 bits on a CPU, the backward pass of PyTorch's fused attention takes longer than all else of a step together."""
    if device.type != "cpu" or not computes_in_half(device):
        return nullcontext()
    # The name says CUDA, but the processor's plain attention obeys it as well: products of 16 bits stay in 16 bits.
    torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(True)
    return sdpa_kernel(SDPBackend.MATH)


def half_precision(device: torch.device) -> AbstractContextManager:
    """Products in bfloat16 where the device has instructions for them; emulated, they take longer than 32 bits."""
    return torch.autocast(device.type, torch.bfloat16) if computes_in_half(device) else nullcontext()


def computes_in_half(device: torch.device) -> bool:
    return device.type != "cpu" or torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()  # noqa: SLF001


class Length(Protocol):
    """The parts of a recipe that steps are made from; `warm_up` is the share of the steps in which the rates rise."""

    steps: int
    warm_up: float
    weight_decay: float


def take_steps(
    network: nn.Module, folder: Path, what: dict, recipe: Length, rates: list[tuple[nn.Module, float]], drawn: Iterator[Batch],
    learn: Callable[[int, Batch], dict[str, float]],
) -> None:  # fmt: skip
    """Trains the network with what is drawn, one batch a step; goes on where a stopped run of the folder ended.

    `learn` computes the gradients of a step, of which the first is 1, and gives its losses by name. The log and the checkpoint
    are written from time to time; `what` describes the run (see `describe_run`). `rates` are the learning rates of parts.
    """
    optimizer, schedule = make_optimizer(rates, recipe)
    checkpoint, log = folder / "checkpoint.pt", Log(folder, recipe.steps)
    first = restore(checkpoint, what, network, optimizer, schedule) if checkpoint.exists() else 0
    for _ in range(first):
        next(drawn)
    started = time.monotonic()
    network.train()
    for step in range(first + 1, recipe.steps + 1):
        losses = learn(step, next(drawn))
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        log.add(**losses)
        if step % SAVED_EVERY == 0 or step == recipe.steps:
            log.write(step, time.monotonic() - started)
            save(checkpoint, what, step, network, optimizer, schedule)
    network.eval()


def make_optimizer(rates: list[tuple[nn.Module, float]], recipe: Length) -> tuple[AdamW, LambdaLR]:
    """AdamW with a linear rise and fall of all rates; what starts from nothing learns faster than the encoder."""
    groups = [
        {"params": [parameter for parameter in module.parameters() if parameter.requires_grad], "lr": rate}
        for module, rate in rates
    ]
    steps, rise = recipe.steps, max(1, int(recipe.warm_up * recipe.steps))

    def part(step: int) -> float:
        return min((step + 1) / rise, max(0.0, (steps - step) / max(1, steps - rise)))

    optimizer = AdamW(groups, weight_decay=recipe.weight_decay, fused=True)
    return optimizer, LambdaLR(optimizer, part)


def describe_run(seed: int, recipe: object, rows: list) -> dict:
    """What has to be the same for a run to go on. Rows have `ids`."""
    tokens = hashlib.sha256()
    for row in rows:
        tokens.update(array("i", row.ids).tobytes())
    return {"seed": seed, "recipe": repr(recipe), "texts": tokens.hexdigest()}


def save(path: Path, run: dict, step: int, network: nn.Module, optimizer: AdamW, schedule: LambdaLR) -> None:
    """`run` says what is trained. Replaces the checkpoint as a whole, so that a killed run never leaves half of one."""
    part = path.with_suffix(".part")
    parts = {"network": network, "optimizer": optimizer, "schedule": schedule}
    state = {name: thing.state_dict() for name, thing in parts.items()}
    torch.save(state | {"run": run, "step": step, "chance": torch.get_rng_state()}, part)
    part.replace(path)


def restore(path: Path, run: dict, network: nn.Module, optimizer: AdamW, schedule: LambdaLR) -> int:
    """The step that the checkpoint was written behind. Raises when it is of another run, which would mix the two."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    different = [key for key, value in run.items() if state["run"].get(key) != value]
    if different:
        raise ValueError(f"Cannot go on with {path}: it was written with another {' and '.join(different)}; take another folder for --run")
    for name, thing in {"network": network, "optimizer": optimizer, "schedule": schedule}.items():
        thing.load_state_dict(state[name])
    torch.set_rng_state(state["chance"])
    return state["step"]


class Log:
    """Mean losses since the last line, printed and kept in `log.jsonl`."""

    def __init__(self, folder: Path, steps: int) -> None:
        self.file, self.steps = folder / "log.jsonl", steps
        self.losses: dict[str, list[float]] = {}

    def add(self, **losses: float) -> None:
        for name, loss in losses.items():
            self.losses.setdefault(name, []).append(loss)

    def write(self, step: int, seconds: float) -> None:
        means = {name: round(sum(values) / len(values), 4) for name, values in sorted(self.losses.items())}
        line = json.dumps({"step": step, "of": self.steps, "seconds": round(seconds), "loss": means})
        self.losses = {}
        print(line, flush=True)
        with self.file.open("a", encoding="utf-8") as log:
            log.write(line + "\n")
