"""config-v03 5.5.2: the model of the nearest centre."""

import math

from common import vector, write_cases


def make(chance):
    size, clusters = chance.randint(2, 6), chance.randint(1, 8)
    artefact = {
        "algorithm": "kmeans",
        "trained": True,
        "centroids": [vector(chance, size) for _ in range(clusters)],
        "cluster_models": [chance.choice("abcd") for _ in range(clusters)],
    }
    asked = vector(chance, size)
    nearest = min(range(clusters), key=lambda cluster: math.dist(artefact["centroids"][cluster], asked))
    return {"input": {"artefact": artefact, "features": asked}, "expected": artefact["cluster_models"][nearest]}


write_cases(make, 17)
