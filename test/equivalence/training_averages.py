"""Compares parameters, states and averages of weights, step by step, with NumPy.

Usage: training_averages.py
"""

import argparse
import sys

import numpy as np

from driver.tools import Toolchain, add_bin_option, find_bin_dir
from equivalence import training_problem
from equivalence.open_step import OpenStep

_DECAY, _RATE, _STEPS = 0.75, 0.1, 4


def compare(what, found, wanted):
    """Yields what differs by more than rounding in f64."""
    for name, want in wanted.items():
        if not np.allclose(found[name], want, rtol=1e-12, atol=1e-14):
            yield f"{what}: {name} is off by {np.abs(found[name] - want).max()}"


def check(tools):
    """Yields what is wrong."""
    data = training_problem.batches(1, np.float64)
    values = training_problem.parameters()
    step = OpenStep(tools, training_problem.model_text("f64"),
                    f"loss=mse:y,targets optimizer=sgd lr={_RATE} lr-scale=b*=2 lr-scale=b2=0 "
                    f"freeze=w1 ema={_DECAY} eval-ema=true", values)
    if "w1.ema" in step.values:
        yield "a frozen parameter has an average"
    rates = {"b1": 2 * _RATE, "w2": _RATE, "b2": 0.0}
    averages = dict(values)
    for number in range(_STEPS + 1):
        loss, gradients, _ = training_problem.loss_and_gradients(averages, data)
        yield from compare(f"evaluation after {number} steps", step.run("eval", data), {"loss": loss})
        _, gradients, _ = training_problem.loss_and_gradients(values, data)
        step.run("train_step", data)
        for name, rate in rates.items():
            values[name] = values[name] - rate * gradients[name]
            averages[name] = (values[name] if number == 0
                              else _DECAY * averages[name] + (1 - _DECAY) * values[name])
        wanted = values | {f"{name}.ema": averages[name] for name in rates}
        yield from compare(f"step {number + 1}", step.values, wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin_option(parser)
    arguments = parser.parse_args()
    problems = list(check(Toolchain(find_bin_dir(arguments.bin))))
    print("\n".join([*problems, f"{len(problems)} values are wrong"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
