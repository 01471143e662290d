"""Trains the guard; goes on where a stopped run ended."""

import random
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer

from ..signals.batches import EncodedRow, collate
from ..signals.examples import Example
from ..signals.losses import sequence_loss
from ..training import batches, describe_run, half_precision, take_steps, trains_quickly
from .network import HEAD, Network
from .rows import Row, draw_row, read_rows, within_others


@dataclass(frozen=True)
class Recipe:
    """Steps of texts of about the same length, `tokens` in all, none longer than `longest`. `within` is the share of the short
    texts that train once more in a harmless one; `decay` is what is left of the learning rate from a layer to the next deeper one."""

    steps: int = 3600
    tokens: int = 2048
    longest: int = 256
    learning_rate: float = 1e-4
    head_learning_rate: float = 1e-3
    decay: float = 0.85
    warm_up: float = 0.06
    weight_decay: float = 0.01
    within: float = 0.25


@dataclass(frozen=True)
class Run:
    """A training run; `start` is the folder of a run whose network this one begins with."""

    folder: Path
    seed: int
    recipe: Recipe
    start: Path | None = None


def fit(run: Run, examples: list[Example], weights: Path, start: dict | None, device: torch.device) -> Network:
    """The trained network; `start` is the state it begins with, if not that of the published model. Progress goes to `log.jsonl`."""
    folder, seed, recipe = run.folder, run.seed, run.recipe
    torch.manual_seed(seed)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_padding()
    rows = read_rows(examples, HEAD, tokenizer, recipe.longest)
    rows += within_others(rows, recipe.longest, recipe.within, random.Random(f"{seed}/within"))
    first_token, last_token, padding = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]", "[PAD]"))
    stream = batches(rows, lambda row: min(len(row.ids) + 2, recipe.longest), recipe.tokens, random.Random(seed))
    network = Network(weights)
    if start is not None:
        network.load_state_dict(start)
    network.to(device)
    rates = [*network.groups(recipe.learning_rate, recipe.decay), (network.guide, recipe.head_learning_rate)]

    def learn(step: int, drawn: list[Row]) -> dict[str, float]:
        # Of the step alone, so that a run that goes on draws what it would have drawn.
        chance = random.Random(f"{seed}/{step}")
        seen = [draw_row(row, recipe.longest, chance) for row in drawn]
        batch = collate([encoded(row, first_token, last_token) for row in seen], padding)
        batch = {key: value.to(device) for key, value in batch.items()}
        with trains_quickly(device), half_precision(device):
            vectors = network.vectors(batch)
        loss = sequence_loss(network.guided(HEAD.name, vectors), batch["target"])
        loss.backward()
        return {"loss": loss.item()}

    take_steps(network, folder, describe_run(seed, recipe, rows), recipe, rates, stream, learn)
    return network


def encoded(row: Row, first: int, last: int) -> EncodedRow:
    """With the special tokens around it."""
    return EncodedRow([first, *row.ids, last], [0] * (len(row.ids) + 2), row.label, None)
