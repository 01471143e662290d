"""Golden answers of the package: an independent float64 forward of encoder and head over fixed questions."""

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from ..golden import rounded
from ..packages import TOLERANCE
from ..reference import BertReference, gelu, softmax
from ..generators.decisions import Decision
from .layout import row_of, temperature_for

STATE = "The parcel arrived two days late and the box was open. I would like my money back, please write to me."
PROBES = (
    Decision(STATE, "choice", "What does the customer want?", (("refund", "money back"), ("repair", None), ("nothing", None)), "refund", "", ""),
    Decision(STATE, "score", "How urgent is it?", (("not at all", None), ("somewhat", None), ("very", None)), 1, "", ""),
    Decision(STATE, "noul", "The customer wants money back.", (("false", None), ("true", None)), True, "", ""),
    Decision(STATE, "set", "What is complained about?", (("delay", None), ("damage", None), ("price", None)), ("delay",), "", ""),
)


class MarkerReference(BertReference):
    """Logits at the markers of a row: type embedding, transformer layers with norms first, scorer."""

    def __init__(self, folder: Path, settings: dict):
        super().__init__(folder)
        stored = load_file(folder / "decisions.safetensors")
        self.weights |= {name: tensor.astype(np.float64) for name, tensor in stored.items()}
        self.types, self.head_layers, self.max_similarity = settings["questions"]["types"], settings["head"]["layers"], settings["head"]["max_similarity"]
        self.statement = settings["head"]["statement"]
        self.tokenizer.no_truncation()

    def logits(self, decision: Decision) -> np.ndarray:
        """Those of the options, and that of "none of them" where it is read."""
        row = row_of(decision, self.tokenizer)
        hidden = self.forward(np.array([row.ids])) + self.weights["type_emb.weight"][self.types.index(decision.type)]
        for index in range(self.head_layers):
            hidden = self.head_layer(hidden, f"head.layers.{index}")
        marked = self.normed(hidden[0, row.places], "scorer.0")
        scored = self.linear(gelu(self.linear(marked, "scorer.1")), "scorer.3")[:, 0]
        directions = hidden[0] / np.linalg.norm(hidden[0], axis=-1, keepdims=True)
        nearest = (directions @ directions[row.state : len(row.ids) - 1].T).max(-1)
        if decision.type == "noul":
            start, end = row.words_asked
            turned = 1 / (1 + np.exp(-self.linear(hidden[0, start:end], "turns")[:, 0]))
            compared = self.statement["factor"] * nearest[start:end].mean() + self.statement["addend"]
            return scored + np.array([0.0, (2 * np.prod(1 - turned) - 1) * compared])
        like = np.array([nearest[start:end].mean() for start, end in row.options])
        return scored + self.max_similarity[decision.type] * like

    def head_layer(self, hidden: np.ndarray, name: str) -> np.ndarray:
        width = hidden.shape[-1]
        normed = self.normed(hidden, f"{name}.norm1")
        joined = normed @ self.weights[f"{name}.self_attn.in_proj_weight"].T + self.weights[f"{name}.self_attn.in_proj_bias"]
        split = lambda part: part.reshape(*part.shape[:2], width // 64, 64).transpose(0, 2, 1, 3)  # noqa: E731
        query, key, value = (split(part) for part in np.split(joined, 3, axis=-1))
        attended = softmax(query @ key.transpose(0, 1, 3, 2) / 8.0) @ value
        hidden = hidden + self.linear(attended.transpose(0, 2, 1, 3).reshape(hidden.shape), f"{name}.self_attn.out_proj")
        widened = np.maximum(self.linear(self.normed(hidden, f"{name}.norm2"), f"{name}.linear1"), 0)
        return hidden + self.linear(widened, f"{name}.linear2")

    def normed(self, hidden: np.ndarray, name: str) -> np.ndarray:
        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def compute_decide_golden(folder: Path, settings: dict) -> dict:
    """The content of `golden.json`."""
    reference = MarkerReference(folder, settings)
    questions = [to_probe(decision, reference.logits(decision), settings["calibration"]) for decision in PROBES]
    return {
        "schema": 1,
        "reference": "numpy float64",
        "tolerance": TOLERANCE,
        "decisions": [{"state": STATE, "questions": questions}],
    }


def to_probe(decision: Decision, logits: np.ndarray, calibration: dict) -> dict:
    """One question with its answer, as the file has it."""
    logits = logits / temperature_for(decision, calibration["temperatures"])
    probe = {"type": decision.type, "instructions": decision.instructions}
    options = logits[: len(decision.options)]
    none = softmax(logits)[-1] if len(logits) > len(options) else None
    probability = abstain_probability(calibration.get("abstention", {}).get(decision.type), options, none)
    abstain = {} if probability is None else {"abstain": rounded([probability])[0]}
    described = [{"key": key} | ({"description": text} if text else {}) for key, text in decision.options]
    match decision.type:
        case "choice":
            return probe | {"choices": described, "probabilities": rounded(softmax(options))} | abstain
        case "noul":
            return probe | {"noul": rounded(softmax(options))[1]} | abstain
        case "score":
            levels = [key for key, _ in decision.options]
            return probe | {"levels": levels, "probabilities": rounded(softmax(options))} | abstain
        case "set":
            return probe | {"labels": described, "probabilities": rounded(1 / (1 + np.exp(-logits)))}


def abstain_probability(weights: dict[str, float] | None, options: np.ndarray, none: float | None) -> float | None:
    """Of logits over their temperature; the share of "none of them" where the type has no weights."""
    if weights is None:
        return none
    shown = {"bias": 1.0, "top": softmax(options).max(), "none": none or 0.0}
    return 1 / (1 + np.exp(-sum(weight * shown[name] for name, weight in weights.items())))
