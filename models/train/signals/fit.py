"""Trains all heads and the encoder together; goes on where a stopped run ended."""

import random
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from ..training import batches, describe_run, half_precision, take_steps, trains_quickly
from .batches import EncodedRow, collate, encode
from .examples import TaskData
from .heads import HEAD_BY_NAME
from .losses import kept_vector_loss, sequence_loss, token_loss
from .network import Network, sentence_vectors
from .published import Published

# An unsupported word weighs more than a supported one, of which there are ten times as many.
TOKEN_WEIGHTS = {"hallucination": (1.0, 3.0)}
# The sentence vector is looked at in one step of so many, which then counts as all of them.
KEPT_EVERY = 2


@dataclass(frozen=True)
class Recipe:
    """Steps take rows of one task, `tokens` in all; a task comes up as often as its share says.

    `keep` weighs the kept sentence vector at the first and at the last step and grows evenly in between: heads learn what they
    need first, and then how to need less of the layers that they share.
    """

    steps: int = 2200
    tokens: int = 1600
    learning_rate: float = 1.2e-4
    own_learning_rate: float = 4e-4
    head_learning_rate: float = 1e-3
    warm_up: float = 0.05
    keep: tuple[float, float] = (3.0, 30.0)
    weight_decay: float = 0.01
    shares: tuple[tuple[str, float], ...] = (
        ("domain", 1.6), ("jailbreak", 2.2), ("fact_check", 0.9), ("feedback", 1.0),
        ("modality", 0.8), ("pii", 3.0), ("hallucination", 1.4),
    )  # fmt: skip

    def __post_init__(self) -> None:
        named = [name for name, _ in self.shares]
        if sorted(named) != sorted(HEAD_BY_NAME):
            raise ValueError(f"Cannot train: the steps are shared among {', '.join(named)}; the heads are {', '.join(HEAD_BY_NAME)}")


@dataclass(frozen=True)
class Run:
    """One training run and where it stands on disk."""

    folder: Path
    seed: int
    recipe: Recipe


def fit(run: Run, data: dict[str, TaskData], weights: Path, device: torch.device) -> Network:
    """The trained network. Progress and losses go to `log.jsonl` of the run's folder."""
    torch.manual_seed(run.seed)
    run.folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_padding()
    padding = tokenizer.token_to_id("[PAD]")
    rows = {name: encode(task.train, HEAD_BY_NAME[name], tokenizer) for name, task in data.items()}
    every_row = [row for task_rows in rows.values() for row in task_rows]
    network, published = Network(weights).to(device), Published(weights).to(device)
    recipe = run.recipe
    rates = [
        (network.encoder, recipe.learning_rate), (network.own, recipe.own_learning_rate), (network.heads, recipe.head_learning_rate), (network.guides, recipe.head_learning_rate),
    ]  # fmt: skip
    chance = random.Random(run.seed)
    streams = {
        name: batches(task_rows, row_length, recipe.tokens, random.Random(f"{run.seed}/{name}")) for name, task_rows in rows.items()
    }
    names, shares = zip(*recipe.shares, strict=True)
    order = [chance.choices(names, shares)[0] for _ in range(recipe.steps)]

    def learn(step: int, drawn: tuple[str, list[EncodedRow]]) -> dict[str, float]:
        name, task_rows = drawn
        batch = {key: value.to(device) for key, value in collate(task_rows, padding).items()}
        loss, kept = one_step(network, published, batch, name, keep_at(recipe, step) if step % KEPT_EVERY == 0 else 0.0)
        return {name: loss} | ({} if kept is None else {"kept": kept})

    drawn = ((name, next(streams[name])) for name in order)
    take_steps(network, run.folder, describe_run(run.seed, recipe, every_row), recipe, rates, drawn, learn)
    return network


def row_length(row: EncodedRow) -> int:
    return len(row.ids)


def keep_at(recipe: Recipe, step: int) -> float:
    """The weight of the kept vector at a step, each step's the same part above the last."""
    first, last = recipe.keep
    return first * (last / first) ** (step / recipe.steps)


def one_step(
    network: Network, published: Published, batch: dict[str, Tensor], name: str, keep: float
) -> tuple[float, float | None]:
    """Gradients of one batch; its loss, and one minus the mean cosine to the original vectors, unless their weight is 0."""
    head = HEAD_BY_NAME[name]
    device = batch["ids"].device
    with trains_quickly(device), half_precision(device):
        vectors = network.vectors(batch, with_last=keep > 0)
    if head.kind == "sequence":
        loss = sequence_loss(network.guided(name, vectors), batch["target"])
    else:
        weights = TOKEN_WEIGHTS.get(name)
        weights = torch.tensor(weights, device=device) if weights else None
        loss = token_loss(network.tokens(name, vectors), batch["target"], batch.get("allowed"), weights)
    turned = None
    if keep > 0:
        turned = kept_vector_loss(sentence_vectors(vectors.last.float(), batch["mask"]), published(batch))
    (loss if turned is None else loss + KEPT_EVERY * keep * turned).backward()
    return loss.item(), None if turned is None else turned.item()
