"""What training makes small."""

import torch
from torch import Tensor, nn

from .batches import IGNORED


def sequence_loss(logits: Tensor, target: Tensor, smoothing: float = 0.05) -> Tensor:
    """Cross entropy with smoothed labels: the data's labels are not all right."""
    return nn.functional.cross_entropy(logits.float(), target, label_smoothing=smoothing)


def token_loss(logits: Tensor, target: Tensor, allowed: Tensor | None, weights: Tensor | None = None) -> Tensor:
    """Cross entropy of tokens. Where a source does not mark all kinds, an unmarked token may be of any kind that it does
    not mark: the probabilities of `allowed`, `[rows, labels]`, count together."""
    logs = nn.functional.log_softmax(logits.float(), dim=-1)
    wanted = target != IGNORED
    chosen = logs.gather(-1, target.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    if allowed is not None:
        any_allowed = logs.masked_fill(~allowed.unsqueeze(1), -torch.inf).logsumexp(-1)
        chosen = torch.where(target == 0, any_allowed, chosen)
    scale = wanted.float() if weights is None else wanted * weights[target.clamp(min=0)]
    return -(chosen * scale).sum() / scale.sum().clamp(min=1)


def kept_vector_loss(vectors: Tensor, original: Tensor) -> Tensor:
    """How far sentence vectors of length 1 have turned away from the original's."""
    return (1 - (vectors.float() * original.float()).sum(-1)).mean()
