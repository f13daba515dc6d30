"""BERT encoder: token types, padding mask, post-LayerNorm blocks, erf gelu, pooler."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from models.graph_builder import GraphBuilder
from models.layers import attention, gelu_erf, layer_norm, linear, merge_heads, split_heads
from models.masks import padding_mask


@dataclass(frozen=True)
class Config:
    layers: int
    heads: int
    width: int
    vocabulary: int
    positions: int


SIZES = {
    "tiny": Config(layers=2, heads=4, width=64, vocabulary=211, positions=64),
    "base": Config(layers=12, heads=12, width=768, vocabulary=30522, positions=512),
}


def build(config, opset, seed=0):
    """Inputs input_ids, attention_mask and token_type_ids, all [batch, sequence]."""
    b = GraphBuilder("bert", opset, seed)
    width = config.width
    dims = ["batch", "sequence"]
    ids = b.input("input_ids", TensorProto.INT64, dims)
    attention_mask = b.input("attention_mask", TensorProto.INT64, dims)
    types = b.input("token_type_ids", TensorProto.INT64, dims)
    with b.scope("bert"):
        mask = padding_mask(b, attention_mask)
        with b.scope("embeddings"):
            numbers = b.parameter("position_ids",
                                  np.arange(config.positions, dtype=np.int64)[None])
            positions = b.slice(numbers, 1, 0, b.dim(ids, 1))
            x = b.op("Gather", b.normal("word_embeddings.weight", (config.vocabulary, width), .5),
                     ids)
            x = b.op("Add", x, b.op(
                "Gather", b.normal("token_type_embeddings.weight", (2, width), 0.5), types))
            x = b.op("Add", x, b.op("Gather", b.normal(
                "position_embeddings.weight", (config.positions, width), 0.5), positions))
            x = layer_norm(b, x, "LayerNorm", width, 1e-12)
        with b.scope("encoder"):
            for i in range(config.layers):
                with b.scope(f"layer.{i}"):
                    x = _block(b, config, x, mask)
        with b.scope("pooler"):
            first = b.op("Gather", x, b.int(0), axis=1)
            pooled = b.op("Tanh", b.op("Gemm", first, b.matrix("dense.weight", width, width),
                                       b.normal("dense.bias", (width,), 0.1)))
    b.output(x, "last_hidden_state", TensorProto.FLOAT, [*dims, width])
    b.output(pooled, "pooler_output", TensorProto.FLOAT, ["batch", width])
    return b


def _block(b, config, x, mask):
    head_size = config.width // config.heads
    with b.scope("attention"):
        query, key, value = (split_heads(b, linear(b, x, f"self.{part}", config.width,
                                                   config.width), config.heads, head_size)
                             for part in ("query", "key", "value"))
        y = merge_heads(b, attention(b, query, key, value, mask, head_size), config.width)
        y = linear(b, y, "output.dense", config.width, config.width)
        x = layer_norm(b, b.op("Add", y, x), "output.LayerNorm", config.width, 1e-12)
    y = gelu_erf(b, linear(b, x, "intermediate.dense", config.width, 4 * config.width))
    y = linear(b, y, "output.dense", 4 * config.width, config.width)
    return layer_norm(b, b.op("Add", y, x), "output.LayerNorm", config.width, 1e-12)


def inputs(config, random, batch, sequence):
    """Random inputs; the last row ends in two padded tokens when it is long enough."""
    mask = np.ones((batch, sequence), np.int64)
    if sequence > 2:
        mask[-1, -2:] = 0
    return {"input_ids": random.integers(0, config.vocabulary, (batch, sequence)),
            "attention_mask": mask,
            "token_type_ids": random.integers(0, 2, (batch, sequence))}
