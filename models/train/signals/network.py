"""The trunk with its heads, in PyTorch.

The heads read an inner layer and the sentence vector comes from the last: what the heads need would turn the mean of the
last layer's vectors away from the published one, and a trunk that has to hold both at one place learns neither well.
"""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from .heads import HEADS


# The layers behind it give the published sentence vector back.
HEADS_LAYER = 4


@dataclass(frozen=True)
class Vectors:
    """Token vectors, `[rows, tokens, width]`: what the heads read, and what the sentence vector is the mean of. `mask`,
    `[rows, tokens]`, tells tokens from padding."""

    inner: Tensor
    last: Tensor
    mask: Tensor


class Network(nn.Module):
    """all-MiniLM-L6-v2 with a linear layer for each head."""

    def __init__(self, weights: Path) -> None:
        super().__init__()
        config = BertConfig.from_pretrained(weights, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
        self.trunk = BertModel.from_pretrained(weights, config=config, add_pooling_layer=False)
        # The words' own vectors know more than these data could teach them.
        self.trunk.embeddings.word_embeddings.requires_grad_(False)
        self.dropout = nn.Dropout(0.1)
        self.heads = nn.ModuleDict({head.name: nn.Linear(config.hidden_size, len(head.labels)) for head in HEADS})

    def vectors(self, batch: dict[str, Tensor]) -> Vectors:
        found = self.trunk(
            input_ids=batch["ids"], attention_mask=batch["mask"], token_type_ids=batch["segments"], output_hidden_states=True
        )
        return Vectors(found.hidden_states[HEADS_LAYER], found.last_hidden_state, batch["mask"])

    def sequence(self, head: str, vectors: Vectors) -> Tensor:
        """Logits of rows, `[rows, labels]`, of the mean of their tokens."""
        return self.heads[head](self.dropout(mean_of_tokens(vectors.inner.float(), vectors.mask)))

    def tokens(self, head: str, vectors: Vectors) -> Tensor:
        """Logits of tokens, `[rows, tokens, labels]`."""
        return self.heads[head](self.dropout(vectors.inner))


def sentence_vectors(vectors: Tensor, mask: Tensor) -> Tensor:
    """Means over the tokens, of length 1."""
    return nn.functional.normalize(mean_of_tokens(vectors, mask), dim=-1)


def mean_of_tokens(vectors: Tensor, mask: Tensor) -> Tensor:
    """`[rows, width]`, without the padding."""
    weights = mask.unsqueeze(-1).to(vectors.dtype)
    return (vectors * weights).sum(1) / weights.sum(1).clamp(min=1)
