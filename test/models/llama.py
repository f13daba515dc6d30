"""Llama: RMSNorm, rotary positions, grouped-query attention, SwiGLU, optional KV cache."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from models.graph_builder import GraphBuilder
from models.layers import attention, linear, merge_heads, rms_norm, silu, split_heads
from models.masks import causal_mask, expand


@dataclass(frozen=True)
class Config:
    layers: int
    heads: int
    kv_heads: int
    width: int
    hidden: int
    vocabulary: int
    cache: bool = False

    @property
    def head_size(self):
        return self.width // self.heads


SIZES = {
    "tiny": Config(layers=2, heads=4, kv_heads=2, width=64, hidden=176, vocabulary=211),
    "tiny-cache": Config(layers=2, heads=4, kv_heads=1, width=64, hidden=176, vocabulary=211,
                         cache=True),
}


def build(config, opset, seed=0, feed_forward=None):
    """Inputs input_ids [batch, sequence] and attention_mask [batch, past + sequence], and with a
    cache past_key_values.N.{key,value}; `feed_forward` replaces the SwiGLU layer."""
    b = GraphBuilder("llama", opset, seed)
    ids = b.input("input_ids", TensorProto.INT64, ["batch", "sequence"])
    attention_mask = b.input("attention_mask", TensorProto.INT64, ["batch", "past + sequence"])
    past = []
    if config.cache:
        dims = ["batch", config.kv_heads, "past", config.head_size]
        past = [[b.input(f"past_key_values.{i}.{part}", TensorProto.FLOAT, dims)
                 for part in ("key", "value")] for i in range(config.layers)]
    batch, length = b.dim(ids, 0), b.dim(ids, 1)
    past_length = b.dim(past[0][0], 2) if past else b.int(0)
    total = b.op("Add", past_length, length)
    with b.scope("model"):
        x = b.op("Gather", b.normal("embed_tokens.weight", (config.vocabulary, config.width), 1.0),
                 ids)
        mask = causal_mask(b, attention_mask, batch, length, total, past_length)
        rotary = _rotary_tables(b, config, _position_ids(b, attention_mask, length))
        for i in range(config.layers):
            with b.scope(f"layers.{i}"):
                y = rms_norm(b, x, "input_layernorm", config.width)
                x = b.op("Add", x, _self_attention(b, config, y, mask, rotary, past, i))
                y = rms_norm(b, x, "post_attention_layernorm", config.width)
                x = b.op("Add", x, (feed_forward or swiglu)(b, config, y))
        x = rms_norm(b, x, "norm", config.width)
    logits = linear(b, x, "lm_head", config.width, config.vocabulary, bias=False)
    b.output(logits, "logits", TensorProto.FLOAT, ["batch", "sequence", config.vocabulary])
    return b


def _position_ids(b, attention_mask, length):
    """cumsum(mask) - 1, 1 where padded, the last `length` columns (transformers' generate)."""
    counted = b.op("Sub", b.op("CumSum", attention_mask, b.int(-1)), b.int(1))
    hidden = b.op("Equal", attention_mask, b.int(0))
    positions = b.op("Where", hidden, b.int(1), counted)
    return b.slice(positions, 1, b.op("Neg", length))


def _rotary_tables(b, config, positions):
    """cos and sin [batch, 1, sequence, size] from inv_freq by MatMul."""
    with b.scope("rotary_emb"):
        exponent = np.arange(0, config.head_size, 2, dtype=np.float32) / config.head_size
        inv_freq = b.parameter("inv_freq", (1 / 10000.0**exponent).astype(np.float32))
        column = expand(b, b.unsqueeze(inv_freq, 0, 2), b.shape_of(b.dim(positions, 0), -1, 1))
        row = b.op("Cast", b.unsqueeze(positions, 1), to=TensorProto.FLOAT)
        if b.opset >= 18:
            angles = b.op("Einsum", column, row, equation="bik,bks->bsi")
        else:
            angles = b.op("Transpose", b.op("MatMul", column, row), perm=[0, 2, 1])
        both = b.op("Concat", angles, angles, axis=-1)
        return [b.unsqueeze(b.op(function, both), 1) for function in ("Cos", "Sin")]


def _rotate(b, config, x, rotary):
    """x cos + rotate_half(x) sin."""
    cos, sin = rotary
    half = config.head_size // 2
    turned = b.op("Concat", b.op("Neg", b.slice(x, 3, half)), b.slice(x, 3, 0, half), axis=-1)
    return b.op("Add", b.op("Mul", x, cos), b.op("Mul", turned, sin))


def _repeat_kv(b, config, x):
    """Each key/value head serves a group of query heads: Unsqueeze, Expand, Reshape."""
    group = config.heads // config.kv_heads
    if group == 1:
        return x
    batch, length = b.dim(x, 0), b.dim(x, 2)
    shape = b.shape_of(batch, config.kv_heads, group, length, config.head_size)
    x = expand(b, b.unsqueeze(x, 2), shape)
    return b.reshape(x, batch, config.heads, length, config.head_size)


def _self_attention(b, config, x, mask, rotary, past, index):
    with b.scope("self_attn"):
        heads = {"q_proj": config.heads, "k_proj": config.kv_heads, "v_proj": config.kv_heads}
        query, key, value = (
            split_heads(b, linear(b, x, name, config.width, count * config.head_size, bias=False),
                        count, config.head_size) for name, count in heads.items())
        query, key = (_rotate(b, config, part, rotary) for part in (query, key))
        if past:
            key = b.op("Concat", past[index][0], key, axis=2)
            value = b.op("Concat", past[index][1], value, axis=2)
            dims = ["batch", config.kv_heads, "past + sequence", config.head_size]
            b.output(key, f"present.{index}.key", TensorProto.FLOAT, dims)
            b.output(value, f"present.{index}.value", TensorProto.FLOAT, dims)
        if b.opset < 23:  # the Attention op groups heads itself
            key, value = _repeat_kv(b, config, key), _repeat_kv(b, config, value)
        y = merge_heads(b, attention(b, query, key, value, mask, config.head_size), config.width)
        return linear(b, y, "o_proj", config.width, config.width, bias=False)


def swiglu(b, config, x):
    """down(silu(gate(x)) * up(x))."""
    with b.scope("mlp"):
        gate = silu(b, linear(b, x, "gate_proj", config.width, config.hidden, bias=False))
        up = linear(b, x, "up_proj", config.width, config.hidden, bias=False)
        return linear(b, b.op("Mul", gate, up), "down_proj", config.hidden, config.width,
                      bias=False)


def inputs(config, random, batch, sequence, past=3):
    """Random inputs; the first row is padded on the left by one token."""
    past = past if config.cache else 0
    mask = np.ones((batch, past + sequence), np.int64)
    mask[0, 0] = 0
    feed = {"input_ids": random.integers(0, config.vocabulary, (batch, sequence)),
            "attention_mask": mask}
    shape = (batch, config.kv_heads, past, config.head_size)
    for i in range(config.layers if config.cache else 0):
        for part in ("key", "value"):
            feed[f"past_key_values.{i}.{part}"] = random.standard_normal(shape, np.float32)
    return feed
