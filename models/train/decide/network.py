"""The encoder with the head that decides at the markers. The names of its tensors are those of a package."""

from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from .layout import TYPES, AskedRow

SPAN_SIZE = 64
SPAN_TEMPERATURE = 0.07
# What the max similarity of option and state counts before training, in the order of `TYPES`: the options of these types are texts
# like those of a state. Those of nouls and spans stay unused.
MAX_SIMILARITY = (20.0, 0.0, 20.0, 20.0, 0.0)
# The same of the words of a yes-or-no question, as a factor and what is added to the product: alike and not alike are that far apart.
STATEMENT = (15.0, -6.0)
# A word that turns a statement has a logit above 0; in the beginning none does.
TURNS_BIAS, TURNS_UNIT = -5.0, 10.0
# The network has the numbers above it in these units: an optimizer's step is as large for a number of 20 as for one of 0.4.
UNIT = 50.0


class Head(nn.Module):
    """Type embedding, transformer layers, a scorer for options, and projections that compare words with labels."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.type_emb = nn.Embedding(len(TYPES), width)
        # Larger, it would drown the encoder's vectors, whose values are below 1; and the layers begin as none at all, so that
        # training starts from what the encoder knows.
        nn.init.normal_(self.type_emb.weight, std=0.02)
        layer = nn.TransformerEncoderLayer(width, width // 64, 4 * width, 0.0, "relu", batch_first=True, norm_first=True)
        self.head = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        for one in self.head.layers:
            nn.init.zeros_(one.self_attn.out_proj.weight)
            nn.init.zeros_(one.linear2.weight)
        self.scorer = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        self.span = nn.ModuleDict({
            name: nn.Sequential(nn.LayerNorm(width), nn.Linear(width, SPAN_SIZE, bias=False)) for name in ("label", "word")
        })
        self.span_bias = nn.Parameter(torch.tensor(-4.0))
        self.max_similarity = nn.Parameter(torch.tensor(MAX_SIMILARITY) / UNIT)
        self.statement = nn.Parameter(torch.tensor(STATEMENT) / UNIT)
        self.turns = nn.Linear(width, 1)
        nn.init.zeros_(self.turns.weight)
        nn.init.constant_(self.turns.bias, TURNS_BIAS / TURNS_UNIT)


class Decider(nn.Module):
    def __init__(self, weights: Path, layers: int = 1) -> None:
        super().__init__()
        config = BertConfig.from_pretrained(weights, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
        self.encoder = BertModel.from_pretrained(weights, config=config, add_pooling_layer=False)
        # The words' own vectors know more than these data could teach them.
        self.encoder.embeddings.word_embeddings.requires_grad_(False)
        self.layers = layers
        self.rest = Head(config.hidden_size, layers)

    def vectors(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """`[rows, tokens, width]`, behind the head's layers."""
        hidden = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        hidden = hidden + self.rest.type_emb(types).unsqueeze(1)
        return self.rest.head(hidden, src_key_padding_mask=mask == 0)

    def options(self, vectors: Tensor, row: AskedRow, kind: str) -> Tensor:
        """Logits at all markers of a row, of its vectors `[tokens, width]`: what the scorer finds at a marker, and how like its
        option is to the state."""
        logits = self.rest.scorer(vectors[row.places]).squeeze(-1)
        if kind == "noul":
            return logits + torch.stack([torch.zeros_like(logits[0]), self.statement(vectors, row)])
        return logits + UNIT * self.rest.max_similarity[TYPES.index(kind)] * max_similarity(vectors, row, row.options)

    def statement(self, vectors: Tensor, row: AskedRow) -> Tensor:
        """What is added to the logit of "true": how like the words of the question are to the state, turned where one of them, such
        as "not", says so. Nothing where there is nothing to compare."""
        start, end = row.words_asked
        if end <= start or row.state >= len(row.ids) - 1:
            return vectors.new_zeros(())
        turned = torch.sigmoid(TURNS_UNIT * self.rest.turns(vectors[start:end]).squeeze(-1).float())
        # A product of many factors, as the sum of their logarithms.
        kept = torch.log1p(-turned.clamp(max=0.999)).sum().exp()
        factor, addend = UNIT * self.rest.statement
        return (2 * kept - 1) * (factor * max_similarity(vectors, row, [row.words_asked])[0] + addend)

    def words(self, words: Tensor, labels: Tensor) -> Tensor:
        """Logits `[words, labels]`."""
        project = lambda part, vectors: nn.functional.normalize(self.rest.span[part](vectors), dim=-1)  # noqa: E731
        return project("word", words) @ project("label", labels).T / SPAN_TEMPERATURE + self.rest.span_bias


def max_similarity(vectors: Tensor, row: AskedRow, texts: list[tuple[int, int]]) -> Tensor:
    """How like each text of the row, given by where it begins and ends, is to the state: the mean, over its tokens, of the cosine to
    the most similar token of the state (late interaction, as of ColBERT, Khattab and Zaharia 2020). Nothing is like an empty text."""
    directions = nn.functional.normalize(vectors, dim=-1)
    state = directions[row.state : len(row.ids) - 1]
    if not len(state):
        return vectors.new_zeros(len(texts))
    nearest = (directions[: row.state] @ state.T).amax(-1)
    parts = [nearest[start:end] for start, end in texts]
    return torch.stack([part.mean() if len(part) else part.new_zeros(()) for part in parts])
