"""Deals short lists out, so that each split gets something of a list of three entries."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TypeVar

from ..deal import Split

Item = TypeVar("Item")
HELD_OUT_SHARE = 0.15  # each of validation and contrast


def share(items: Iterable[Item], split: Split, name: Callable[[Item], str] = str) -> list[Item]:
    """The items of one split: dealt by the rank of the SHA-256 of their names, at least one each to validation and contrast."""
    ordered = sorted(items, key=lambda item: sha256(name(item).encode()).digest())
    held_out = max(1, round(len(ordered) * HELD_OUT_SHARE))
    if split == "validation":
        return ordered[:held_out]
    return ordered[held_out : 2 * held_out] if split == "contrast" else ordered[2 * held_out :]
