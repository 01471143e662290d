"""The encoder of the guard: all-MiniLM-L6-v2 with all layers tuned for attacks alone, and one linear head.

The shared encoder of `signals` has to keep its sentence vector and serves seven heads; this one has to do neither. Its head reads
inner layers beside the last, as the heads of `signals` do and for the same reason.
"""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from ..signals.heads import HEAD_BY_NAME
from ..signals.network import Vectors, mean_of_tokens, sentence_vectors

HEAD = HEAD_BY_NAME["jailbreak"]
# A little noise inside of the layers: the attacks of one source repeat the same wording.
DROPOUT = 0.05
# Whose means the head reads before that of the last layer.
MEAN_LAYERS = (2, 4)


class Network(nn.Module):
    """`vectors`, `sequence` and `guided` are what fitting and the figures of `signals` ask of a network.

    `guide` stands in for the head while the layers learn, and is thrown away.
    """

    def __init__(self, weights: Path) -> None:
        super().__init__()
        config = BertConfig.from_pretrained(weights, hidden_dropout_prob=DROPOUT, attention_probs_dropout_prob=0.0)
        self.encoder = BertModel.from_pretrained(weights, config=config, add_pooling_layer=False)
        # The words' own vectors know more than these data could teach them.
        self.encoder.embeddings.word_embeddings.requires_grad_(False)
        self.dropout = nn.Dropout(0.1)
        width, labels = config.hidden_size, len(HEAD.labels)
        self.guide = nn.Linear(width, labels)
        self.heads = nn.ModuleDict({HEAD.name: nn.Linear(width * (len(MEAN_LAYERS) + 1), labels)})

    def vectors(self, batch: dict[str, Tensor]) -> Vectors:
        """Token vectors of the last layer, and the means that the head reads."""
        found = self.encoder(input_ids=batch["ids"], attention_mask=batch["mask"], output_hidden_states=True)
        last = found.last_hidden_state
        read = [*(found.hidden_states[layer] for layer in MEAN_LAYERS), last]
        means = [sentence_vectors(vectors.float(), batch["mask"]) for vectors in read]
        return Vectors(last, last, means, batch["mask"])

    def guided(self, _: str, vectors: Vectors) -> Tensor:
        """Logits of rows, `[rows, labels]`, as the guide says them, which learns with the layers."""
        return self.guide(self.dropout(mean_of_tokens(vectors.inner.float(), vectors.mask)))

    def sequence(self, head: str, vectors: Vectors) -> Tensor:
        """The same as the fitted head says it."""
        return self.heads[head](torch.cat(vectors.means, dim=-1))

    def groups(self, rate: float, decay: float) -> list[tuple[nn.Module, float]]:
        """The parts with their learning rates: deeper layers learn less, so that what all texts share stays."""
        layers = [(layer, rate * decay**depth) for depth, layer in enumerate(reversed(self.encoder.encoder.layer))]
        return [*layers, (self.encoder.embeddings, rate * decay ** len(layers))]

    def stored_parts(self) -> dict[str, np.ndarray]:
        """What `model.safetensors` holds, in 32 bits, by its names there."""
        return {name: tensor.detach().float().cpu().numpy() for name, tensor in self.encoder.state_dict().items()}

    def take_parts(self, parts: dict[str, np.ndarray]) -> None:
        """Puts such tensors in place of its own."""
        self.encoder.load_state_dict({name: torch.from_numpy(part) for name, part in parts.items()})
