"""Compares the worker's answers with the network's, on texts of every kind. All heads read each text, also the one for answers, here
without a context."""

import json
import random
import urllib.request
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from ..quantize import expand_stored, store
from ..reference import softmax
from ..results import report_progress, write_result
from ..varied_texts import read_varied_texts
from .calibrate import Calibration
from .heads import HEADS, Head
from .network import Network, sentence_vectors

TEXTS, TEXTS_PER_FILE, SEED = 1000, 25, 7
MAX_TOKENS = 256


def compare(network: Network, calibration: dict[str, dict], weights: Path, data: Path, worker: str) -> None:
    """Writes `results/signals-worker.json`: the largest differences to the network as it was trained and to the network
    with the weights that the package stores. `worker` is the address of one that serves the package alone."""
    texts = read_varied_texts(data, TEXTS_PER_FILE)
    texts = random.Random(SEED).sample(texts, TEXTS)
    tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    temperatures = {name: Calibration(**values).temperature for name, values in calibration.items()}
    said = [ask_worker(worker, text) for text in report(texts)]
    figures = {"texts": len(texts), "trained": differences(network, tokenizer, temperatures, texts, said)}
    stored = expand_stored(store(network.stored_parts()))
    network.take_parts(stored)
    figures["stored"] = differences(network, tokenizer, temperatures, texts, said)
    write_result("signals-worker", figures)


def report(texts: list[str]):  # noqa: ANN201 - a generator of the texts
    tell = report_progress("compare: the worker", len(texts))
    for done, text in enumerate(texts, 1):
        yield text
        tell(done)


def ask_worker(worker: str, text: str) -> dict[str, np.ndarray]:
    """By head its probabilities, `[labels]` or `[tokens, labels]`, and the sentence vector under `sentence`."""
    options = {"overflow": "truncate", "return_tokens": True}
    heads = [head for head in HEADS if head.name != "hallucination"]
    tasks = [{"id": head.name, "classify": {"head": head.name, "input": text, "options": options_of(head, options)}} for head in heads]
    tasks.append({"id": "sentence", "embeddings": {"input": [text], "options": {"overflow": "truncate"}}})
    body = json.dumps({"tasks": tasks}).encode()
    request = urllib.request.Request(f"{worker}/v1/bundle", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        results = {result["id"]: result for result in json.load(response)["results"]}
    said = {}
    for head in heads:
        (result,) = results[head.name]["classify"]["results"]
        of_tokens = [token["probabilities"] for token in result.get("tokens", [])]
        said[head.name] = np.array(of_tokens if head.kind == "token" else result["probabilities"])
    said["sentence"] = np.array(results["sentence"]["embeddings"]["data"][0]["embedding"])
    return said


def options_of(head: Head, options: dict) -> dict:
    return options if head.kind == "token" else {"overflow": options["overflow"]}


@torch.no_grad()
def differences(network: Network, tokenizer: Tokenizer, temperatures: dict, texts: list[str], said: list[dict]) -> dict:
    """By head the largest and the mean difference of a probability, and of the sentence vector of a number."""
    found: dict[str, list[np.ndarray]] = {}
    for text, answers in zip(texts, said, strict=True):
        encoding = tokenizer.encode(text)
        batch = {
            "ids": torch.tensor([encoding.ids]),
            "segments": torch.tensor([encoding.type_ids]),
            "mask": torch.ones(1, len(encoding.ids), dtype=torch.long),
        }
        vectors = network.vectors(batch)
        for head in HEADS:
            if head.name not in answers:
                continue
            own = [not special for special in encoding.special_tokens_mask]
            logits = network.tokens(head.name, vectors)[0][own] if head.kind == "token" else network.sequence(head.name, vectors)[0]
            expected = softmax(logits.numpy() / temperatures[head.name])
            found.setdefault(head.name, []).append(np.abs(expected - answers[head.name].reshape(expected.shape)).ravel())
        sentence = sentence_vectors(vectors.last, batch["mask"])[0].numpy()
        found.setdefault("sentence", []).append(np.abs(sentence - answers["sentence"]))
    joined = {name: np.concatenate(values) for name, values in found.items()}
    return {
        name: {"largest": round(float(values.max()), 6), "mean": round(float(values.mean()), 7)}
        for name, values in joined.items()
        if values.size
    }
