"""Writes scale.onnx, y = 0.5 logit_scale w x, and data of one sample; or tells what a file says of its scale."""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "e2e"))

from training_case import read_safetensors  # noqa: E402

if len(sys.argv) > 1:
    print(f"scale 2 -> {read_safetensors(sys.argv[1])['logit_scale'].item():.6g}")
    sys.exit()
weights = [numpy_helper.from_array(np.asarray(value, np.float32), name)
           for name, value in (("logit_scale", 2), ("half", 0.5), ("w", [1, 2, 3]))]
nodes = [helper.make_node("Mul", ["x", "w"], ["p"]), helper.make_node("Mul", ["p", "logit_scale"], ["q"]),
         helper.make_node("Mul", ["q", "half"], ["y"])]
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3]) for name in "xy")
onnx.save(helper.make_model(helper.make_graph(nodes, "g", [x], [y], weights)), "scale.onnx")
# y - t is 1 everywhere: the gradient by the scale is the mean of 2 x 0.5 w, which is 2.
np.savez("data.npz", x=np.ones((1, 3), np.float32), t=np.array([[0, 1, 2]], np.float32))
