"""A small convolutional classifier: biased, grouped, dilated and transposed convolutions, three
poolings, and the shape arithmetic of `x.view(x.size(0), -1)`."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from models.graph_builder import GraphBuilder


@dataclass(frozen=True)
class Config:
    image: int
    channels: int
    classes: int


SIZES = {
    "tiny": Config(image=20, channels=8, classes=10),
    "odd": Config(image=23, channels=6, classes=7),
}


def build(config, opset, seed=0):
    """Input image [batch, 1, size, size], output probabilities [batch, classes]."""
    b = GraphBuilder("cnn", opset, seed)
    c = config.channels
    x = b.input("image", TensorProto.FLOAT, ["batch", 1, config.image, config.image])
    x = b.op("Relu", _conv(b, "Conv", x, "conv1", (c, 1, 5, 5), c, pads=[2] * 4))
    x = b.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = b.op("LeakyRelu", _conv(b, "Conv", x, "depthwise", (c, 1, 3, 3), c, pads=[2] * 4, group=c,
                                dilations=[2, 2]), alpha=0.1)
    x = b.op("HardSwish", x) if opset >= 14 else b.op("Mul", x, b.op("HardSigmoid", x))
    x = b.op("Clip", _conv(b, "Conv", x, "conv2", (2 * c, c, 3, 3), 2 * c, pads=[1, 0, 1, 0]),
             b.float(0), b.float(6))
    x = b.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 1, 1],
             count_include_pad=0)
    x = _conv(b, "ConvTranspose", x, "up", (2 * c, c, 2, 2), c, strides=[2, 2])
    x = b.op("Sigmoid", x)
    x = b.op("GlobalMaxPool", x)
    flat = b.reshape(x, b.dim(x, 0), -1)
    logits = b.op("Gemm", flat, b.matrix("fc.weight", c, config.classes),
                  b.normal("fc.bias", (config.classes,), 0.1))
    b.output(b.op("LogSoftmax", logits, axis=-1), "log_probabilities", TensorProto.FLOAT,
             ["batch", config.classes])
    return b


def _conv(b, op_type, x, name, shape, channels_out, **attributes):
    with b.scope(name):
        return b.op(op_type, x, b.normal("weight", shape, float(np.prod(shape[1:])) ** -0.5),
                    b.normal("bias", (channels_out,), 0.1), kernel_shape=list(shape[2:]),
                    **attributes)


def inputs(config, random, batch):
    return {"image": random.standard_normal((batch, 1, config.image, config.image), np.float32)}
