"""The encoder with its heads, in PyTorch.

The heads go on from an inner layer with one of their own and the sentence vector comes from the last: what the heads need
would turn the mean of the last layer's vectors away from the published one, and an encoder that has to hold both at one place
learns neither well. Heads of whole texts read layers of the encoder as well: training bends the heads' own layer to the texts
that train, and what the encoder knows of others is still there.
"""

import copy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel
from transformers.masking_utils import create_bidirectional_mask

from .heads import HEADS, Head


# The layers behind it give the published sentence vector back.
HEADS_LAYER = 4
OWN_PREFIX = "heads_encoder.layer.0."
# Neurons inside the layer of the heads' own: with all 1536 of the encoder's layers it would cost more than heads may.
NEURONS = 1024
# Whose means the heads of whole texts read before that of the heads' own layer.
MEAN_LAYERS = (2, 4, 6)


@dataclass(frozen=True)
class Vectors:
    """Token vectors, `[rows, tokens, width]`: what the heads read, and what the sentence vector is the mean of, where that was
    asked for. `means`, `[rows, width]` each and of length 1, are those of `MEAN_LAYERS` and of `inner`. `mask`,
    `[rows, tokens]`, tells tokens from padding."""

    inner: Tensor
    last: Tensor | None
    means: list[Tensor]
    mask: Tensor


class Network(nn.Module):
    """all-MiniLM-L6-v2 with a layer for all heads and a linear one for each.

    `guides` stand in for the heads of whole texts while the layers learn, and are thrown away: they read the heads' own layer
    alone, and `heads` are fitted when that is done (`fitted_heads`).
    """

    def __init__(self, weights: Path) -> None:
        super().__init__()
        config = BertConfig.from_pretrained(weights, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
        self.encoder = BertModel.from_pretrained(weights, config=config, add_pooling_layer=False)
        # The words' own vectors know more than these data could teach them.
        self.encoder.embeddings.word_embeddings.requires_grad_(False)
        self.own = narrowed(self.encoder.encoder.layer[HEADS_LAYER], NEURONS)
        self.dropout = nn.Dropout(0.1)
        width = config.hidden_size
        self.heads = nn.ModuleDict({head.name: nn.Linear(width * read_by(head), len(head.labels)) for head in HEADS})
        self.guides = nn.ModuleDict({head.name: nn.Linear(width, len(head.labels)) for head in HEADS if head.kind == "sequence"})

    def vectors(self, batch: dict[str, Tensor], with_last: bool = True) -> Vectors:
        """Without the last layers' the forward takes two layers less, and there are no means."""
        hidden = self.encoder.embeddings(input_ids=batch["ids"], token_type_ids=batch["segments"])
        mask = create_bidirectional_mask(self.encoder.config, inputs_embeds=hidden, attention_mask=batch["mask"])
        shared, behind = self.encoder.encoder.layer[:HEADS_LAYER], self.encoder.encoder.layer[HEADS_LAYER:]
        of_layers = []
        for layer in shared:
            hidden = layer(hidden, attention_mask=mask)
            of_layers.append(hidden)
        inner = self.own(hidden, attention_mask=mask)
        if not with_last:
            return Vectors(inner, None, [], batch["mask"])
        for layer in behind:
            hidden = layer(hidden, attention_mask=mask)
            of_layers.append(hidden)
        read = [*(of_layers[layer - 1] for layer in MEAN_LAYERS), inner]
        means = [sentence_vectors(vectors.float(), batch["mask"]) for vectors in read]
        return Vectors(inner, hidden, means, batch["mask"])

    def stored_parts(self) -> dict[str, np.ndarray]:
        """What `model.safetensors` holds, in 32 bits, by its names there."""
        encoder, own = self.encoder.state_dict(), self.own.state_dict()
        named = encoder | {f"{OWN_PREFIX}{name}": tensor for name, tensor in own.items()}
        return {name: tensor.detach().float().cpu().numpy() for name, tensor in named.items()}

    def take_parts(self, parts: dict[str, np.ndarray]) -> None:
        """Puts such tensors in place of its own."""
        tensors = {name: torch.from_numpy(part) for name, part in parts.items()}
        own = {name.removeprefix(OWN_PREFIX): tensor for name, tensor in tensors.items() if name.startswith(OWN_PREFIX)}
        self.encoder.load_state_dict({name: tensor for name, tensor in tensors.items() if not name.startswith(OWN_PREFIX)})
        self.own.load_state_dict(own)

    def sequence(self, head: str, vectors: Vectors) -> Tensor:
        """Logits of rows, `[rows, labels]`, of the means of their tokens."""
        return self.heads[head](torch.cat(vectors.means, dim=-1))

    def guided(self, head: str, vectors: Vectors) -> Tensor:
        """The same as the guide says it, which learns with the layers."""
        return self.guides[head](self.dropout(mean_of_tokens(vectors.inner.float(), vectors.mask)))

    def tokens(self, head: str, vectors: Vectors) -> Tensor:
        """Logits of tokens, `[rows, tokens, labels]`."""
        return self.heads[head](self.dropout(vectors.inner))


def read_by(head: Head) -> int:
    """How many vectors a head reads at once."""
    return len(MEAN_LAYERS) + 1 if head.kind == "sequence" else 1


def narrowed(layer: nn.Module, neurons: int) -> nn.Module:
    """A copy of a layer with the neurons that have the largest weights."""
    layer = copy.deepcopy(layer)
    wide, narrow = layer.intermediate.dense, layer.output.dense
    kept = (wide.weight.norm(dim=1) * narrow.weight.norm(dim=0)).topk(neurons).indices.sort().values
    wide.weight, wide.bias = nn.Parameter(wide.weight[kept].detach()), nn.Parameter(wide.bias[kept].detach())
    narrow.weight = nn.Parameter(narrow.weight[:, kept].detach())
    return layer


def sentence_vectors(vectors: Tensor, mask: Tensor) -> Tensor:
    """Means over the tokens, of length 1."""
    return nn.functional.normalize(mean_of_tokens(vectors, mask), dim=-1)


def mean_of_tokens(vectors: Tensor, mask: Tensor) -> Tensor:
    """`[rows, width]`, without the padding."""
    weights = mask.unsqueeze(-1).to(vectors.dtype)
    return (vectors * weights).sum(1) / weights.sum(1).clamp(min=1)
