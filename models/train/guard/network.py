"""The encoder of the guard: all-MiniLM-L6-v2 with all layers tuned for attacks alone, and one linear head.

The shared encoder of `signals` has to keep its sentence vector and serves seven heads; this one has to do neither.
"""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from ..signals.heads import HEAD_BY_NAME
from ..signals.network import mean_of_tokens

HEAD = HEAD_BY_NAME["jailbreak"]
# A little noise inside of the layers: the attacks of one source repeat the same wording.
DROPOUT = 0.05


class Network(nn.Module):
    """`vectors` and `sequence` are what the figures of `signals` ask of a network."""

    def __init__(self, weights: Path) -> None:
        super().__init__()
        config = BertConfig.from_pretrained(weights, hidden_dropout_prob=DROPOUT, attention_probs_dropout_prob=0.0)
        self.encoder = BertModel.from_pretrained(weights, config=config, add_pooling_layer=False)
        # The words' own vectors know more than these data could teach them.
        self.encoder.embeddings.word_embeddings.requires_grad_(False)
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(config.hidden_size, len(HEAD.labels))

    def vectors(self, batch: dict[str, Tensor]) -> Tensor:
        """The means of the tokens, `[rows, width]`."""
        hidden = self.encoder(input_ids=batch["ids"], attention_mask=batch["mask"]).last_hidden_state
        return mean_of_tokens(hidden.float(), batch["mask"])

    def sequence(self, _: str, means: Tensor) -> Tensor:
        """Logits of rows, `[rows, labels]`."""
        return self.head(self.dropout(means))

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
