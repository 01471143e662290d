"""Trains the encoder and its head on questions of all types; goes on where a stopped run ended."""

import random
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from ..generators.decisions import Decision
from ..training import batches, describe_run, half_precision, padded_length, take_steps, trains_quickly
from .layout import TYPES, AskedRow, row_of
from .losses import batch_loss
from .network import Decider

Asked = tuple[Decision, AskedRow]


@dataclass(frozen=True)
class Recipe:
    """Steps of questions of about the same length, `tokens` in all. Longer rows than `longest` do not train: for one of them,
    several shorter ones can."""

    steps: int = 1200
    tokens: int = 2400
    longest: int = 192
    learning_rate: float = 6e-5
    head_learning_rate: float = 5e-4
    warm_up: float = 0.06
    weight_decay: float = 0.01
    layers: int = 1


def fit(folder: Path, seed: int, recipe: Recipe, questions: list[Decision], weights: Path, device: torch.device) -> Decider:
    """The trained network. Progress goes to `log.jsonl` of the folder."""
    torch.manual_seed(seed)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    asked_rows = [(question, row_of(question, tokenizer)) for question in questions]
    asked_rows = [(question, row) for question, row in asked_rows if len(row.ids) <= recipe.longest]
    stream = batches(asked_rows, lambda pair: len(pair[1].ids), recipe.tokens, random.Random(seed))
    network = Decider(weights, recipe.layers).to(device)
    rates = [(network.encoder, recipe.learning_rate), (network.rest, recipe.head_learning_rate)]
    what = describe_run(seed, recipe, [row for _, row in asked_rows])

    def learn(_: int, asked: list[Asked]) -> dict[str, float]:
        with trains_quickly(device), half_precision(device):
            vectors = network.vectors(*(tensor.to(device) for tensor in padded(asked)))
            losses = batch_loss(network, vectors, asked)
        sum(losses.values()).backward()
        return {kind: loss.item() for kind, loss in losses.items()}

    take_steps(network, folder, what, recipe, rates, stream, learn)
    return network


def padded(asked: list[Asked]) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, mask and types of a batch."""
    longest = padded_length(max(len(row.ids) for _, row in asked))
    ids = torch.tensor([row.ids + [0] * (longest - len(row.ids)) for _, row in asked])
    mask = torch.tensor([[1] * len(row.ids) + [0] * (longest - len(row.ids)) for _, row in asked])
    return ids, mask, torch.tensor([TYPES.index(decision.type) for decision, _ in asked])
