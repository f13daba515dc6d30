"""A regression whose extents fit no mesh: few odd dims; one matrix that two layers share, or many equal layers."""

from dataclasses import dataclass

from onnx import TensorProto

import numpy as np

from models.graph_builder import GraphBuilder


@dataclass(frozen=True)
class Config:
    features: int
    width: int
    results: int
    layers: int = 1  # in the middle
    tied: bool = False


SIZES = {
    "odd": Config(features=5, width=7, results=3),
    "tied": Config(features=5, width=7, results=3, layers=2, tied=True),
    "deep": Config(features=5, width=7, results=3, layers=4),
}


def build(config, opset, seed=0):
    """Input x [batch, features], output y [batch, results]."""
    b = GraphBuilder("mlp", opset, seed)
    x = b.input("x", TensorProto.FLOAT, ["batch", config.features])
    x = b.op("Tanh", _layer(b, x, "first", config.features, config.width))
    for layer in range(config.layers):
        name = "middle" if config.tied or config.layers == 1 else f"middle{layer}"
        x = b.op("Tanh", _layer(b, x, name, config.width, config.width))
    x = _layer(b, x, "last", config.width, config.results)
    b.output(x, "y", TensorProto.FLOAT, ["batch", config.results])
    return b


def _layer(b, x, name, rows, columns):
    with b.scope(name):
        return b.op("Gemm", x, b.matrix("weight", rows, columns), b.normal("bias", (columns,), 0.1))


def inputs(config, random, batch):
    return {"x": random.standard_normal((batch, config.features), np.float32)}
