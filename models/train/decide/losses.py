"""What training makes small, question by question of a batch."""

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from ..generators.decisions import Decision
from .layout import AskedRow, place_of_answer
from .network import Decider

# A place is rare among the words of a state.
PLACE_WEIGHT = 4.0


def batch_loss(network: Decider, vectors: Tensor, asked: list[tuple[Decision, AskedRow]]) -> dict[str, Tensor]:
    """Mean losses by type of question; `vectors` are `[rows, tokens, width]`."""
    losses: dict[str, list[Tensor]] = {}
    for hidden, (decision, row) in zip(vectors, asked, strict=True):
        loss = question_loss(network, hidden, decision, row)
        if loss is not None:
            losses.setdefault(decision.type, []).append(loss)
    return {kind: torch.stack(values).mean() for kind, values in losses.items()}


def question_loss(network: Decider, hidden: Tensor, decision: Decision, row: AskedRow) -> Tensor | None:
    if decision.type == "span":
        if not row.words:
            return None
        logits = network.words(hidden[[place for place, _, _ in row.words]], hidden[row.markers]).float()
        target = word_targets(decision, row).to(logits.device)
        weight = torch.where(target > 0, PLACE_WEIGHT, 1.0)
        return binary_cross_entropy_with_logits(logits, target, weight=weight)
    logits = network.options(hidden, row, decision.type).float()
    if decision.type == "set":
        held = torch.tensor([float(key in decision.answer) for key, _ in decision.options], device=logits.device)
        return binary_cross_entropy_with_logits(logits, held)
    return cross_entropy(logits[None], torch.tensor([place_of_answer(decision)], device=logits.device), label_smoothing=0.03)


def word_targets(decision: Decision, row: AskedRow) -> Tensor:
    """`[words, labels]`: 1 where a word is part of a place of the label."""
    targets = torch.zeros(len(row.words), len(decision.options))
    for label, (key, _) in enumerate(decision.options):
        for span in decision.answer:
            if span.label == key:
                for word, (_, start, end) in enumerate(row.words):
                    if start < span.end and end > span.start:
                        targets[word, label] = 1.0
    return targets
