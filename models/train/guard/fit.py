"""Trains the guard; goes on where a stopped run ended."""

import random
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch.nn.functional import binary_cross_entropy_with_logits

from ..signals.batches import EncodedRow, collate
from ..signals.examples import Example
from ..training import batches, describe_run, half_precision, take_steps, trains_quickly
from .network import HEAD, Network
from .rows import Row, draw_row, read_rows, within_others
from .teachers import Teachers


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
    """A training run. It begins with the network of the run in the folder `start`, and learns from those in `teachers`.

    `later` are the beginnings of the sources that were written when the teachers had learned, about what they mistake.
    """

    folder: Path
    seed: int
    recipe: Recipe
    start: Path | None = None
    teachers: tuple[Path, ...] = ()
    later: tuple[str, ...] = ()


def fit(run: Run, examples: list[Example], network: Network, tokenizer: Tokenizer, device: torch.device) -> None:
    """Trains the network. Progress goes to `log.jsonl`."""
    folder, seed, recipe = run.folder, run.seed, run.recipe
    torch.manual_seed(seed)
    folder.mkdir(parents=True, exist_ok=True)
    rows = read_rows(examples, HEAD, tokenizer, recipe.longest, run.later)
    rows += within_others(rows, recipe.longest, recipe.within, random.Random(f"{seed}/within"))
    first_token, last_token, padding = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]", "[PAD]"))
    stream = batches(rows, lambda row: min(len(row.ids) + 2, recipe.longest), recipe.tokens, random.Random(seed))
    network.to(device)
    teachers = Teachers(run.teachers, device)
    rates = [*network.groups(recipe.learning_rate, recipe.decay), (network.guide, recipe.head_learning_rate)]

    def learn(step: int, drawn: list[Row]) -> dict[str, float]:
        # Of the step alone, so that a run that goes on draws what it would have drawn.
        chance = random.Random(f"{seed}/{step}")
        seen = [draw_row(row, recipe.longest, chance) for row in drawn]
        batch = collate([encoded(row, first_token, last_token) for row in seen], padding)
        batch = {key: value.to(device) for key, value in batch.items()}
        wanted = teachers.targets(batch, torch.tensor([row.later for row in seen], device=device))
        with trains_quickly(device), half_precision(device):
            vectors = network.vectors(batch)
        loss = binary_cross_entropy_with_logits(network.guided(HEAD.name, vectors).diff(dim=1).squeeze(1), wanted)
        loss.backward()
        return {"loss": loss.item()}

    what = describe_run(seed, recipe, rows) | {"start": str(run.start), "teachers": [str(teacher) for teacher in run.teachers], "later": list(run.later)}
    take_steps(network, folder, what, recipe, rates, stream, learn)


def encoded(row: Row, first: int, last: int) -> EncodedRow:
    """With the special tokens around it."""
    return EncodedRow([first, *row.ids, last], [0] * (len(row.ids) + 2), row.label, None)
