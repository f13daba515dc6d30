"""Compiles one model for several layouts, runs each on its ranks and compares with one rank of the host.

A layout is MESH/STRATEGY, MESH/rules=NAME (built in, or Inputs/NAME.yaml) or MESH alone:
"data=2,tensor=2/dp,tp". After a further slash it may say what to expect: "tensor=2/tp/all_reduce=5" so many calls of a
collective in one run, "mpi" that processes compute the bits that threads do. The bound
is max|ranks - one| <= 1e-5 max|one| per output: only the order of sums differs. Fewer rows alone change that order:
oneDNN's products depend on their number.
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
from driver.tools import Toolchain, add_bin_option, find_bin_dir, mpirun  # noqa: E402
from models.make import FAMILIES, family  # noqa: E402

BOUND = 1e-5


def flags_of(layout):
    """What shard-compile is told, the number of calls to expect by collective, and other expectations."""
    mesh, how, expected = (layout.split("/") + ["", ""])[:3]
    flags = ["--mesh", mesh]
    if how.startswith("rules="):
        rules = how.removeprefix("rules=")
        file = Path(__file__).parent / "Inputs" / f"{rules}.yaml"
        flags += ["--rules", str(file) if file.exists() else rules]
    elif how:
        flags += ["--strategy", how]
    words = [word for word in expected.split(",") if word]
    calls = dict(word.split("=") for word in words if "=" in word)
    return flags, {name: int(count) for name, count in calls.items()}, set(words)


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


def differing_bits(actual, expected):
    """Names of the outputs that are not the same to the last bit."""
    return [name for name, want in expected.items() if actual[name].tobytes() != want.tobytes()]


def parse_arguments(description):
    """A model with its extents, and layouts of it."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--layout", action="append", required=True)
    parser.add_argument("extents", nargs="+", type=int, help="batch [sequence [past]]")
    add_bin_option(parser)
    return parser.parse_intermixed_args()


def make_model(options, path, is_external=False):
    """Saves the model at `path`; returns values for its inputs, and their shapes."""
    module = family(options.family)
    config = module.SIZES[options.size]
    module.build(config, options.opset).save(path, is_external)
    feed = module.inputs(config, np.random.default_rng(1), *options.extents)
    return feed, {name: array.shape for name, array in feed.items()}


def main():
    options = parse_arguments(__doc__)
    tools = Toolchain(find_bin_dir(options.bin))
    num_wrong = 0
    with tempfile.TemporaryDirectory() as work_dir:
        model, program = Path(work_dir) / "model.onnx", Path(work_dir) / "model.sheaf"
        feed, shapes = make_model(options, model)
        tools.for_host().compile(model, program, shapes)
        one = tools.for_host().execute(program, feed, work_dir)
        for layout in options.layout:
            flags, expected, words = flags_of(layout)
            report = json.loads(tools.compile(model, program, shapes, flags=[*flags, "--json"]))
            calls = Counter()
            for line in report["wire"]:
                calls[line["collective"]] += line["calls"]
            ranks = tools.execute(program, feed, work_dir)
            wrong, error = check(ranks, one)
            if "mpi" in words:
                num_ranks = np.prod([int(axis.split("=")[1]) for axis in flags[1].split(",")])
                processes = tools.execute(program, feed, work_dir, launcher=mpirun(num_ranks))
                wrong += [f"{name}: other bits than threads'"
                          for name in differing_bits(processes, ranks)]
            wrong += [f"{calls[name]} calls of {name}, expected {count}"
                      for name, count in expected.items() if calls[name] != count]
            print(f"{layout}: {dict(calls)}, largest error {error:.1e}"
                  + "".join(f"\n  wrong: {text}" for text in wrong))
            num_wrong += bool(wrong)
    sys.exit(1 if num_wrong else 0)


if __name__ == "__main__":
    main()
