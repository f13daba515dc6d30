"""Compares the gradients of a whole model by all of its parameters with those that JAX computes.

Usage: gradients.py FAMILY [--size NAME] [--opset N] EXTENT...

The loss adds up all elements of the output with random weights. JAX differentiates its own reading of
the graph in double. Ours are f32: relative to the largest element of each gradient, 1e-5 is some 100 ulp,
which sums of a few thousand terms of mixed sign in f32 need. `--bound` says where a model needs more.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import jax
import numpy as np
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402
from models import onnx_jax  # noqa: E402
from models.make import FAMILIES, family  # noqa: E402

jax.config.update("jax_enable_x64", True)


def add_loss(model, shape):
    """Makes `loss`, a weighted sum of the first output, the only output."""
    graph = model.graph
    output = graph.output[0].name
    graph.input.append(helper.make_tensor_value_info("loss_weights", TensorProto.FLOAT, shape))
    flat = helper.make_tensor("loss_axes", TensorProto.INT64, [len(shape)], list(range(len(shape))))
    graph.initializer.append(flat)
    graph.node.append(helper.make_node("Mul", [output, "loss_weights"], ["loss_terms"]))
    graph.node.append(helper.make_node("ReduceSum", ["loss_terms", "loss_axes"], ["loss"], keepdims=0))
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info("loss", TensorProto.FLOAT, []))


def expected_gradients(model, feed):
    """JAX's gradients by the names of the parameters."""
    def loss(parameters):
        return onnx_jax.evaluate(model, parameters, feed)["loss"]
    return {name: np.asarray(value)
            for name, value in jax.grad(loss)(onnx_jax.parameters_of(model)).items()}


def actual_gradients(model, feed, tools, folder):
    """Ours, by the names of the parameters."""
    path, text, program = folder / "model.onnx", folder / "model.mlir", folder / "model.sheaf"
    path.write_bytes(model.SerializeToString())
    shapes = [part for name, value in feed.items()
              for part in ("--shape", f"{name}={'x'.join(map(str, value.shape))}")]
    tools.run("shard-opt", path, *shapes, "--lowering-unroll-loops", "--canonicalize", "--graph-raise",
              "--training-differentiate=output=loss", "--canonicalize", "--cse", "-o", text)
    tools.compile(text, program, work_dir=folder, flags=["--no-raise"])
    outputs = tools.execute(program, feed, folder)
    return {name.removesuffix(".grad"): value for name, value in outputs.items() if name != "loss"}


def error_of(value, expected, largest):
    """The largest error, relative to the largest element of the gradient.

    A gradient can be zero but for rounding: a bias of keys moves all scores of a query alike. JAX computes in f64,
    so such a one is below 1e-12 of the model's largest; then a hundredth of that one is the measure.
    """
    own = np.abs(expected).max(initial=0.0)
    measure = own if own > 1e-12 * largest else 1e-2 * largest
    return np.abs(value - expected).max(initial=0.0) / measure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--bound", type=float, default=1e-5)
    parser.add_argument("extents", nargs="+", type=int, help="batch [sequence]")
    add_bin_option(parser)
    options = parser.parse_intermixed_args()
    module = family(options.family)
    config, random = module.SIZES[options.size], np.random.default_rng(1)
    feed = module.inputs(config, random, *options.extents)
    model = module.build(config, options.opset).model()
    outputs = onnx_jax.evaluate(model, onnx_jax.parameters_of(model), feed)
    shape = next(iter(outputs.values())).shape
    add_loss(model, shape)
    feed["loss_weights"] = random.standard_normal(shape, np.float32)
    expected = expected_gradients(model, feed)
    tools = Toolchain(find_bin_dir(options.bin))
    with tempfile.TemporaryDirectory() as work_dir:
        actual = actual_gradients(model, feed, tools, Path(work_dir))
    largest = max(np.abs(value).max(initial=0.0) for value in expected.values())
    errors = {name: error_of(value, expected[name], largest) for name, value in actual.items()}
    for name, error in sorted(errors.items(), key=lambda item: -item[1])[:5]:
        print(f"{name}: relative error {error:.1e}")
    # Initializers named `val_N` are the literals of programs, which stay as they are.
    moving = {name for name, value in expected.items()
              if np.abs(value).max(initial=0.0) and not name.startswith("val_")}
    if lost := moving - actual.keys():
        print(f"no gradient of {', '.join(sorted(lost))}")
    print(f"{len(errors)} gradients")
    sys.exit(1 if lost or not all(error <= options.bound for error in errors.values()) else 0)


if __name__ == "__main__":
    main()
