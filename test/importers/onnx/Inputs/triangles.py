"""Writes models that slice a stored causal mask, in the current folder."""

from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def write(name, mask, external=False):
    element = helper.np_dtype_to_tensor_dtype(mask.dtype)
    tensor = numpy_helper.from_array(mask, "mask")
    if external:
        Path(f"{name}.bin").write_bytes(tensor.raw_data)
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=f"{name}.bin")
    numbers = {"starts": [3, 0], "ends": [7, 7], "axes": [2, 3]}
    graph = helper.make_graph(
        [helper.make_node("Slice", ["mask", *numbers], ["y"])], "g", [],
        [helper.make_tensor_value_info("y", element, [1, 1, 4, 7])],
        [tensor, *(numpy_helper.from_array(np.array(v), k) for k, v in numbers.items())])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    Path(f"{name}.onnx").write_bytes(model.SerializeToString())


lower = np.tril(np.ones((1, 1, 512, 512), bool), 1)
write("lower", lower)
write("upper", ~lower.astype(bool), external=True)
write("bytes", lower.astype(np.uint8))
dented = lower.copy()
dented[0, 0, 400, 2] = False
write("dented", dented)
