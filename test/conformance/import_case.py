"""One import case: a model file made on the spot, and the right answer to it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def _write_nothing(folder):
    del folder


@dataclass
class Case:
    """`model` is a ModelProto or the raw bytes of a file.

    Exactly one of these is given:
      outputs  the right values, in the order of the graph's outputs
      error    words that shard-compile's message must all contain, after exit code 1
      run_error  the same for shard-run, when only the fed values are wrong
      compiles   it must import and compile; it is not run
    """

    name: str
    model: object
    feed: dict = field(default_factory=dict)
    outputs: list | None = None
    error: tuple | None = None
    run_error: tuple | None = None
    compiles: bool | None = None
    shapes: dict = field(default_factory=dict)  # bound without being fed
    side_files: Callable[[Path], None] = _write_nothing
    max_rss_mib: int | None = None  # of shard-compile

    def __post_init__(self):
        given = [self.outputs, self.error, self.run_error, self.compiles]
        assert sum(answer is not None for answer in given) == 1, self.name

    def write(self, folder):
        """Writes the model and its side files; returns the model's path."""
        path = folder / "model.onnx"
        data = self.model if isinstance(self.model, bytes) else self.model.SerializeToString()
        path.write_bytes(data)
        self.side_files(folder)
        return path


def value(name, array_or_type, dims=None):
    """A ValueInfoProto like an array, or of a NumPy type and dims (None: no shape given)."""
    if isinstance(array_or_type, np.ndarray):
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array_or_type.dtype), array_or_type.shape)
    return helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(np.dtype(array_or_type)), dims)


def node(op_type, inputs, outputs, **attributes):
    """A node from space-separated names; `_` is an omitted optional."""
    names = [[("" if name == "_" else name) for name in text.split()]
             for text in (inputs, outputs)]
    attributes.setdefault("name", f"the_{op_type}")
    return helper.make_node(op_type, *names, **attributes)


def model(nodes, feed, outputs, constants=None, opset=17, **options):
    """A model whose inputs look like `feed` and whose outputs are `name: dtype`."""
    tensors = [array if isinstance(array, TensorProto) else numpy_helper.from_array(array, name)
               for name, array in (constants or {}).items()]
    graph = helper.make_graph(nodes, "case", [value(name, array) for name, array in feed.items()],
                              [value(name, dtype) for name, dtype in outputs.items()], tensors)
    options.setdefault("ir_version", 10)
    options.setdefault("opset_imports", [helper.make_opsetid("", opset)])
    return helper.make_model(graph, **options)


def op_case(name, nodes, feed, expected, constants=None, opset=17, **options):
    """A case whose outputs are `y`, or `y0`, `y1`, ... when there are several."""
    expected = expected if isinstance(expected, list) else [expected]
    names = ["y"] if len(expected) == 1 else [f"y{i}" for i in range(len(expected))]
    built = model(nodes, feed, {n: e.dtype for n, e in zip(names, expected)}, constants, opset,
                  **options)
    return Case(name, built, feed, outputs=expected)


def raw_tensor(name, data_type, dims, raw):
    """A TensorProto whose raw bytes need not fit its dims."""
    return TensorProto(name=name, data_type=data_type, dims=dims, raw_data=raw)


def iota(*dims, dtype=np.float32):
    """0, 1, 2, ... in the given shape."""
    return np.arange(int(np.prod(dims, dtype=np.int64)), dtype=dtype).reshape(dims)


ONNX_NEWEST_OPSET = onnx.defs.onnx_opset_version()
