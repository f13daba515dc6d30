"""Adam and AdamW against the Adam of ONNX's reference implementation."""

import numpy as np
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from models.graph_builder import GraphBuilder
from training_case import Case, expect

RATE, DECAY, EPSILON = 0.01, 1e-2, 1e-8


def _adam(values, gradients, moments, step, decay):
    """ONNX's Adam: values and moments behind a step that adds `decay` times the value to the gradient."""
    names = sorted(values)
    inputs = ["R", "T", *[f"{kind}_{name}" for kind in "XGVH" for name in names]]
    outputs = [f"new_{kind}_{name}" for kind in "XVH" for name in names]
    node = helper.make_node("Adam", inputs, outputs, domain="ai.onnx.preview.training", alpha=0.9, beta=0.999,
                            epsilon=EPSILON, norm_coefficient=decay)
    info = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, None) for name in inputs]
    graph = helper.make_graph([node], "adam", info, [
        helper.make_tensor_value_info(name, TensorProto.DOUBLE, None) for name in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("ai.onnx.preview.training", 1)])
    feed = {"R": np.float64(RATE), "T": np.int64(step)}
    for name in names:
        feed |= {f"X_{name}": values[name], f"G_{name}": gradients[name], f"V_{name}": moments[name][0],
                 f"H_{name}": moments[name][1]}
    results = dict(zip(outputs, ReferenceEvaluator(model).run(None, feed)))
    return ({name: results[f"new_X_{name}"] for name in names},
            {name: (results[f"new_V_{name}"], results[f"new_H_{name}"]) for name in names})


def case_8_adam_is_not_adamw(tools, folder, random):
    """Two parameters, two steps, decay of the gradient (adam) and of the parameter (adamw)."""
    x, target = random.standard_normal((8, 5), np.float32), random.standard_normal((8, 3), np.float32)
    start = {"w": random.standard_normal((5, 3), np.float32), "b": random.standard_normal(3, np.float32)}
    b = GraphBuilder("linear", 17)
    y = b.op("Gemm", b.input("x", TensorProto.FLOAT, ["batch", 5]), b.parameter("w", start["w"]),
             b.parameter("b", start["b"]))
    b.output(y, "y", TensorProto.FLOAT, ["batch", 3])
    case = Case(tools, folder, b, {"x": x, "target": target}, ["x"])
    found = {}
    for kind in ("adam", "adamw"):
        values = {name: value.astype(np.float64) for name, value in start.items()}
        moments = {name: (np.zeros_like(value), np.zeros_like(value)) for name, value in values.items()}
        for step in (1, 2):
            rows = slice(4 * (step - 1), 4 * step)
            out = 2 * (x[rows] @ values["w"] + values["b"] - target[rows]) / 12
            gradients = {"w": x[rows].T @ out, "b": out.sum(0)}
            if kind == "adamw":
                values = {name: value * (1 - RATE * DECAY) for name, value in values.items()}
            values, moments = _adam(values, gradients, moments, step, DECAY if kind == "adam" else 0.0)
        for layout in ((), ("--mesh", "data=2", "--strategy", "zero1")):
            outcome = case.run("--loss", "mse:y,target", "--optimizer", kind, "--lr", RATE, "--weight-decay", DECAY,
                               *layout, steps=2)
            for name, value in values.items():
                expect(f"{kind} {layout}: {name}", outcome.variables[name], value, 1e-6)
        found[kind] = outcome.variables["w"]
    assert np.max(np.abs(found["adam"] - found["adamw"])) > 1e-5, "adam and adamw are the same"
