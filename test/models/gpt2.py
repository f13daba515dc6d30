"""GPT-2: fused QKV, learned positions, causal mask, tied output weights, optional KV cache."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from models.graph_builder import GraphBuilder
from models.layers import (attention, conv1d, gelu_tanh, layer_norm, merge_heads, split_heads)
from models.masks import causal_mask


@dataclass(frozen=True)
class Config:
    layers: int
    heads: int
    width: int
    vocabulary: int
    positions: int
    cache: bool = False
    mask_type: type = bool  # of the stored triangle; older exports have uint8


SIZES = {
    "tiny": Config(layers=2, heads=4, width=64, vocabulary=211, positions=64),
    "tiny-cache": Config(layers=2, heads=4, width=64, vocabulary=211, positions=64, cache=True),
    # Triangles too large to be inlined, as in the released models.
    "tiny-1024": Config(layers=1, heads=2, width=32, vocabulary=61, positions=1024),
    "tiny-1024-bytes": Config(layers=1, heads=2, width=32, vocabulary=61, positions=1024,
                              mask_type=np.uint8),
    "demo": Config(layers=4, heads=8, width=128, vocabulary=256, positions=128),
    "124m": Config(layers=12, heads=12, width=768, vocabulary=50257, positions=1024),
}


def build(config, opset, seed=0):
    """The graph; inputs are input_ids [batch, sequence], and with a cache also attention_mask
    [batch, past + sequence] and past_key_values.N.{key,value} [batch, heads, past, size]."""
    b = GraphBuilder("gpt2", opset, seed)
    head_size = config.width // config.heads
    ids = b.input("input_ids", TensorProto.INT64, ["batch", "sequence"])
    cached = ["batch", config.heads, "past", head_size]
    past = []
    if config.cache:
        attention_mask = b.input("attention_mask", TensorProto.INT64,
                                 ["batch", "past + sequence"])
        past = [[b.input(f"past_key_values.{i}.{part}", TensorProto.FLOAT, cached)
                 for part in ("key", "value")] for i in range(config.layers)]

    batch, length = b.dim(ids, 0), b.dim(ids, 1)
    past_length = b.dim(past[0][0], 2) if config.cache else b.int(0)
    total = b.op("Add", past_length, length)
    std = 2 * config.width**-0.5  # logits of standard deviation 2
    with b.scope("transformer"):
        wte = b.normal("wte.weight", (config.vocabulary, config.width), std)
        wpe = b.normal("wpe.weight", (config.positions, config.width), std)
        positions = b.unsqueeze(b.op("Range", past_length, total, b.int(1)), 0)
        x = b.op("Add", b.op("Gather", wte, ids), b.op("Gather", wpe, positions))
        mask = (causal_mask(b, attention_mask, batch, length, total, past_length)
                if config.cache else None)
        for i in range(config.layers):
            with b.scope(f"h.{i}"):
                x = _block(b, config, x, length, total, mask, past[i] if past else None, i)
        x = layer_norm(b, x, "ln_f", config.width)
    with b.scope("lm_head"):
        logits = b.op("MatMul", x, b.op("Transpose", wte, perm=[1, 0]))
    b.output(logits, "logits", TensorProto.FLOAT, ["batch", "sequence", config.vocabulary])
    return b


def _block(b, config, x, length, total, mask, past, index):
    head_size = config.width // config.heads
    with b.scope("attn"):
        y = layer_norm(b, x, "ln_1", config.width)
        y = conv1d(b, y, "c_attn", config.width, 3 * config.width)
        query, key, value = (split_heads(b, part, config.heads, head_size)
                             for part in b.split(y, [config.width] * 3, axis=2))
        if past:
            key = b.op("Concat", past[0], key, axis=2)
            value = b.op("Concat", past[1], value, axis=2)
            dims = ["batch", config.heads, "past + sequence", head_size]
            b.output(key, f"present.{index}.key", TensorProto.FLOAT, dims)
            b.output(value, f"present.{index}.value", TensorProto.FLOAT, dims)
        if mask:
            y = attention(b, query, key, value, mask, head_size)
        else:
            y = _attention_by_buffer(b, config, query, key, value, length, total)
        y = merge_heads(b, y, config.width)
        x = b.op("Add", conv1d(b, y, "c_proj", config.width, config.width), x)
    with b.scope("mlp"):
        y = layer_norm(b, x, "ln_2", config.width)
        y = conv1d(b, y, "c_fc", config.width, 4 * config.width)
        y = conv1d(b, gelu_tanh(b, y), "c_proj", 4 * config.width, config.width)
        return b.op("Add", x, y)


def _attention_by_buffer(b, config, query, key, value, length, total):
    """The older spelling: a [1, 1, n, n] boolean triangle, sliced and used in Where."""
    head_size = config.width // config.heads
    scores = b.op("MatMul", query, b.op("Transpose", key, perm=[0, 1, 3, 2]))
    scores = b.op("Div", scores, b.op("Sqrt", b.float(head_size)))
    size = config.positions
    triangle = b.parameter("bias", np.tril(np.ones((1, 1, size, size), config.mask_type)))
    kept = b.slice(triangle, 2, b.op("Sub", total, length), total)
    kept = b.slice(kept, 3, 0, total)
    if config.mask_type is not bool:
        kept = b.op("Cast", kept, to=TensorProto.BOOL)
    scores = b.op("Where", kept, scores, b.float(float(np.finfo(np.float32).min)))
    return b.op("MatMul", b.op("Softmax", scores, axis=-1), value)


def inputs(config, random, batch, sequence, past=3):
    """Random inputs of the given sizes; with a cache, the first row is padded on the left."""
    feed = {"input_ids": random.integers(0, config.vocabulary, (batch, sequence))}
    if config.cache:
        mask = np.ones((batch, past + sequence), np.int64)
        mask[0, :2] = 0
        feed["attention_mask"] = mask
        shape = (batch, config.heads, past, config.width // config.heads)
        for i in range(config.layers):
            for part in ("key", "value"):
                feed[f"past_key_values.{i}.{part}"] = random.standard_normal(shape, np.float32)
    return feed
