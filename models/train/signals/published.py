"""The published encoder, whose sentence vectors training has to keep."""

from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import BertModel

from ..training import half_precision
from .network import sentence_vectors


class Published(nn.Module):
    def __init__(self, weights: Path) -> None:
        super().__init__()
        self.encoder = BertModel.from_pretrained(weights, add_pooling_layer=False).eval()

    @torch.no_grad()
    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        """`[rows, width]`, of length 1."""
        with half_precision(batch["ids"].device):
            last = self.encoder(batch["ids"], batch["mask"], batch["segments"]).last_hidden_state
        return sentence_vectors(last.float(), batch["mask"])
