"""Random inputs of selectors with a seed, and the sums that several references share. Plain Python, no libraries."""

import json
import math
import random
import sys

CASES = 1000


def write_cases(make, seed):
    """Writes CASES cases as JSON; `make` takes a source of chance and returns {"input": …, "expected": …}."""
    chance = random.Random(seed)
    json.dump([make(chance) for _ in range(CASES)], sys.stdout)


def maybe(chance, share, value):
    """The value, or None with the other share."""
    return value if chance.random() < share else None


def min_max(values):
    """On a scale from 0 to 1; 0.5 where all known values are equal; None stays None."""
    known = [value for value in values if value is not None]
    if not known:
        return values
    low, high = min(known), max(known)
    return [None if value is None else 0.5 if high == low else (value - low) / (high - low) for value in values]


def first_best(scores):
    """Position of the highest score, the first of equals."""
    return max(range(len(scores)), key=lambda index: (scores[index], -index))


def nearest_rank(observed, percent):
    """The percentile by nearest rank; None below three observations."""
    if len(observed) < 3:
        return None
    return sorted(observed)[max(1, math.ceil(percent * len(observed) / 100)) - 1]


def observations(chance):
    """Up to thirty times in milliseconds; often too few."""
    middle = chance.uniform(5, 500)
    return [chance.uniform(0.5, 1.5) * middle for _ in range(chance.choice((0, 1, 2, 3, 5, 12, 30)))]


def vector(chance, size):
    return [chance.gauss(0, 1) for _ in range(size)]
