"""Independent NumPy forwards of both families: the reference that golden files and quality figures come from."""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf
from tokenizers import Tokenizer

SCALE_SUFFIX = "_scale"
MAX_STACKED_TOKENS = 4096  # bounds the memory of one stacked forward


class BertReference:
    """Sentence vectors of a BERT package: mean over all tokens, CLS and SEP included, then length 1."""

    def __init__(self, folder: Path, dtype: type = np.float64, weights: dict[str, np.ndarray] | None = None):
        config = json.loads((folder / "config.json").read_text())
        self.heads = config["num_attention_heads"]
        self.layers = config["num_hidden_layers"]
        self.epsilon = config["layer_norm_eps"]
        self.tokenizer = read_tokenizer(folder)
        sentence = folder / "sentence_bert_config.json"
        if sentence.exists():
            self.tokenizer.enable_truncation(json.loads(sentence.read_text())["max_seq_length"])
        stored = read_weights(folder / "model.safetensors") if weights is None else weights
        self.weights = {name: tensor.astype(dtype) for name, tensor in stored.items()}

    def embed(self, texts: list[str], report: callable = lambda done: None) -> np.ndarray:
        """Sentence vectors [texts, dimension]."""
        pooled = self.means(texts, report=report)
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)

    def means(
        self, texts: list[str], layers: int | None = None, own: int = 0, report: callable = lambda done: None
    ) -> np.ndarray:
        """Means over the tokens of the vectors behind so many layers, or all, and behind `own` layers of the heads after
        these, [texts, dimension]. Texts of equal length are stacked, so there is neither padding nor a mask."""
        token_ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        vectors = np.zeros((len(texts), self.weights["embeddings.LayerNorm.weight"].size))
        done = 0
        for rows in equal_length_stacks(token_ids):
            vectors[rows] = self.forward(np.array([token_ids[row] for row in rows]), layers, own).mean(axis=1)
            done += len(rows)
            report(done)
        return vectors

    def forward(self, ids: np.ndarray, layers: int | None = None, own: int = 0) -> np.ndarray:
        """Hidden state [texts, tokens, dimension] behind so many layers, or all, and `own` ones of the heads, of token ids
        [texts, tokens]."""
        table = self.weights
        hidden = (
            table["embeddings.word_embeddings.weight"][ids]
            + table["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + table["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = self.layer_norm(hidden, "embeddings.LayerNorm")
        for index in range(self.layers if layers is None else layers):
            hidden = self.encoder_layer(hidden, f"encoder.layer.{index}")
        for index in range(own):
            hidden = self.encoder_layer(hidden, f"heads_encoder.layer.{index}")
        return hidden

    def encoder_layer(self, hidden: np.ndarray, name: str) -> np.ndarray:
        attended = self.linear(self.attention(hidden, f"{name}.attention.self"), f"{name}.attention.output.dense")
        hidden = self.layer_norm(hidden + attended, f"{name}.attention.output.LayerNorm")
        widened = gelu(self.linear(hidden, f"{name}.intermediate.dense"))
        narrowed = self.linear(widened, f"{name}.output.dense")
        return self.layer_norm(hidden + narrowed, f"{name}.output.LayerNorm")

    def attention(self, hidden: np.ndarray, name: str) -> np.ndarray:
        texts, tokens, dimension = hidden.shape
        query, key, value = (
            self.linear(hidden, f"{name}.{part}").reshape(texts, tokens, self.heads, -1).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(query.dtype.type(dimension // self.heads))
        return (softmax(scores) @ value).transpose(0, 2, 1, 3).reshape(texts, tokens, dimension)

    def linear(self, hidden: np.ndarray, name: str) -> np.ndarray:
        return hidden @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def layer_norm(self, hidden: np.ndarray, name: str) -> np.ndarray:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self.epsilon)
        return centred / deviation * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


class StaticReference:
    """Sentence vectors of a static package: mean of token vectors, then length 1.

    As in model2vec: no special tokens are added, the first `max_tokens` tokens are kept, unknown tokens are dropped
    after that cut. A text without a known token has the zero vector, and so has "a" alone: int8 left its row all zeros.
    """

    def __init__(self, folder: Path, max_tokens: int):
        self.table = read_weights(folder / "model.safetensors")["embeddings"].astype(np.float64)
        self.tokenizer = read_tokenizer(folder)
        self.max_tokens = max_tokens
        self.unknown = self.tokenizer.token_to_id("[UNK]")

    def embed(self, texts: list[str]) -> np.ndarray:
        """Vectors [texts, dimension]."""
        return np.stack([self.embed_one(text) for text in texts])

    def embed_one(self, text: str) -> np.ndarray:
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids[: self.max_tokens]
        known = [token for token in ids if token != self.unknown]
        if not known:
            return np.zeros(self.table.shape[1])
        mean = self.table[known].mean(axis=0)
        length = np.linalg.norm(mean)
        return mean / length if length > 0 else mean


def read_tokenizer(folder: Path) -> Tokenizer:
    """The package's tokenizer without the padding and truncation that its file may carry."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def read_weights(path: Path) -> dict[str, np.ndarray]:
    """Tensors as float32, with int8 tensors multiplied by their row scales where they have them."""
    stored = load_file(path)
    return {
        name: expand(tensor, stored.get(name + SCALE_SUFFIX))
        for name, tensor in stored.items()
        if not name.endswith(SCALE_SUFFIX)
    }


def expand(tensor: np.ndarray, scale: np.ndarray | None) -> np.ndarray:
    values = tensor.astype(np.float32)
    return values if scale is None else values * scale[:, None]


def equal_length_stacks(token_ids: list[list[int]]) -> Iterable[list[int]]:
    """Row numbers grouped by token count, longest first, each group within the stack bound."""
    rows_by_length: dict[int, list[int]] = defaultdict(list)
    for row, ids in enumerate(token_ids):
        rows_by_length[len(ids)].append(row)
    for length in sorted(rows_by_length, reverse=True):
        rows = rows_by_length[length]
        size = max(1, MAX_STACKED_TOKENS // length)
        yield from (rows[start : start + size] for start in range(0, len(rows), size))


def softmax(scores: np.ndarray) -> np.ndarray:
    """Softmax over the last axis."""
    exponents = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponents / exponents.sum(axis=-1, keepdims=True)


def gelu(values: np.ndarray) -> np.ndarray:
    return values * 0.5 * (1 + erf(values * values.dtype.type(np.sqrt(0.5))))
