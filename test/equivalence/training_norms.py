"""Compares the training of a batch norm with NumPy, on one rank and on several.

Usage: training_norms.py

Parameters and running statistics are seen after every step, and so is the loss of an evaluation, which takes the
running ones. On several ranks the statistics are those of the whole batch.
"""

import argparse
import sys

import numpy as np

from driver.tools import Toolchain, add_bin_option, find_bin_dir
from equivalence import norm_problem, training_problem
from equivalence.open_step import OpenStep

_RATE, _STEPS = 0.25, 3
# element -> relative tolerance: rounding alone.
_TOLERANCE = {"f64": 1e-12, "f32": 1e-5}


def compare(what, found, wanted, tolerance):
    """Yields what differs by more than rounding."""
    for name, want in wanted.items():
        if not np.abs(found[name] - want).max() <= tolerance * max(1.0, np.abs(want).max()):
            yield f"{what}: {name} is off by {np.abs(found[name] - want).max()}"


def check(tools, element, micro_batches, layout):
    """Yields what is wrong."""
    title = f"{element}, {micro_batches} micro-batches, {layout or 'one rank'}"
    data = training_problem.batches(micro_batches, np.float64)
    values = norm_problem.parameters()
    step = OpenStep(tools, norm_problem.model_text(element),
                    f"loss=mse:y,targets optimizer=sgd lr={_RATE} micro-batches={micro_batches}",
                    values, layout)
    first = {name: data[name][:1] for name in ("x", "targets")}
    for number in range(_STEPS):
        loss, gradients, running = norm_problem.train(values, data)
        tolerance = _TOLERANCE[element]
        yield from compare(f"{title}, evaluation after {number} steps", step.run("eval", first),
                           {"loss": norm_problem.evaluate(values, data)}, tolerance)
        yield from compare(f"{title}, step {number + 1}", step.run("train_step", data), {"loss": loss}, tolerance)
        values = running | {name: values[name] - _RATE * gradients[name] for name in gradients}
        yield from compare(f"{title}, after step {number + 1}", step.values, values, tolerance)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    cases = [("f64", 1, None), ("f64", 3, None), ("f32", 1, None), ("f32", 1, ("data=2", "ddp")),
             ("f32", 3, ("data=2", "zero3")), ("f32", 2, ("data=4", "zero1"))]
    problems = [problem for case in cases for problem in check(tools, *case)]
    print("\n".join([*problems, f"{len(cases)} cases, {len(problems)} values are wrong"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
