"""config-v03 5.5.2: support vector machines; pairs in the layout of scikit-learn's SVC, or each model against the rest."""

import math

from common import first_best, vector, write_cases


def kernel(artefact, left, right):
    if artefact["kernel_type"] == "Linear":
        return sum(a * b for a, b in zip(left, right))
    return math.exp(-artefact["gamma"] * math.dist(left, right) ** 2)


def make(chance):
    size, names = chance.randint(2, 4), [f"m{index}" for index in range(chance.randint(2, 4))]
    artefact = {
        "algorithm": "svm",
        "trained": True,
        "model_names": names,
        "kernel_type": chance.choice(("Linear", "Rbf")),
        "gamma": chance.uniform(0.1, 2),
    }
    asked = vector(chance, size)
    expected = pairs(chance, artefact, asked, size) if chance.random() < 0.6 else each(chance, artefact, asked, size)
    return {"input": {"artefact": artefact, "features": asked}, "expected": expected}


def pairs(chance, artefact, asked, size):
    names = artefact["model_names"]
    counts = [chance.randint(1, 4) for _ in names]
    owners = [index for index, count in enumerate(counts) for _ in range(count)]
    vectors = [vector(chance, size) for _ in owners]
    dual = [[chance.uniform(-1, 1) for _ in owners] for _ in names[1:]]
    pair_names = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    intercept = [chance.uniform(-0.5, 0.5) for _ in pair_names]
    artefact["svc"] = {"support_vectors": vectors, "n_support": counts, "dual_coef": dual, "intercept": intercept}
    votes = [0] * len(names)
    for (i, j), offset in zip(pair_names, intercept):
        score = offset
        for owner, row in zip(owners, range(len(owners))):
            if owner == i:
                score += dual[j - 1][row] * kernel(artefact, vectors[row], asked)
            if owner == j:
                score += dual[i][row] * kernel(artefact, vectors[row], asked)
        # scikit-learn turns the signs of a machine with two classes around.
        positive = score < 0 if len(names) == 2 else score > 0
        votes[i if positive else j] += 1
    return names[first_best(votes)]


def each(chance, artefact, asked, size):
    length = math.sqrt(sum(value * value for value in asked))
    unit = [value / length for value in asked]
    names, scores = artefact["model_names"], []
    linear = artefact["kernel_type"] == "Linear"
    entries = []
    for name in names:
        rho = chance.uniform(-0.5, 0.5)
        if linear:
            entry = {"model_name": name, "weights": vector(chance, size), "rho": rho}
            scores.append(kernel(artefact, entry["weights"], unit) - rho)
        else:
            count = chance.randint(1, 4)
            entry = {
                "model_name": name,
                "support_vectors": [vector(chance, size) for _ in range(count)],
                "alpha": [chance.uniform(-1, 1) for _ in range(count)],
                "gamma": artefact["gamma"],
                "rho": rho,
            }
            terms = zip(entry["alpha"], entry["support_vectors"])
            scores.append(sum(alpha * kernel(artefact, row, unit) for alpha, row in terms) - rho)
        entries.append(entry)
    artefact["linear_classifiers" if linear else "rbf_classifiers"] = entries
    return names[first_best(scores)]


write_cases(make, 18)
