"""Writes a model whose names hold what breaks text formats, in the current folder."""

from pathlib import Path

from onnx import TensorProto, helper

value = helper.make_tensor_value_info
graph = helper.make_graph([helper.make_node("Neg", ["INPUT"], ["\u2603"], name="no\0de")], "g",
                          [value("INPUT", TensorProto.FLOAT, [2])],
                          [value("\u2603", TensorProto.FLOAT, [2])])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
odd = b'in/put:0 "\\\xff\n'
old = b"INPUT" + b"_" * (len(odd) - 5)
graph.node[0].input[0] = graph.input[0].name = old.decode()
model.graph.CopyFrom(graph)
# Python's protobuf has text only; a name of the same length is put in its place.
Path("names.onnx").write_bytes(model.SerializeToString().replace(old, odd))
