"""Trains all heads and the trunk together; goes on where a stopped run ended."""

import json
import random
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from .batches import EncodedRow, batches, collate, encode
from .examples import TaskData
from .heads import HEAD_BY_NAME
from .losses import kept_vector_loss, sequence_loss, token_loss
from .network import Network, sentence_vectors

# An unsupported word weighs more than a supported one, of which there are ten times as many.
TOKEN_WEIGHTS = {"hallucination": (1.0, 3.0)}


@dataclass(frozen=True)
class Recipe:
    """Steps take `rows` rows of one task each; a task comes up as often as its share says."""

    steps: int = 9000
    rows: int = 24
    learning_rate: float = 1e-4
    head_learning_rate: float = 1e-3
    warm_up: float = 0.05
    keep: float = 20.0
    weight_decay: float = 0.01
    shares: tuple[tuple[str, float], ...] = (
        ("domain", 1.0), ("jailbreak", 1.6), ("fact_check", 1.0), ("feedback", 1.0),
        ("modality", 1.0), ("pii", 2.0), ("hallucination", 1.6),
    )  # fmt: skip


@dataclass(frozen=True)
class Run:
    """One training run and where it stands on disk."""

    folder: Path
    seed: int
    recipe: Recipe
    every: int = 500

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint.pt"


def fit(run: Run, data: dict[str, TaskData], weights: Path, device: torch.device) -> Network:
    """The trained network. Progress and losses go to `log.jsonl` of the run's folder."""
    torch.manual_seed(run.seed)
    run.folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_padding()
    padding = tokenizer.token_to_id("[PAD]")
    rows = {name: encode(task.train, HEAD_BY_NAME[name], tokenizer) for name, task in data.items()}
    network, original = Network(weights).to(device), Network(weights).to(device).eval()
    optimizer, schedule = make_optimizer(network, run.recipe)
    chance, first = random.Random(run.seed), 0
    if run.checkpoint.exists():
        first = restore(run.checkpoint, network, optimizer, schedule)
    streams = {name: batches(task_rows, run.recipe.rows, random.Random(f"{run.seed}/{name}")) for name, task_rows in rows.items()}
    names, shares = zip(*run.recipe.shares, strict=True)
    order = [chance.choices(names, shares)[0] for _ in range(run.recipe.steps)]
    for name in order[:first]:
        next(streams[name])
    losses: dict[str, list[float]] = {}
    started = time.monotonic()
    network.train()
    for step, name in enumerate(order[first:], first + 1):
        batch = {key: value.to(device) for key, value in collate(next(streams[name]), padding).items()}
        loss, kept = one_step(network, original, batch, name, run.recipe)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        losses.setdefault(name, []).append(loss)
        losses.setdefault("kept", []).append(kept)
        if step % run.every == 0 or step == run.recipe.steps:
            report(run, step, losses, time.monotonic() - started)
            losses = {}
            save(run.checkpoint, step, network, optimizer, schedule)
    return network.eval()


def one_step(network: Network, original: Network, batch: dict[str, Tensor], name: str, recipe: Recipe) -> tuple[float, float]:
    """Gradients of one batch; its loss, and one minus the mean cosine to the original vectors."""
    head = HEAD_BY_NAME[name]
    with torch.autocast(batch["ids"].device.type, torch.bfloat16):
        vectors = network.vectors(batch)
        with torch.no_grad():
            kept = sentence_vectors(original.vectors(batch).float(), batch["mask"])
    if head.kind == "sequence":
        loss = sequence_loss(network.sequence(name, vectors), batch["target"])
    else:
        weights = TOKEN_WEIGHTS.get(name)
        weights = torch.tensor(weights, device=batch["ids"].device) if weights else None
        loss = token_loss(network.tokens(name, vectors), batch["target"], batch.get("allowed"), weights)
    turned = kept_vector_loss(sentence_vectors(vectors.float(), batch["mask"]), kept)
    (loss + recipe.keep * turned).backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    return loss.item(), turned.item()


def make_optimizer(network: Network, recipe: Recipe):  # noqa: ANN201
    """AdamW with a linear rise and fall; heads start from nothing and learn faster."""
    groups = [
        {"params": network.trunk.parameters(), "lr": recipe.learning_rate},
        {"params": network.heads.parameters(), "lr": recipe.head_learning_rate},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=recipe.weight_decay)
    rise = max(1, int(recipe.warm_up * recipe.steps))
    part = lambda step: min((step + 1) / rise, max(0.0, (recipe.steps - step) / max(1, recipe.steps - rise)))  # noqa: E731
    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, part)


def save(path: Path, step: int, network: Network, optimizer, schedule) -> None:  # noqa: ANN001
    part = path.with_suffix(".part")
    state = {"step": step, "network": network.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
    torch.save(state | {"chance": torch.get_rng_state()}, part)
    part.replace(path)


def restore(path: Path, network: Network, optimizer, schedule) -> int:  # noqa: ANN001
    state = torch.load(path, weights_only=True)
    network.load_state_dict(state["network"])
    optimizer.load_state_dict(state["optimizer"])
    schedule.load_state_dict(state["schedule"])
    torch.set_rng_state(state["chance"])
    return state["step"]


def report(run: Run, step: int, losses: dict[str, list[float]], seconds: float) -> None:
    means = {name: round(sum(values) / len(values), 4) for name, values in sorted(losses.items())}
    line = {"step": step, "of": run.recipe.steps, "seconds": round(seconds), "loss": means}
    print(json.dumps(line), flush=True)
    with (run.folder / "log.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(line | {"recipe": asdict(run.recipe)} if step == run.every else line) + "\n")
