"""config-v03 5.5.2: an exported network of linear, batch_norm, relu and dropout layers; the highest output wins."""

import math

from common import vector, write_cases


def make(chance):
    size, names = chance.randint(2, 6), [f"m{index}" for index in range(chance.randint(2, 5))]
    width, layers = size, []
    for _ in range(chance.randint(0, 2)):
        layers.append(linear(chance, width, chance.randint(2, 6)))
        width = layers[-1]["out_features"]
        if chance.random() < 0.5:
            layers.append(batch_norm(chance, width))
        layers += [{"type": "relu"}, {"type": "dropout", "p": 0.1}]
    layers.append(linear(chance, width, len(names)))
    artefact = {
        "algorithm": "mlp",
        "trained": True,
        "model_names": names,
        "feature_dim": size,
        "layers": layers,
    }
    asked = vector(chance, size)
    values = asked
    for layer in layers:
        if layer["type"] == "linear":
            values = [sum(w * v for w, v in zip(row, values)) + bias for row, bias in zip(layer["weight"], layer["bias"])]
        elif layer["type"] == "relu":
            values = [max(0, value) for value in values]
        elif layer["type"] == "batch_norm":
            columns = zip(values, layer["running_mean"], layer["running_var"], layer["weight"], layer["bias"])
            values = [(v - mean) / math.sqrt(variance + layer["eps"]) * w + b for v, mean, variance, w, b in columns]
    ordered = sorted(values, reverse=True)
    # Networks compute with float32, so that outputs which are this near are equal.
    expected = {"name": names[values.index(ordered[0])], "near": ordered[0] - ordered[1] < 1e-4}
    return {"input": {"artefact": artefact, "features": asked}, "expected": expected}


def linear(chance, inputs, outputs):
    return {
        "type": "linear",
        "in_features": inputs,
        "out_features": outputs,
        "weight": [vector(chance, inputs) for _ in range(outputs)],
        "bias": vector(chance, outputs),
    }


def batch_norm(chance, size):
    return {
        "type": "batch_norm",
        "num_features": size,
        "weight": [chance.uniform(0.5, 1.5) for _ in range(size)],
        "bias": vector(chance, size),
        "running_mean": vector(chance, size),
        "running_var": [chance.uniform(0.2, 2) for _ in range(size)],
        "eps": 1e-5,
    }


write_cases(make, 19)
