"""Fits the heads of whole texts when the layers have learned.

A linear head that learned with the layers has learned the texts that train by heart: on texts of other sources one that is fitted
anew over the same vectors is better, and better still one that reads the layers of the encoder too. Each head is two
logistic regressions, one over the encoder's layers and one over the heads' own, whose logits are added up: fitted as one, the
heads' own layer, which knows the training texts best, would drown the others.
"""

import random

import numpy as np
import torch
from tokenizers import Tokenizer

from ..results import report_progress
from ..training import half_precision
from .batches import collate, encode
from .examples import Example, TaskData, sample
from .heads import HEADS, Head
from .network import Network
from .regression import regression

# From 9,000 to this many rows, the head for subjects gained two points on unseen exams and on prompts of users.
MOST_ROWS = 24_000
ROWS = 64


def fit_heads(network: Network, data: dict[str, TaskData], tokenizer: Tokenizer, seed: int) -> None:
    """Puts fitted weights into the heads of whole texts."""
    heads = [head for head in HEADS if head.kind == "sequence"]
    report = report_progress("signals: heads", len(heads))
    for number, head in enumerate(heads, 1):
        fit_head(network, head, data[head.name].train, tokenizer, seed)
        report(number)


def fit_head(network: Network, head: Head, train: list[Example], tokenizer: Tokenizer, seed: int, most: int = MOST_ROWS) -> None:
    """The network may be another with `vectors` and `heads` like these. Of more rows than `most` a sample."""
    means, labels = read_means(network, head, sample(train, most, random.Random(f"{seed}/{head.name}")), tokenizer)
    parts = [regression(part, labels, len(head.labels)) for part in (np.concatenate(means[:-1], axis=1), means[-1])]
    weight, bias = np.concatenate([part for part, _ in parts], axis=1), parts[0][1] + parts[1][1]
    with torch.no_grad():
        network.heads[head.name].weight.copy_(torch.from_numpy(weight))
        network.heads[head.name].bias.copy_(torch.from_numpy(bias))


@torch.no_grad()
def read_means(network: Network, head: Head, examples: list[Example], tokenizer: Tokenizer) -> tuple[list[np.ndarray], np.ndarray]:
    """What the head reads of each text, `[texts, width]` for each layer, and the number of its label."""
    rows = sorted(encode(examples, head, tokenizer), key=lambda row: len(row.ids))
    padding, means = tokenizer.token_to_id("[PAD]"), []
    for first in range(0, len(rows), ROWS):
        batch = collate(rows[first : first + ROWS], padding)
        with half_precision(torch.device("cpu")):
            vectors = network.vectors(batch)
        means.append([mean.numpy() for mean in vectors.means])
    return [np.concatenate(parts) for parts in zip(*means, strict=True)], np.array([row.target for row in rows])
