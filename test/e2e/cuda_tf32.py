"""Compiles products of matrices and convolutions with and without --tf32 and compares what the stand-in, which rounds
wherever it may, gives with NumPy's sums of numbers that are rounded, and of those that are not."""

import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tensor_file import read_outputs, write_tensor  # noqa: E402
from driver.tools import Toolchain, find_bin_dir  # noqa: E402

X, F = "tensor<2x4x3x3xf32>", "tensor<5x4x1x1xf32>"
G = "tensor<2x5x3x3xf32>"
WINDOW = "strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1"
MODEL = f"""
func.func @forward(%a: tensor<7x33xf32> {{graph.input = "a"}}, %b: tensor<33x5xf32> {{graph.input = "b"}},
    %x: {X} {{graph.input = "x"}}, %f: {F} {{graph.input = "f"}}, %g: {G} {{graph.input = "g"}})
    -> (tensor<7x5xf32> {{graph.output = "product"}}, {G} {{graph.output = "conv"}},
        {X} {{graph.output = "input_grad"}}, {F} {{graph.output = "filter_grad"}}) {{
  %p = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<7x33xf32>, tensor<33x5xf32>) -> tensor<7x5xf32>
  %c = graph.conv %x, %f {WINDOW} : {X}, {F}
  %i = graph.conv_input_grad %g, %f {WINDOW} : ({G}, {F}) -> {X}
  %w = graph.conv_filter_grad %x, %g {WINDOW} : ({X}, {G}) -> {F}
  return %p, %c, %i, %w : tensor<7x5xf32>, {G}, {X}, {F}
}}
"""


def rounded(values):
    """The nearest numbers with 10 bits of mantissa; none of these inputs lies in the middle between two."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa * 2**11) / 2**11, exponent)


def results(inputs, change):
    """Sums in f64 of what `change` makes of the inputs."""
    a, b, x, f, g = (change(value.astype(np.float64)) for value in inputs.values())
    f = f[:, :, 0, 0]
    return {"product": a @ b, "conv": np.einsum("ncyx,oc->noyx", x, f), "input_grad": np.einsum("noyx,oc->ncyx", g, f),
            "filter_grad": np.einsum("ncyx,noyx->oc", x, g)[:, :, None, None]}


def main():
    tools = Toolchain(find_bin_dir())
    random = np.random.default_rng(5)
    shapes = {"a": (7, 33), "b": (33, 5), "x": (2, 4, 3, 3), "f": (5, 4, 1, 1), "g": (2, 5, 3, 3)}
    inputs = {name: random.uniform(1, 2, shape).astype("f") for name, shape in shapes.items()}
    exact, short = results(inputs, lambda value: value), results(inputs, rounded)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.mlir").write_text(MODEL)
        (folder / "job.yaml").write_text("model: model.mlir\ntarget: cuda\ntf32: true\n")
        feeds = []
        for key, value in inputs.items():
            write_tensor(folder / f"{key}.npy", value)
            feeds += ["--input", f"{key}={folder / key}.npy"]
        for given, expected, other in (([folder / "model.mlir", "--target", "cuda"], exact, short),
                                       ([folder / "model.mlir", "--target", "cuda", "--tf32"], short, exact),
                                       ([folder / "job.yaml"], short, exact)):
            tools.run("shard-compile", *given, "-o", folder / "model.sheaf")
            tools.run("shard-run", folder / "model.sheaf", *feeds, "--output-dir", folder / "out")
            for key, value in read_outputs(folder / "out").items():
                # Sums of at most 33 positive f32 are as near as this; TF32 is off by some 2^-12 of each product.
                np.testing.assert_allclose(value, expected[key], rtol=33 * 2**-24, err_msg=key)
                assert np.abs(value / other[key] - 1).max() > 2 * 33 * 2**-24, key
    print(f"exact without --tf32, rounded with it, also in a job: {len(exact)} results")


if __name__ == "__main__":
    main()
