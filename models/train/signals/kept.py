"""How well the sentence vector of the published encoder is kept."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import BertModel

from ..varied_texts import read_varied_texts
from .examples import Example
from .network import sentence_vectors

TEXTS_PER_FILE = 25
MAX_TOKENS = 256
ROWS = 32


def kept_cosines(encoder: nn.Module, weights: Path, data: Path, trained: Iterable[Example]) -> dict:
    """Cosines between the vectors of both encoders, on texts of every kind that did not train."""
    known = {text.strip() for example in trained for text in (example.text, *example.parts.values()) if text}
    texts = [text for text in read_varied_texts(data, TEXTS_PER_FILE) if text.strip() not in known]
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()
    original = BertModel.from_pretrained(weights, add_pooling_layer=False).eval()
    texts.sort(key=len)
    cosines = [
        (vectors(encoder, encodings) * vectors(original, encodings)).sum(-1).numpy()
        for encodings in (tokenizer.encode_batch(texts[first : first + ROWS]) for first in range(0, len(texts), ROWS))
    ]
    found = np.concatenate(cosines)
    return {
        "texts": len(found),
        "mean": round(float(found.mean()), 4),
        "percentile_1": round(float(np.quantile(found, 0.01)), 4),
        "min": round(float(found.min()), 4),
    }


@torch.no_grad()
def vectors(encoder: nn.Module, encodings: list) -> torch.Tensor:
    ids, mask = (torch.tensor([getattr(encoding, part) for encoding in encodings]) for part in ("ids", "attention_mask"))
    return sentence_vectors(encoder(input_ids=ids, attention_mask=mask).last_hidden_state, mask)
