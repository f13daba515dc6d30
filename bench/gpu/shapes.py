"""The models that `bench/gpu` trains, without their weights: those that are large are drawn on the GPU's machine."""

from dataclasses import dataclass

import numpy as np
import onnx
from models import gpt2, llama
from models.graph_builder import GraphBuilder, _external_tensor
from onnx import numpy_helper

LARGE = 1 << 16  # elements of a weight that is not written


class ShapeBuilder(GraphBuilder):
    """Large weights are zeros that take no memory, and refer to a file that isn't there: --init draws them."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.absent = []

    def normal(self, name, shape, std, mean=0.0):
        if np.prod(shape) < LARGE:
            return super().normal(name, shape, std, mean)
        full = self.parameter(name, np.broadcast_to(np.float32(0), shape))
        if full not in self.absent:
            self.absent.append(full)
        return full

    def save(self, path, external=False):
        tensors = [_external_tensor(name, array, path.name + ".data", 0) if name in self.absent
                   else numpy_helper.from_array(np.asarray(array, order="C"), name)
                   for name, array in self._parameters.items()]
        onnx.save(self._model(tensors), path)


@dataclass(frozen=True)
class Shape:
    """A model, its batch and its length."""

    name: str
    module: object
    config: object
    extents: tuple
    filled: tuple = ()  # inputs of the same shape that are ones

    @property
    def tokens(self):
        return self.extents[0] * self.extents[1]

    def samples(self, count):
        """So many samples of input_ids."""
        return np.random.default_rng(5).integers(0, self.config.vocabulary, (count, self.extents[1]))

    def flops(self, parameters):
        """Of a step: products forward and twice backward; of attention those of scores and values, not halved for the
        causal mask. Positions take no part in products, and a table of tokens that is tied takes part in one."""
        config = self.config
        if self.module is gpt2:
            parameters -= config.positions * config.width
        else:
            parameters -= config.vocabulary * config.width
        return 6 * parameters * self.tokens + 12 * config.layers * config.width * self.extents[1] * self.tokens


SHAPES = {shape.name: shape for shape in [
    Shape("tiny", gpt2, gpt2.SIZES["tiny"], (2, 16)),
    Shape("gpt2-124m", gpt2, gpt2.SIZES["124m"], (16, 1024)),
    Shape("llama-1b", llama, llama.Config(layers=16, heads=32, kv_heads=8, width=2048, hidden=8192, vocabulary=32000),
          (4, 2048), ("attention_mask",)),
]}


def build(shape):
    """The model's graph."""
    original, shape.module.GraphBuilder = shape.module.GraphBuilder, ShapeBuilder
    try:
        return shape.module.build(shape.config, 17)
    finally:
        shape.module.GraphBuilder = original
