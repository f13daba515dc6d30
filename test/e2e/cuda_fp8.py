"""Compiles models with tensors of 8-bit floats for GPUs and compares what products with scales give with NumPy's sums
in f64 of the same quantized numbers; how many products the report and the library tell of is compared with how many
there should be. On a GPU without units for 8-bit floats the numbers are the same."""

import sys
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, find_bin_dir  # noqa: E402

E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
ONNX = {np.dtype(E4M3): TensorProto.FLOAT8E4M3FN, np.dtype(E5M2): TensorProto.FLOAT8E5M2,
        np.dtype("f4"): TensorProto.FLOAT, np.dtype("f2"): TensorProto.FLOAT16,
        np.dtype(ml_dtypes.bfloat16): TensorProto.BFLOAT16}
LARGEST = {E4M3: 448, E5M2: 57344}
X = (4, 7, 32)


def quantized(values, kind):
    """Of a tensor with the scale of its largest number: f8 and the scale."""
    scale = np.float32(np.abs(values).max() / LARGEST[kind])
    return (values / scale).astype(kind), scale


class Rounded(np.ndarray):
    """Numbers of f8e4m3fn, any of which may be one step away."""

    def __new__(cls, values):
        return np.asarray(values).view(cls)


class Model:
    """Nodes and initializers, one after another."""

    def __init__(self, wide=np.float32):
        self.wide, self.nodes, self.initializers = np.dtype(wide), [], []

    def constant(self, name, value):
        value = np.asarray(value)
        self.initializers.append(helper.make_tensor(name, ONNX[value.dtype], value.shape, value.tobytes(), raw=True))
        return name

    def add(self, kind, inputs, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def dequantized(self, name, scale):
        return self.add("DequantizeLinear", [name, self.constant(f"scale_of_{name}", scale.astype(self.wide))])

    def requantized(self, name, scale, kind):
        scale = self.constant(f"scale_of_{name}", scale.astype(self.wide))
        zero = self.constant(f"zero_of_{name}", np.zeros((), kind))
        return self.add("DequantizeLinear", [self.add("QuantizeLinear", [name, scale, zero]), scale, zero])

    def save(self, path, outputs):
        wide = ONNX[self.wide]
        graph = helper.make_graph(self.nodes, "fp8", [helper.make_tensor_value_info("x", wide, X)],
                                  [helper.make_tensor_value_info(name, wide, None) for name in outputs],
                                  self.initializers)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


def layers(path, random):
    """Two layers, the first with bias and a weight that lies the other way, with GELU between; and a bare cast."""
    x = random.standard_normal(X).astype("f4")
    w, scale_w = quantized(random.standard_normal((48, 32)).astype("f4"), E4M3)
    v, scale_v = quantized(random.standard_normal((48, 64)).astype("f4"), E5M2)
    u = random.integers(-8, 8, (32, 16)).astype(E4M3)
    bias = random.standard_normal(48).astype("f4")
    scale_x, scale_h = np.float32(np.abs(x).max() / 448), np.float32(0.05)
    m = Model()
    weight = m.add("Transpose", [m.dequantized(m.constant("w", w), scale_w)], perm=[1, 0])
    p = m.add("MatMul", [m.requantized("x", scale_x, E4M3), weight])
    sum_ = m.add("Add", [p, m.constant("bias", bias)])
    h = m.requantized(m.add("Gelu", [sum_], approximate="tanh"), scale_h, E4M3)
    y = m.add("MatMul", [h, m.dequantized(m.constant("v", v), scale_v)])
    cast = m.add("Cast", [m.add("Cast", ["x"], to=TensorProto.FLOAT8E4M3FN)], to=TensorProto.FLOAT)
    z = m.add("MatMul", [cast, m.add("Cast", [m.constant("u", u)], to=TensorProto.FLOAT)])
    m.save(path, [sum_, h, y, z])

    x8 = (x / scale_x).astype(E4M3).astype("f8") * scale_x
    wide = x8 @ w.astype("f8").T * scale_w + bias
    hidden = wide * 0.5 * (1 + np.tanh(0.7978845608028654 * (wide + 0.044715 * wide ** 3)))
    # Near the middle between two numbers of f8 either is right, so the second product is that of what the first gave.
    expected = {sum_: wide, h: Rounded((hidden / scale_h).astype(E4M3).astype("f8") * scale_h),
                y: lambda actual: actual[h].astype("f8") @ (v.astype("f8") * scale_v),
                z: x.astype(E4M3).astype("f8") @ u.astype("f8")}
    return {"x": x}, expected, (3, 3)


def narrow_results(path, random, wide):
    """Results of 16 bits, whose bias and GELU are the library's; scales are of 16 bits too."""
    x = random.standard_normal(X).astype(wide)
    w, scale = quantized(random.standard_normal((32, 16)).astype("f4"), E4M3)
    scale = scale.astype(wide)
    bias = random.standard_normal(16).astype(wide)
    scale_x = np.asarray(0.0078125, wide)
    m = Model(wide)
    p = m.add("MatMul", [m.requantized("x", scale_x, E5M2), m.dequantized(m.constant("w", w), scale)])
    y = m.add("Gelu", [m.add("Add", [p, m.constant("bias", bias)])], approximate="tanh")
    m.save(path, [y])
    x8 = (x.astype("f4") / np.float32(scale_x)).astype(E5M2).astype("f8") * np.float64(scale_x)
    sum_ = x8 @ (w.astype("f8") * np.float64(scale)) + bias.astype("f8")
    return {"x": x}, {y: sum_ * 0.5 * (1 + np.tanh(0.7978845608028654 * (sum_ + 0.044715 * sum_ ** 3)))}, (1, 1)


def left_alone(path, random):
    """What the library has no product for: scales per channel, extents that are no multiples of 16, two of e5m2."""
    x = random.standard_normal(X).astype("f4")
    scale_x = np.float32(0.01)
    w, scale_w = random.integers(-8, 8, (32, 48)).astype(E4M3), random.uniform(1, 2, 48).astype("f4")
    v, u = random.integers(-8, 8, (32, 24)).astype(E4M3), random.integers(-4, 4, (32, 16)).astype(E5M2)
    m = Model()
    x4, x5 = m.requantized("x", scale_x, E4M3), m.add("Cast", [m.add("Cast", ["x"], to=TensorProto.FLOAT8E5M2)], to=1)
    per_channel = m.add("DequantizeLinear", [m.constant("w", w), m.constant("scale_w", scale_w)], axis=1)
    names = [m.add("MatMul", [x4, per_channel]),
             m.add("MatMul", [x4, m.dequantized(m.constant("v", v), np.float32(0.5))]),
             m.add("MatMul", [x5, m.add("Cast", [m.constant("u", u)], to=1)])]
    m.save(path, names)
    x8 = (x / scale_x).astype(E4M3).astype("f8") * scale_x
    results = [x8 @ (w.astype("f8") * scale_w), x8 @ v.astype("f8") * 0.5, x.astype(E5M2).astype("f8") @ u.astype("f8")]
    return {"x": x}, dict(zip(names, results)), (0, 3)


def check(tools, folder, build, has_units=True, mesh=()):
    """Compiles, runs and compares one model; returns the number of its products of 8-bit floats."""
    inputs, expected, (num_narrow, num_products) = build(folder / "model.onnx", np.random.default_rng(3))
    report = tools.compile(folder / "model.onnx", folder / "model.sheaf", flags=mesh)
    told = f"{num_narrow} of {num_products} multiply 8-bit floats"
    assert (told in report) if num_narrow else ("8-bit floats" not in report), report
    ranks = ["--ranks", "2"] if mesh else []
    actual = tools.execute(folder / "model.sheaf", inputs, folder, flags=ranks)
    counted = f"standin: {num_narrow * (2 if mesh else 1)} products of 8-bit floats"
    assert (counted in tools.told) == (has_units and num_narrow > 0), tools.told
    for name, want in expected.items():
        got = actual[name].astype("f8")
        # Sums of at most 48 exact products in f32, then one rounding to the type of the result.
        want = want(actual) if callable(want) else want
        bound = 2.0**-3 if isinstance(want, Rounded) else {4: 48 * 2.0**-24, 2: 2.0**-10}[actual[name].dtype.itemsize]
        if actual[name].dtype == ml_dtypes.bfloat16:
            bound = 2.0**-7
        error = np.abs(got - want).max() / np.abs(want).max()
        assert error <= bound, f"{name}: {error:.2e} of {bound:.2e}"
    return num_narrow


def main():
    tools = Toolchain(find_bin_dir(), environment={"SHEAF_STANDIN_REPORT": "1"})
    old = Toolchain(find_bin_dir(), environment={"SHEAF_STANDIN_REPORT": "1", "SHEAF_STANDIN_CAPABILITY": "80"})
    cases = [layers, lambda path, random: narrow_results(path, random, np.float16),
             lambda path, random: narrow_results(path, random, ml_dtypes.bfloat16), left_alone]
    count = 0
    with tempfile.TemporaryDirectory() as name:
        for build in cases:
            count += check(tools, Path(name), build)
            check(old, Path(name), build, has_units=False)
            check(tools, Path(name), build, mesh=["--mesh", "data=2", "--strategy", "dp"])
        print(f"products of 8-bit floats: {count}, on two ranks as on one, widened on GPUs without units for them")


if __name__ == "__main__":
    main()
