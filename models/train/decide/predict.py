"""What a network says about questions."""

from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer

from ..generators.decisions import Decision
from .fit import padded
from .layout import AskedRow, row_of
from .network import Decider

ROWS = 32


@dataclass(frozen=True)
class Said:
    """Logits of the options, `[options]`, or of the words for the labels of a span, `[words, labels]`; and of "none of them"."""

    decision: Decision
    row: AskedRow
    logits: np.ndarray
    abstain: float | None


@torch.no_grad()
def ask(network: Decider, questions: list[Decision], tokenizer: Tokenizer) -> list[Said]:
    """In the order of the questions."""
    rows = [row_of(question, tokenizer) for question in questions]
    order = sorted(range(len(rows)), key=lambda place: len(rows[place].ids))
    said: dict[int, Said] = {}
    for first in range(0, len(order), ROWS):
        places = order[first : first + ROWS]
        vectors = network.vectors(*padded([(questions[place], rows[place]) for place in places]))
        for place, hidden in zip(places, vectors, strict=True):
            decision, row = questions[place], rows[place]
            abstain = None
            if decision.type == "span":
                logits = network.words(hidden[[word for word, _, _ in row.words]], hidden[row.markers])
            else:
                logits = network.options(hidden, row, decision.type)
                if row.abstain is not None:
                    logits, abstain = logits[:-1], logits[-1].item()
            said[place] = Said(decision, row, logits.float().numpy(), abstain)
    return [said[place] for place in range(len(rows))]
