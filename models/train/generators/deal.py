"""Deals templates, fillers and topics out to the splits, so that none stands in two of them."""

import hashlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Literal, TypeVar

Split = Literal["train", "validation", "contrast"]
Item = TypeVar("Item")

TRAIN_SHARE = 0.70
VALIDATION_SHARE = 0.15


@lru_cache(maxsize=1 << 16)
def deal(name: str) -> Split:
    """70 % train, 15 % validation, 15 % contrast, by the SHA-256 of the name: stable when a list grows or is sorted anew."""
    position = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") / 2**64
    if position < TRAIN_SHARE:
        return "train"
    return "validation" if position < TRAIN_SHARE + VALIDATION_SHARE else "contrast"


def dealt(items: Iterable[Item], split: Split, name: Callable[[Item], str] = str) -> list[Item]:
    """The items of one split, in their order."""
    return [item for item in items if deal(name(item)) == split]
