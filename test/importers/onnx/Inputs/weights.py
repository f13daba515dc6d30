"""Writes models whose one weight is stored in different places, in the current folder."""

import os
from pathlib import Path

from onnx import TensorProto, helper


def write(name, dims, raw=None, **external):
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims)
    if raw is not None:
        weight.raw_data = raw
    for key, value in external.items():
        weight.data_location = TensorProto.EXTERNAL
        weight.external_data.add(key=key, value=str(value))
    value = helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g",
                              [value("x", TensorProto.FLOAT, dims)],
                              [value("y", TensorProto.FLOAT, dims)], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    Path(f"{name}.onnx").write_bytes(model.SerializeToString())


write("inline", [1024], raw=bytes(4096))
write("short", [1024], raw=bytes(8))
with open("huge.bin", "wb") as file:
    file.truncate(1 << 34)
write("huge", [1 << 16, 1 << 16], location="huge.bin")
write("parent", [4], location="../huge.bin", length=16)
os.symlink("huge.bin", "link.bin")
write("link", [4], location="link.bin", length=16)
whole = Path("inline.onnx").read_bytes()
Path("cut.onnx").write_bytes(whole[:-100])
