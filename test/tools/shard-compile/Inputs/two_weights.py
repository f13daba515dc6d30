"""Writes model.onnx, y = x first second, whose weights are in model.onnx.data, and data.npz to train it on."""

import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from models.graph_builder import GraphBuilder  # noqa: E402

b = GraphBuilder("two_weights", 17)
hidden = b.op("MatMul", b.input("x", TensorProto.FLOAT, [4, 32]), b.parameter("first", np.ones((32, 32), np.float32)))
b.output(b.op("MatMul", hidden, b.parameter("second", np.ones((32, 32), np.float32))), "y", TensorProto.FLOAT, [4, 32])
b.save(Path("model.onnx"), external=True)
np.savez("data.npz", x=np.ones((8, 32), np.float32), t=np.ones((8, 32), np.float32))
