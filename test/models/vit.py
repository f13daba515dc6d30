"""ViT: patches by convolution, a class token, learned positions, pre-LayerNorm encoder."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from models.graph_builder import GraphBuilder
from models.layers import attention, gelu_erf, layer_norm, linear, merge_heads, split_heads
from models.masks import expand


@dataclass(frozen=True)
class Config:
    layers: int
    heads: int
    width: int
    image: int
    patch: int
    classes: int


SIZES = {
    "tiny": Config(layers=2, heads=4, width=64, image=32, patch=8, classes=17),
    "base": Config(layers=12, heads=12, width=768, image=224, patch=16, classes=1000),
}


def build(config, opset, seed=0):
    """Input pixel_values [batch, 3, image, image], output logits [batch, classes]."""
    b = GraphBuilder("vit", opset, seed)
    width, patch = config.width, config.patch
    pixels = b.input("pixel_values", TensorProto.FLOAT, ["batch", 3, config.image, config.image])
    with b.scope("vit"):
        with b.scope("embeddings"):
            filters = b.normal("patch_embeddings.projection.weight", (width, 3, patch, patch),
                               (3 * patch * patch) ** -0.5)
            x = b.op("Conv", pixels, filters,
                     b.normal("patch_embeddings.projection.bias", (width,), 0.1),
                     kernel_shape=[patch, patch], strides=[patch, patch], pads=[0] * 4,
                     dilations=[1, 1], group=1)
            x = b.op("Transpose", b.reshape(x, b.dim(x, 0), width, -1), perm=[0, 2, 1])
            token = expand(b, b.normal("cls_token", (1, 1, width), 0.5),
                           b.shape_of(b.dim(pixels, 0), -1, -1))
            count = (config.image // patch) ** 2 + 1
            x = b.op("Concat", token, x, axis=1)
            x = b.op("Add", x, b.normal("position_embeddings", (1, count, width), 0.5))
        for i in range(config.layers):
            with b.scope(f"encoder.layer.{i}"):
                x = _block(b, config, x)
        x = layer_norm(b, x, "layernorm", width, 1e-12)
        first = b.op("Gather", x, b.int(0), axis=1)
    with b.scope("classifier"):
        logits = b.op("Gemm", first, b.matrix("weight", width, config.classes),
                      b.normal("bias", (config.classes,), 0.1))
    b.output(logits, "logits", TensorProto.FLOAT, ["batch", config.classes])
    return b


def _block(b, config, x):
    head_size = config.width // config.heads
    y = layer_norm(b, x, "layernorm_before", config.width, 1e-12)
    query, key, value = (split_heads(b, linear(b, y, f"attention.{part}", config.width,
                                               config.width), config.heads, head_size)
                         for part in ("query", "key", "value"))
    y = merge_heads(b, attention(b, query, key, value, None, head_size), config.width)
    x = b.op("Add", linear(b, y, "attention.output", config.width, config.width), x)
    y = layer_norm(b, x, "layernorm_after", config.width, 1e-12)
    y = gelu_erf(b, linear(b, y, "intermediate", config.width, 4 * config.width))
    return b.op("Add", linear(b, y, "output", 4 * config.width, config.width), x)


def inputs(config, random, batch):
    return {"pixel_values": random.standard_normal((batch, 3, config.image, config.image),
                                                   np.float32)}
