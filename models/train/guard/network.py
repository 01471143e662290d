"""The encoder of the guard, whose layers are tuned for attacks alone, and one linear head.

The shared encoder of `signals` has to keep its sentence vector and serves seven heads; this one has to do neither. Its head reads
inner layers beside the last, as the heads of `signals` do and for the same reason.
"""

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from ..signals.heads import HEAD_BY_NAME
from ..signals.network import Vectors, mean_of_tokens, sentence_vectors

HEAD = HEAD_BY_NAME["jailbreak"]
NETWORK, CALIBRATION = "network.pt", "calibration.json"
# A little noise inside of the layers: the attacks of one source repeat the same wording.
DROPOUT = 0.05
# Of a deeper encoder the layers below these stay as published, with the embeddings.
TUNED_LAYERS = 6


class Network(nn.Module):
    """`vectors`, `sequence` and `guided` are what fitting and the figures of `signals` ask of a network.

    `guide` stands in for the head while the layers learn, and is thrown away.
    """

    def __init__(self, encoder: BertModel) -> None:
        super().__init__()
        self.encoder = encoder
        width, labels, depth = encoder.config.hidden_size, len(HEAD.labels), encoder.config.num_hidden_layers
        # Whose means the head reads before that of the last layer.
        self.mean_layers = (depth * 3 // 8, depth * 6 // 8)
        # The words' own vectors know more than these data could teach them.
        encoder.embeddings.word_embeddings.requires_grad_(False)
        self.frozen = list(encoder.encoder.layer[: max(0, depth - TUNED_LAYERS)])
        for part in (encoder.embeddings, *self.frozen) if self.frozen else ():
            part.requires_grad_(False)
        self.dropout = nn.Dropout(0.1)
        self.guide = nn.Linear(width, labels)
        self.heads = nn.ModuleDict({HEAD.name: nn.Linear(width * (len(self.mean_layers) + 1), labels)})

    def vectors(self, batch: dict[str, Tensor]) -> Vectors:
        """Token vectors of the last layer, and the means that the head reads."""
        found = self.encoder(input_ids=batch["ids"], attention_mask=batch["mask"], output_hidden_states=True)
        last = found.last_hidden_state
        read = [*(found.hidden_states[layer] for layer in self.mean_layers), last]
        means = [sentence_vectors(vectors.float(), batch["mask"]) for vectors in read]
        return Vectors(last, last, means, batch["mask"])

    def guided(self, _: str, vectors: Vectors) -> Tensor:
        """Logits of rows, `[rows, labels]`, as the guide says them, which learns with the layers."""
        return self.guide(self.dropout(mean_of_tokens(vectors.inner.float(), vectors.mask)))

    def sequence(self, head: str, vectors: Vectors) -> Tensor:
        """The same as the fitted head says it."""
        return self.heads[head](torch.cat(vectors.means, dim=-1))

    def groups(self, rate: float, decay: float) -> list[tuple[nn.Module, float]]:
        """The parts that learn, with their rates: deeper layers learn less, so that what all texts share stays."""
        tuned = list(self.encoder.encoder.layer)[len(self.frozen) :]
        layers = [(layer, rate * decay**depth) for depth, layer in enumerate(reversed(tuned))]
        return layers if self.frozen else [*layers, (self.encoder.embeddings, rate * decay ** len(layers))]

    def stored_parts(self) -> dict[str, np.ndarray]:
        """What `model.safetensors` holds, in 32 bits, by its names there."""
        return {name: tensor.detach().float().cpu().numpy() for name, tensor in self.encoder.state_dict().items()}

    def take_parts(self, parts: dict[str, np.ndarray]) -> None:
        """Puts such tensors in place of its own."""
        self.encoder.load_state_dict({name: torch.from_numpy(part) for name, part in parts.items()})


def published(weights: Path, layers: int | None = None) -> Network:
    """The network over a published encoder, or over the first so many of its layers."""
    depth = {} if layers is None else {"num_hidden_layers": layers}
    config = BertConfig.from_pretrained(weights, hidden_dropout_prob=DROPOUT, attention_probs_dropout_prob=0.0, **depth)
    return Network(BertModel.from_pretrained(weights, config=config, add_pooling_layer=False))


def save_run(network: Network, folder: Path) -> None:
    """Writes what `load_run` reads."""
    network.encoder.config.save_pretrained(folder)
    torch.save(network.state_dict(), folder / NETWORK)


def load_run(folder: Path) -> Network:
    """The trained network of a run."""
    network = Network(BertModel(BertConfig.from_pretrained(folder), add_pooling_layer=False))
    network.load_state_dict(torch.load(folder / NETWORK, weights_only=True))
    return network.eval()


def read_calibration(folder: Path) -> dict:
    return json.loads((folder / CALIBRATION).read_text(encoding="utf-8"))
