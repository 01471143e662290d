"""Writes an ONNX file with the fused operators of ONNX Runtime, from the weights of a model package.

usage: build_graph.py PACKAGE OUTPUT.onnx

The same graph over the same numbers: int8 weights are expanded here, as the worker expands them when it loads.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

CONTRIB = "com.microsoft"


class Builder:
    """Collects nodes and weights by name."""

    def __init__(self, tensors):
        self.tensors = tensors
        self.prefix = "bert." if "bert.embeddings.word_embeddings.weight" in tensors else ""
        self.nodes = []
        self.weights = {}

    def weight(self, name):
        full = self.prefix + name
        if full not in self.weights:
            value = self.tensors[full]
            if value.dtype == np.int8:
                value = value.astype(np.float32) * self.tensors[full + "_scale"].reshape(-1, 1)
            self.weights[full] = value.astype(np.float32)
        return full

    def node(self, domain, kind, inputs, outputs=None, **attributes):
        outputs = outputs or [f"{kind}_{len(self.nodes)}"]
        self.nodes.append(helper.make_node(kind, inputs, outputs, name=outputs[0], domain=domain, **attributes))
        return outputs[0]

    def product(self, value, weight):
        return self.node(CONTRIB, "FusedMatMul", [value, self.weight(weight)], transB=1)

    def normalized(self, name):
        return [self.weight(f"{name}.weight"), self.weight(f"{name}.bias")]


def build(package):
    config = json.loads((package / "config.json").read_text())
    builder = Builder(load_file(package / "model.safetensors"))
    epsilon = config["layer_norm_eps"]
    hidden = builder.node(
        CONTRIB,
        "EmbedLayerNormalization",
        [
            "input_ids",
            "token_type_ids",
            builder.weight("embeddings.word_embeddings.weight"),
            builder.weight("embeddings.position_embeddings.weight"),
            builder.weight("embeddings.token_type_embeddings.weight"),
            *builder.normalized("embeddings.LayerNorm"),
        ],
        ["embedded", "embedded_mask_index"],
        epsilon=epsilon,
    )
    for layer in range(config["num_hidden_layers"]):
        hidden = add_layer(builder, config, layer, hidden)
    integer = lambda name: helper.make_tensor_value_info(name, TensorProto.INT32, ["batch", "tokens"])
    output = helper.make_tensor_value_info(hidden, TensorProto.FLOAT, ["batch", "tokens", config["hidden_size"]])
    graph = helper.make_graph(
        builder.nodes,
        "bench",
        [integer(name) for name in ("input_ids", "token_type_ids", "attention_mask")],
        [output],
        [numpy_helper.from_array(value, name) for name, value in builder.weights.items()],
    )
    operators = [helper.make_opsetid("", 17), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(graph, ir_version=8, opset_imports=operators)


def add_layer(builder, config, layer, hidden):
    at = f"encoder.layer.{layer}"
    epsilon = config["layer_norm_eps"]
    parts = ["query", "key", "value"]
    products = [builder.product(hidden, f"{at}.attention.self.{part}.weight") for part in parts]
    biases = [builder.weight(f"{at}.attention.self.{part}.bias") for part in parts]
    bias = builder.node("", "Concat", biases, axis=0)
    attended = builder.node(
        CONTRIB,
        "MultiHeadAttention",
        [*products, bias, "attention_mask"],
        num_heads=config["num_attention_heads"],
    )
    projected = builder.product(attended, f"{at}.attention.output.dense.weight")
    attended = builder.node(
        CONTRIB,
        "SkipLayerNormalization",
        [
            projected,
            hidden,
            *builder.normalized(f"{at}.attention.output.LayerNorm"),
            builder.weight(f"{at}.attention.output.dense.bias"),
        ],
        epsilon=epsilon,
    )
    widened = builder.product(attended, f"{at}.intermediate.dense.weight")
    widened = builder.node(CONTRIB, "BiasGelu", [widened, builder.weight(f"{at}.intermediate.dense.bias")])
    narrowed = builder.product(widened, f"{at}.output.dense.weight")
    return builder.node(
        CONTRIB,
        "SkipLayerNormalization",
        [
            narrowed,
            attended,
            *builder.normalized(f"{at}.output.LayerNorm"),
            builder.weight(f"{at}.output.dense.bias"),
        ],
        epsilon=epsilon,
    )


def main():
    package, output = map(Path, sys.argv[1:])
    onnx.save(build(package), output)


main()
