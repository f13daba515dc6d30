"""Compiles one model for several layouts, runs each on its ranks and compares with one rank.

A layout is MESH/STRATEGY, MESH/rules=FILE or MESH alone: "data=2,tensor=2/dp,tp". After a further slash it may say
how many calls of a collective one run makes: "tensor=2/tp/all_reduce=5". The bound is
max|ranks - one| <= 1e-5 max|one| per output: only the order of sums differs.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tolerance import relative_error  # noqa: E402
from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402
from models.make import FAMILIES, family  # noqa: E402

BOUND = 1e-5


def flags_of(layout):
    """What shard-compile is told, and the number of calls to expect by collective."""
    mesh, how, calls = (layout.split("/") + ["", ""])[:3]
    flags = ["--mesh", mesh]
    if how.startswith("rules="):
        flags += ["--rules", how.removeprefix("rules=")]
    elif how:
        flags += ["--strategy", how]
    expected = dict(call.split("=") for call in calls.split(",") if call)
    return flags, {name: int(count) for name, count in expected.items()}


def check(actual, expected):
    """Returns what is wrong with the outputs, and the largest error."""
    wrong, largest = [], 0.0
    if list(actual) != list(expected):
        return [f"outputs are {list(actual)}, expected {list(expected)}"], largest
    for name, want in expected.items():
        got = actual[name]
        if got.shape != want.shape or got.dtype != want.dtype or not np.isfinite(got).all():
            wrong.append(f"{name}: {got.dtype} {list(got.shape)}, not all finite or not "
                         f"{want.dtype} {list(want.shape)}")
            continue
        error = relative_error(got, want)
        largest = max(largest, error)
        if error > BOUND:
            wrong.append(f"{name}: relative error {error:.1e}")
    return wrong, largest


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--layout", action="append", required=True)
    parser.add_argument("extents", nargs="+", type=int, help="batch [sequence [past]]")
    add_bin_option(parser)
    options = parser.parse_intermixed_args()

    module = family(options.family)
    config = module.SIZES[options.size]
    feed = module.inputs(config, np.random.default_rng(1), *options.extents)
    shapes = {name: array.shape for name, array in feed.items()}
    tools = Toolchain(find_bin_dir(options.bin))
    num_wrong = 0
    with tempfile.TemporaryDirectory() as work_dir:
        model, program = Path(work_dir) / "model.onnx", Path(work_dir) / "model.sheaf"
        module.build(config, options.opset).save(model, False)
        tools.compile(model, program, shapes)
        one = tools.execute(program, feed, work_dir)
        for layout in options.layout:
            flags, expected = flags_of(layout)
            report = json.loads(tools.compile(model, program, shapes, flags=[*flags, "--json"]))
            calls = Counter()
            for line in report["wire"]:
                calls[line["collective"]] += line["calls"]
            wrong, error = check(tools.execute(program, feed, work_dir), one)
            wrong += [f"{calls[name]} calls of {name}, expected {count}"
                      for name, count in expected.items() if calls[name] != count]
            print(f"{layout}: {dict(calls)}, largest error {error:.1e}"
                  + "".join(f"\n  wrong: {text}" for text in wrong))
            num_wrong += bool(wrong)
    sys.exit(1 if num_wrong else 0)


if __name__ == "__main__":
    main()
