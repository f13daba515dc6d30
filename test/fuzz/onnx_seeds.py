"""Writes the seeds of onnx_fuzz to the folder `onnx` beside this file: small models, each of which leads
the fuzzer to another part of the importer."""

from pathlib import Path

import numpy as np
from onnx import AttributeProto, TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def info(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, initializers=(), opset=21, **fields):
    graph = helper.make_graph(nodes, "g", inputs, outputs,
                              [numpy_helper.from_array(a, n) for n, a in initializers])
    domains = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1),
               helper.make_opsetid("f", 1)]
    return helper.make_model(graph, opset_imports=domains, ir_version=10, **fields)


def mlp():
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["h"], transB=1),
             helper.make_node("Gelu", ["h"], ["g"]),
             helper.make_node("LayerNormalization", ["g", "s"], ["y"], axis=-1)]
    rows = [("w", np.ones((3, 4), np.float32)), ("b", np.ones(3, np.float32)),
            ("s", np.ones(3, np.float32))]
    return model(nodes, [info("x", ["batch", 4])], [info("y", None)], rows)


def shapes():
    nodes = [helper.make_node("Shape", ["x"], ["s"]),
             helper.make_node("Gather", ["s", "zero"], ["d"]),
             helper.make_node("Unsqueeze", ["d", "zero1"], ["d1"]),
             helper.make_node("Concat", ["d1", "rest"], ["to"], axis=0),
             helper.make_node("Reshape", ["x", "to"], ["r"]),
             helper.make_node("Slice", ["r", "zero1", "rest", "one1"], ["y"])]
    ints = [("zero", np.array(0)), ("zero1", np.array([0])), ("rest", np.array([-1])),
            ("one1", np.array([1]))]
    return model(nodes, [info("x", ["batch", 2, 3])], [info("y", None)], ints)


def control_flow():
    body = helper.make_graph(
        [helper.make_node("Add", ["a", "x"], ["b"]), helper.make_node("Identity", ["c"], ["d"])],
        "body", [info("i", [], INT64), info("c", [], BOOL), info("a", [2])],
        [info("d", [], BOOL), info("b", [2])])
    branch = helper.make_graph([helper.make_node("Neg", ["x"], ["n"])], "branch", [],
                               [info("n", [2])])
    other = helper.make_graph([helper.make_node("Abs", ["x"], ["m"])], "other", [],
                              [info("m", [2])])
    nodes = [helper.make_node("Loop", ["trips", "", "x"], ["l"], body=body),
             helper.make_node("If", ["yes"], ["y"], then_branch=branch, else_branch=other)]
    return model(nodes, [info("x", [2])], [info("l", [2]), info("y", [2])],
                 [("trips", np.array(3)), ("yes", np.array(True))])


def functions():
    inner = helper.make_function(
        "f", "Scale", ["a"], ["b"], [helper.make_node("LeakyRelu", ["a"], ["b"])],
        [helper.make_opsetid("", 21)], ["alpha"])
    reference = helper.make_attribute_ref("alpha", AttributeProto.FLOAT)
    inner.node[0].attribute.append(reference)
    return model([helper.make_node("Scale", ["x"], ["y"], domain="f", alpha=0.25)],
                 [info("x", [2])], [info("y", [2])], functions=[inner])


def convolution():
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], auto_pad="SAME_UPPER", strides=[2, 2]),
             helper.make_node("MaxPool", ["c"], ["p", "i"], kernel_shape=[2, 2], ceil_mode=1),
             helper.make_node("Resize", ["p", "", "k"], ["y"], mode="linear")]
    return model(nodes, [info("x", [1, 2, 8, 8])], [info("y", None), info("i", None, INT64)],
                 [("w", np.ones((3, 2, 3, 3), np.float32)),
                  ("k", np.array([1, 1, 2, 2], np.float32))])


def attention():
    nodes = [helper.make_node("Einsum", ["q", "k"], ["s"], equation="bhid,bhjd->bhij"),
             helper.make_node("MultiHeadAttention", ["t", "t", "t"], ["y"], num_heads=2,
                              domain="com.microsoft")]
    return model(nodes, [info("q", [1, 2, 3, 4]), info("k", [1, 2, 5, 4]), info("t", [1, 3, 8])],
                 [info("s", None), info("y", None)])


def types():
    nodes = [helper.make_node("Cast", ["x"], ["h"], to=TensorProto.BFLOAT16),
             helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=0)]
    seed = model(nodes, [info("x", [2])], [info("h", [2], TensorProto.BFLOAT16), info("y", [3])],
                 [("s", np.array(0.5, np.float32))])
    seed.graph.initializer.append(helper.make_tensor("q", TensorProto.INT4, [3], [1, -2, 3]))
    seed.graph.initializer.append(helper.make_tensor("z", TensorProto.INT4, [], [1]))
    return seed


def main():
    folder = Path(__file__).with_name("onnx")
    folder.mkdir(exist_ok=True)
    for seed in (mlp, shapes, control_flow, functions, convolution, attention, types):
        (folder / f"{seed.__name__}.onnx").write_bytes(seed().SerializeToString())


if __name__ == "__main__":
    main()
