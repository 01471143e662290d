"""config-v03 5.5.2: the k nearest of a training vote with .9 quality + .1 speed."""

import math

from common import maybe, vector, write_cases


def unit(values):
    length = math.sqrt(sum(value * value for value in values))
    return [value / length for value in values]


def make(chance):
    size, rows = chance.randint(2, 5), chance.randint(1, 15)
    labels = [chance.choice("abcd") for _ in range(rows)]
    artefact = {
        "algorithm": "knn",
        "trained": True,
        "k": chance.randint(1, 7),
        "embeddings": [vector(chance, size) for _ in range(rows)],
        "labels": labels,
        "qualities": [chance.random() for _ in range(rows)],
        "latencies": [chance.randint(0, 60_000_000_000) for _ in range(rows)],
    }
    asked = vector(chance, size)
    target = unit(asked)
    distances = [math.dist(unit(row), target) for row in artefact["embeddings"]]
    nearest = sorted(range(rows), key=lambda row: distances[row])[: artefact["k"]]
    votes = {}
    for row in nearest:
        speed = 1 / (1 + artefact["latencies"][row] / 1e10)
        votes[labels[row]] = votes.get(labels[row], 0) + 0.9 * artefact["qualities"][row] + 0.1 * speed
    winner = min(votes, key=lambda label: (-votes[label], label))
    return {"input": {"artefact": artefact, "features": asked}, "expected": winner}


write_cases(make, 16)
