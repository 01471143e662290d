"""The trunk with the head that decides at the markers. The names of its tensors are those of a package."""

from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from .layout import TYPES

SPAN_SIZE = 64
SPAN_TEMPERATURE = 0.07


class Head(nn.Module):
    """Type embedding, transformer layers, a scorer for options, and projections that compare words with labels."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.type_emb = nn.Embedding(len(TYPES), width)
        layer = nn.TransformerEncoderLayer(width, width // 64, 4 * width, 0.0, "relu", batch_first=True, norm_first=True)
        self.head = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.scorer = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        self.span = nn.ModuleDict({
            name: nn.Sequential(nn.LayerNorm(width), nn.Linear(width, SPAN_SIZE, bias=False)) for name in ("label", "word")
        })
        self.span_bias = nn.Parameter(torch.tensor(-4.0))


class Decider(nn.Module):
    def __init__(self, weights: Path, layers: int = 1) -> None:
        super().__init__()
        config = BertConfig.from_pretrained(weights, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
        self.trunk = BertModel.from_pretrained(weights, config=config, add_pooling_layer=False)
        # The words' own vectors know more than these data could teach them.
        self.trunk.embeddings.word_embeddings.requires_grad_(False)
        self.layers = layers
        self.rest = Head(config.hidden_size, layers)

    def vectors(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """`[rows, tokens, width]`, behind the head's layers."""
        hidden = self.trunk(input_ids=ids, attention_mask=mask).last_hidden_state
        hidden = hidden + self.rest.type_emb(types).unsqueeze(1)
        return self.rest.head(hidden, src_key_padding_mask=mask == 0)

    def options(self, vectors: Tensor) -> Tensor:
        """Logits of the vectors at markers."""
        return self.rest.scorer(vectors).squeeze(-1)

    def words(self, words: Tensor, labels: Tensor) -> Tensor:
        """Logits `[words, labels]`."""
        project = lambda part, vectors: nn.functional.normalize(self.rest.span[part](vectors), dim=-1)  # noqa: E731
        return project("word", words) @ project("label", labels).T / SPAN_TEMPERATURE + self.rest.span_bias
