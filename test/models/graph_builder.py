"""Builds ONNX graphs spelled the way today's exporters spell them, with seeded random weights.

Two spellings, chosen by the opset as it is in practice: below 18 the TorchScript exporter's
(Constant nodes, value names like `/h.0/attn/MatMul_output_0`), from 18 on the dynamo exporter's
(scalars as initializers `val_N`, axes as inputs everywhere).
"""

from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

INT64_MAX = np.iinfo(np.int64).max

# The IR version that was current with each opset, so that old files look old.
_IR_VERSION = {13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}


class GraphBuilder:
    """One graph under construction; values are names, as in the file."""

    def __init__(self, name, opset, seed=0):
        self.name = name
        self.opset = opset
        self.random = np.random.default_rng(seed)
        self._scope = []
        self._nodes = []
        self._inputs = []
        self._outputs = []
        self._parameters = {}
        self._counts = {}
        self._constants = {}

    @contextmanager
    def scope(self, name):
        """Prefixes node and parameter names, as a PyTorch submodule does."""
        self._scope.append(name)
        yield
        self._scope.pop()

    # -- inputs, outputs, weights ----------------------------------------------------------------

    def input(self, name, element_type, dims):
        """A graph input; `dims` mixes numbers and symbolic names."""
        self._inputs.append(helper.make_tensor_value_info(name, element_type, dims))
        return name

    def output(self, value, name, element_type, dims):
        """Makes `value` a graph output under `name`."""
        self._nodes.append(helper.make_node("Identity", [value], [name], name=f"output/{name}"))
        self._outputs.append(helper.make_tensor_value_info(name, element_type, dims))

    def parameter(self, name, array):
        """A weight, named by the enclosing scopes; a name given twice is one (tied) weight."""
        full = ".".join([*self._scope, name])
        self._parameters.setdefault(full, array)
        return full

    def matrix(self, name, rows, columns):
        """A weight that keeps unit variance through `x @ w`, so that every part of the graph
        has a visible effect on the result."""
        return self.normal(name, (rows, columns), rows**-0.5)

    def normal(self, name, shape, std, mean=0.0):
        array = self.random.standard_normal(shape, dtype=np.float32)
        return self.parameter(name, array * np.float32(std) + np.float32(mean))

    def parameter_count(self):
        """How many floating-point weights the model has; tied ones count once."""
        return sum(array.size for array in self._parameters.values() if array.dtype.kind == "f")

    def constant(self, array):
        """A literal in the user's program: a Constant node or a `val_N` initializer."""
        array = np.asarray(array)
        if self.opset < 18:
            return self._append("Constant", [], 1, "", {"value": numpy_helper.from_array(array)})
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            name = f"val_{len(self._constants)}"
            self._constants[key] = name
            self._parameters[name] = array
        return self._constants[key]

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def int(self, value):
        return self.constant(np.array(value, np.int64))

    def float(self, value):
        return self.constant(np.array(value, np.float32))

    # -- nodes -------------------------------------------------------------------------------------

    def op(self, op_type, *inputs, outputs=1, domain="", **attributes):
        """Appends a node; returns its output, or a list when it has several."""
        return self._append(op_type, inputs, outputs, domain, attributes)

    def _append(self, op_type, inputs, outputs, domain, attributes):
        path = "/" + "/".join([*self._scope, op_type])
        count = self._counts.get(path, 0)
        self._counts[path] = count + 1
        node_name = f"{path}_{count}" if count else path
        results = [f"{node_name}_output_{i}" for i in range(outputs)]
        self._nodes.append(helper.make_node(op_type, list(inputs), results, name=node_name,
                                            domain=domain, **attributes))
        return results[0] if outputs == 1 else results

    def dim(self, value, axis):
        """The size of one dim as a scalar: Shape, then Gather."""
        return self.op("Gather", self.op("Shape", value), self.int(axis), axis=0)

    def shape_of(self, *parts):
        """A shape vector from scalars (values) and numbers: Unsqueeze each, then Concat."""
        pieces = [self.ints(part) if isinstance(part, int)
                  else self.op("Unsqueeze", part, self.ints(0)) for part in parts]
        return self.op("Concat", *pieces, axis=0)

    def reshape(self, value, *parts):
        if all(isinstance(part, int) for part in parts):
            return self.op("Reshape", value, self.ints(*parts))
        return self.op("Reshape", value, self.shape_of(*parts))

    def unsqueeze(self, value, *axes):
        return self.op("Unsqueeze", value, self.ints(*axes))

    def slice(self, value, axis, start, stop=INT64_MAX, step=1):
        """`value[..., start:stop:step, ...]`; bounds are numbers or scalar values."""
        bounds = [self.ints(bound) if isinstance(bound, int) else self.unsqueeze(bound, 0)
                  for bound in (start, stop)]
        return self.op("Slice", value, *bounds, self.ints(axis), self.ints(step))

    def split(self, value, sizes, axis):
        return self.op("Split", value, self.ints(*sizes), outputs=len(sizes), axis=axis)

    def reduce_mean(self, value, axis):
        if self.opset < 18:
            return self.op("ReduceMean", value, axes=[axis], keepdims=1)
        return self.op("ReduceMean", value, self.ints(axis), keepdims=1)

    # -- the file ----------------------------------------------------------------------------------

    def model(self):
        """The finished model with all weights inside."""
        return self._model([numpy_helper.from_array(np.asarray(array, order="C"), name)
                            for name, array in self._parameters.items()])

    def save(self, path, external=False):
        """Writes the model; with `external`, weights past 1 KiB go to `<path>.data`."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not external:
            onnx.save(self.model(), path)
            return
        tensors = []
        data_name = path.name + ".data"
        with open(path.parent / data_name, "wb") as data:
            for name, array in self._parameters.items():
                array = np.asarray(array, order="C")
                if array.nbytes <= 1024:
                    tensors.append(numpy_helper.from_array(array, name))
                    continue
                data.write(b"\0" * (-data.tell() % 4096))
                tensors.append(_external_tensor(name, array, data_name, data.tell()))
                array.tofile(data)
        onnx.save(self._model(tensors), path)

    def _model(self, tensors):
        graph = helper.make_graph(self._nodes, self.name, self._inputs, self._outputs, tensors)
        imports = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=imports, producer_name="pytorch",
                                 ir_version=_IR_VERSION[self.opset])


def _external_tensor(name, array, location, offset):
    tensor = TensorProto(name=name, dims=array.shape, data_location=TensorProto.EXTERNAL,
                         data_type=helper.np_dtype_to_tensor_dtype(array.dtype))
    for key, value in (("location", location), ("offset", offset), ("length", array.nbytes)):
        tensor.external_data.add(key=key, value=str(value))
    return tensor
