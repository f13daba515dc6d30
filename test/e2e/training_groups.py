"""Trains a model of repeated blocks: parameters and gradients of a group travel together, and nothing else changes.

For each layout, MESH/STRATEGY with flags of shard-compile behind further slashes, three programs train: one joins by
the blocks of the model, one by bytes, one joins nothing. What is moved is the same, and so are losses and norms to the
bit; on GPUs but for the order of sums. The numbers of collectives are those of formulas.md, for `--groups ALL,AGAIN`:
all groups, and those that the backward pass gathers again.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402
from training_formulas import expected_calls  # noqa: E402
from training_model import TrainingModel  # noqa: E402

STEPS = 3
JOINING = {"blocks": (), "bytes": ("--group-bytes", "300"), "nothing": ("--group-bytes", "1")}


def wire_of(curve, what):
    return {(line["collective"], line["axes"]): line[what] for line in curve.report["wire"]}


def numbers_of(curve, name):
    return np.array([step[name] for step in curve.steps])


def same_numbers(curve, other, target):
    """On GPUs orders of sums depend on when a collective needs them: the gradient of a bias is summed up by the product
    that gives the weight's, where that comes before; and kernels add up squares as what else they compute allows. Sums
    of a few thousand numbers then round apart, by some of the last bits of f32 after three steps."""
    rtol = 0 if target == "host" else 2.0**-20
    return all(np.allclose(numbers_of(curve, name), numbers_of(other, name), rtol=rtol, atol=0)
               for name in ("loss", "grad_norm"))


def check(model, number, layout, groups):
    """Trains in one layout and says what is wrong with it."""
    mesh, strategy, *flags = layout.split("/")
    axes = {name: int(size) for name, size in (axis.split("=") for axis in mesh.split(","))}
    curves = {joined: model.train(f"layout{number}{joined}", ["--mesh", mesh, "--strategy", strategy, *flags, *more],
                                  STEPS) for joined, more in JOINING.items()}
    alone, wrong = curves["nothing"], []
    for joined, curve in curves.items():
        if not same_numbers(curve, alone, model.tools.target):
            wrong.append(f"joined by {joined}: {curve.steps}, alone {alone.steps}")
        if wire_of(curve, "payload_bytes") != wire_of(alone, "payload_bytes"):
            wrong.append(f"joined by {joined}: {curve.report['wire']}, alone {alone.report['wire']}")
    calls, single, by_bytes = (wire_of(curves[joined], "calls") for joined in ("blocks", "nothing", "bytes"))
    expected = expected_calls(strategy, flags, axes, groups, model.micro_batches)
    each = expected_calls(strategy, flags, axes, (len(model.parameters), 0), model.micro_batches)
    for key in sorted(set(calls) | set(expected)):
        # Numbers, such as the loss, are combined by themselves; how many can be told where nothing joins.
        numbers = single[key] - each.get(key, 0) if key[0] == "all_reduce" else 0
        if calls.get(key, 0) != expected.get(key, 0) + numbers:
            wrong.append(f"{key}: {calls.get(key, 0)} calls, expected {expected.get(key, 0)} and {numbers} of numbers")
        if key[0] == "reduce_scatter" and single[key] != each[key]:
            wrong.append(f"{key}: {single[key]} calls alone, expected {each[key]}")
        if key in expected and not calls[key] <= single[key] or not by_bytes[key] <= single[key]:
            wrong.append(f"{key}: {calls[key]} and {by_bytes[key]} calls, alone {single[key]}")
    print(f"{layout}: " + ", ".join(f"{name} over {axis} {count}" for (name, axis), count in sorted(calls.items()))
          + "".join(f"\n  WRONG {text}" for text in wrong), flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family")
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--loss", default="causal_lm:logits,input_ids")
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--micro-batches", type=int, default=1)
    parser.add_argument("--groups", required=True, help="ALL,AGAIN")
    parser.add_argument("--layout", action="append", default=[])
    parser.add_argument("extents", nargs="+", type=int, help="batch [sequence]")
    add_bin_option(parser)
    options = parser.parse_intermixed_args()
    groups = tuple(map(int, options.groups.split(",")))
    with tempfile.TemporaryDirectory() as folder:
        model = TrainingModel(Toolchain(find_bin_dir(options.bin)), Path(folder), options.family, options.loss,
                              tuple(options.extents), options.micro_batches, options.size,
                              flags=(*TrainingModel.flags, "--precision", options.precision))
        right = [check(model, number, layout, groups) for number, layout in enumerate(options.layout)]
    print(f"{sum(right)} of {len(right)} layouts agree")
    return int(not right or not all(right))


if __name__ == "__main__":
    sys.exit(main())
