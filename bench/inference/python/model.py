"""The model as a Python service runs it: tokenizers, ONNX Runtime, mean pooling. Settings come from the environment."""

import os
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

PACKAGE = Path(os.environ["BENCH_PACKAGE"])
MAX_TOKENS = int(os.environ["BENCH_MAX_TOKENS"])

tokenizer = Tokenizer.from_file(str(PACKAGE / "tokenizer.json"))
tokenizer.enable_truncation(MAX_TOKENS)
tokenizer.enable_padding()

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(os.environ["BENCH_THREADS"])
options.inter_op_num_threads = 1
# As in the worker. Threads that spin after a run are a little faster alone, and much slower beside anything else.
if os.environ.get("BENCH_SPINNING") != "1":
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
session = onnxruntime.InferenceSession(os.environ["BENCH_GRAPH"], options, providers=["CPUExecutionProvider"])


def encode(texts):
    """One padded batch: token ids and attention mask."""
    rows = tokenizer.encode_batch(texts)
    ids = np.array([row.ids for row in rows], dtype=np.int32)
    mask = np.array([row.attention_mask for row in rows], dtype=np.int32)
    return ids, mask


def forward(ids, mask):
    """Vectors of the last layer."""
    feeds = {"input_ids": ids, "token_type_ids": np.zeros_like(ids), "attention_mask": mask}
    return session.run(None, feeds)[0]


def embed(texts):
    """Sentence vectors of length 1."""
    ids, mask = encode(texts)
    hidden = forward(ids, mask)
    weights = mask[:, :, None].astype(np.float32)
    pooled = (hidden * weights).sum(1) / weights.sum(1)
    return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
