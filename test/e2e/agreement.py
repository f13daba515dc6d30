"""Compiles and runs one model family and compares every output with ONNX Runtime.

The bound is max|ours - theirs| <= 1e-4 max|theirs| per output. Both sides compute in float32 and
sum in different orders, which on these models differs by 1e-6 to 1e-5; 1e-4 leaves one decade,
while a wrong mask, position or epsilon shows at 1e-3 and above.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tolerance import relative_error  # noqa: E402
from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402
from models.make import FAMILIES, family  # noqa: E402

BOUND = 1e-4


def reference(path, feed):
    """ONNX Runtime's outputs by name."""
    onnxruntime.set_default_logger_severity(3)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feed)))


def compare(actual, expected):
    """Prints a line per output; returns whether all of them agree."""
    if list(actual) != list(expected):
        print(f"outputs are {list(actual)}, expected {list(expected)}")
        return False
    agree = True
    for name, want in expected.items():
        got = actual[name]
        if got.shape != want.shape or got.dtype != want.dtype or not np.isfinite(got).all():
            print(f"{name}: {got.dtype} {list(got.shape)} with {(~np.isfinite(got)).sum()} "
                  f"non-finite values, expected {want.dtype} {list(want.shape)}")
            agree = False
            continue
        error = relative_error(got, want)
        print(f"{name}: relative error {error:.1e}")
        agree &= error <= BOUND
    return agree


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--external", action="store_true", help="weights in a side file")
    parser.add_argument("--flag", action="append", default=[], help="passed to shard-compile")
    parser.add_argument("extents", nargs="+", type=int, help="batch [sequence [past]]")
    add_bin_option(parser)
    options = parser.parse_intermixed_args()

    module = family(options.family)
    config = module.SIZES[options.size]
    feed = module.inputs(config, np.random.default_rng(1), *options.extents)
    tools = Toolchain(find_bin_dir(options.bin))
    with tempfile.TemporaryDirectory() as work_dir:
        model = Path(work_dir) / "model.onnx"
        program = Path(work_dir) / "model.sheaf"
        module.build(config, options.opset).save(model, options.external)
        expected = reference(model, feed)
        shapes = {name: array.shape for name, array in feed.items()}
        tools.compile(model, program, shapes, flags=options.flag)
        actual = tools.execute(program, feed, work_dir)
    sys.exit(0 if compare(actual, expected) else 1)


if __name__ == "__main__":
    main()
