"""What a call of each model of the matrix costs, in US dollars per million tokens."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

# The matrix has characters, not tokens; English text has about four a token.
CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens, and where the numbers come from."""

    prompt: float
    completion: float
    source: str


# Models of the matrix whose price RouterArena lists; a model that was not tuned for chat costs what its chat sibling costs.
ARENA = "RouterArena"
ARENA_NAMES = {
    "Meta-Llama-3-8B": "meta-llama/llama-3-8b-instruct",
    "Meta-Llama-3-70B": "meta-llama/Meta-Llama-3-70B-Instruct-Turbo",
    "Meta-Llama-3_1-8B": "llama-3-1-8b-instruct",
    "Meta-Llama-3_1-8B-Instruct": "llama-3-1-8b-instruct",
    "Meta-Llama-3_1-70B": "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo",
    "Meta-Llama-3_1-70B-Instruct": "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo",
    "Mistral-7B-Instruct-v0.1": "mistralai/mistral-7b-instruct",
    "Mistral-7B-Instruct-v0.2": "mistralai/mistral-7b-instruct",
    "Mistral-7B-v0.1": "mistralai/mistral-7b-instruct",
    "Mistral-7B-v0.2-hf": "mistralai/mistral-7b-instruct",
    "Mixtral-8x7B-Instruct-v0.1": "mistralai/mixtral-8x7b-instruct",
    "Mixtral-8x7B-v0.1": "mistralai/mixtral-8x7b-instruct",
}
# List prices of the makers in autumn 2024, when the answers of the matrix were made.
LISTED = {
    "gemini-1.5-pro-002": (1.25, 5.0),
    "gemini-1.5-flash-002": (0.075, 0.3),
    "c4ai-command-r-v01": (0.5, 1.5),
}
# What a host that prices open weights by size took at the time: (billions of parameters up to, dollars).
SIZE_TIERS = ((4, 0.1), (8, 0.2), (21, 0.3), (41, 0.8), (80, 0.9), (110, 1.8))
BILLIONS = {
    "Llama-2-7b-hf": 7,
    "Llama-2-13b-hf": 13,
    "Llama-2-70b-hf": 70,
    "Phi-3-mini-4k-instruct": 3.8,
    "Qwen1.5-7B-Chat": 7,
    "Qwen1.5-72B-Chat": 72,
    "Qwen1.5-110B": 110,
    "Yi-6B": 6,
    "Yi-6b-Chat": 6,
    "Yi-34B": 34,
    "gemma-7b": 8,
    "mathstral-7B": 7,
}


def read_prices(data_folder: Path, models: tuple[str, ...]) -> list[Price]:
    """The price of each model, in their order; raises KeyError for a model that no table prices."""
    path = data_folder / "router" / "routerarena_model_cost.json.gz"
    listed = json.loads(gzip.open(path, "rt", encoding="utf-8").read())
    return [read_price(model, listed) for model in models]


def read_price(model: str, arena: dict) -> Price:
    if model in ARENA_NAMES:
        entry = arena[ARENA_NAMES[model]]
        return Price(entry["input_token_price_per_million"], entry["output_token_price_per_million"], ARENA)
    if model in LISTED:
        return Price(*LISTED[model], "list price")
    if model in BILLIONS:
        dollars = next(dollars for limit, dollars in SIZE_TIERS if BILLIONS[model] <= limit)
        return Price(dollars, dollars, "size tier")
    raise KeyError(f"Cannot price model {model!r}: add it to ARENA_NAMES, LISTED or BILLIONS in prices.py")


# Tuned to answer people; the others are base models, which a router hardly ever has among its choices.
CHAT = frozenset(
    (
        "Meta-Llama-3_1-70B-Instruct", "Meta-Llama-3_1-8B-Instruct", "Mistral-7B-Instruct-v0.1",
        "Mistral-7B-Instruct-v0.2", "Mixtral-8x7B-Instruct-v0.1", "Phi-3-mini-4k-instruct", "Qwen1.5-72B-Chat",
        "Qwen1.5-7B-Chat", "Yi-6b-Chat", "c4ai-command-r-v01", "gemini-1.5-flash-002", "gemini-1.5-pro-002", "mathstral-7B",
    )
)  # fmt: skip
CLOSED = frozenset(("gemini-1.5-flash-002", "gemini-1.5-pro-002"))
