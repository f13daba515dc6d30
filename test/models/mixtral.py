"""Mixtral: Llama blocks whose feed-forward is a mixture of experts with dense routing."""

from dataclasses import dataclass

import numpy as np

from models import llama
from models.layers import linear, silu


@dataclass(frozen=True)
class Config(llama.Config):
    experts: int = 4
    chosen: int = 2


SIZES = {
    "tiny": Config(layers=2, heads=4, kv_heads=2, width=64, hidden=96, vocabulary=211),
    "tiny-wide": Config(layers=1, heads=4, kv_heads=4, width=32, hidden=48, vocabulary=97,
                        experts=8, chosen=3),
}


def build(config, opset, seed=0):
    """Inputs as Llama's. Every expert sees every token; the gates of the others are zero."""
    return llama.build(config, opset, seed, feed_forward=_experts)


def _experts(b, config, x):
    with b.scope("block_sparse_moe"):
        scores = b.op("Softmax", linear(b, x, "gate", config.width, config.experts, bias=False),
                      axis=-1)
        top, chosen = b.op("TopK", scores, b.ints(config.chosen), outputs=2, axis=-1)
        total = b.op("ReduceSum", top, b.ints(-1), keepdims=1)
        gates = _dense_gates(b, config, scores, b.op("Div", top, total), chosen)
        result = None
        for expert in range(config.experts):
            with b.scope(f"experts.{expert}"):
                hidden = b.op("Mul",
                              silu(b, linear(b, x, "w1", config.width, config.hidden, bias=False)),
                              linear(b, x, "w3", config.width, config.hidden, bias=False))
                y = linear(b, hidden, "w2", config.hidden, config.width, bias=False)
                y = b.op("Mul", y, b.slice(gates, 2, expert, expert + 1))
            result = b.op("Add", result, y) if result else y
        return result


def _dense_gates(b, config, scores, weights, chosen):
    """[batch, sequence, experts] gates: scattered, or (before opset 18) summed one-hot rows."""
    if b.opset >= 18:
        zeros = b.op("Mul", scores, b.float(0))
        return b.op("ScatterElements", zeros, chosen, weights, axis=2)
    one_hot = b.op("OneHot", chosen, b.int(config.experts),
                   b.constant(np.array([0, 1], np.float32)), axis=-1)
    weighted = b.op("Mul", one_hot, b.unsqueeze(weights, -1))
    return b.op("ReduceSum", weighted, b.ints(2), keepdims=0)


inputs = llama.inputs
