"""ResNet with bottleneck blocks and separate BatchNormalization nodes (export in training form)."""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from models.graph_builder import GraphBuilder


@dataclass(frozen=True)
class Config:
    blocks: tuple
    width: int
    image: int
    classes: int


SIZES = {
    "tiny": Config(blocks=(1, 2), width=8, image=32, classes=17),
    "50": Config(blocks=(3, 4, 6, 3), width=64, image=224, classes=1000),
}


def build(config, opset, seed=0):
    """Input input [batch, 3, image, image], output logits [batch, classes]."""
    b = GraphBuilder("resnet", opset, seed)
    x = b.input("input", TensorProto.FLOAT, ["batch", 3, config.image, config.image])
    x = b.op("Relu", _conv_norm(b, x, "conv1", "bn1", 3, config.width, 7, 2))
    x = b.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, ceil_mode=0)
    channels = config.width
    for stage, count in enumerate(config.blocks):
        inner = config.width << stage
        for i in range(count):
            with b.scope(f"layer{stage + 1}.{i}"):
                stride = 2 if i == 0 and stage > 0 else 1
                x = _bottleneck(b, x, channels, inner, stride)
            channels = 4 * inner
    x = b.op("Flatten", b.op("GlobalAveragePool", x), axis=1)
    with b.scope("fc"):
        logits = b.op("Gemm", x, b.normal("weight", (config.classes, channels), channels**-0.5),
                      b.normal("bias", (config.classes,), 0.1), transB=1)
    b.output(logits, "logits", TensorProto.FLOAT, ["batch", config.classes])
    return b


def _bottleneck(b, x, channels, inner, stride):
    y = b.op("Relu", _conv_norm(b, x, "conv1", "bn1", channels, inner, 1, 1))
    y = b.op("Relu", _conv_norm(b, y, "conv2", "bn2", inner, inner, 3, stride))
    y = _conv_norm(b, y, "conv3", "bn3", inner, 4 * inner, 1, 1)
    if stride != 1 or channels != 4 * inner:
        x = _conv_norm(b, x, "downsample.0", "downsample.1", channels, 4 * inner, 1, stride)
    return b.op("Relu", b.op("Add", y, x))


def _conv_norm(b, x, conv, norm, channels_in, channels_out, kernel, stride):
    with b.scope(conv):
        filters = b.normal("weight", (channels_out, channels_in, kernel, kernel),
                           (2 / (channels_in * kernel * kernel)) ** 0.5)
        x = b.op("Conv", x, filters, kernel_shape=[kernel] * 2, strides=[stride] * 2,
                 pads=[kernel // 2] * 4, dilations=[1, 1], group=1)
    with b.scope(norm):
        variance = b.parameter("running_var",
                               b.random.uniform(0.5, 1.5, channels_out).astype(np.float32))
        return b.op("BatchNormalization", x, b.normal("weight", (channels_out,), 0.1, 0.8),
                    b.normal("bias", (channels_out,), 0.1),
                    b.normal("running_mean", (channels_out,), 0.1), variance, epsilon=1e-5)


def inputs(config, random, batch):
    return {"input": random.standard_normal((batch, 3, config.image, config.image), np.float32)}
