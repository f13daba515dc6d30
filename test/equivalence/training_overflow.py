"""Gradients in f16 that overflow skip the step: nothing changes but the loss scale, which is halved.

Usage: training_overflow.py

The network has a batch norm and averages of its weights: these stay as well. A scale that has been good for two steps
is doubled. On two ranks all skip together.
"""

import argparse
import sys

import numpy as np

from driver.tools import Toolchain, add_bin_option, find_bin_dir
from equivalence import norm_problem, training_problem
from equivalence.open_step import OpenStep

_SCALE, _INTERVAL, _STEPS = 2.0**19, 2, 8
_SCALE_STATES = {"optimizer.loss_scale", "optimizer.steps_at_scale"}


def check(tools, layout):
    """Yields what is wrong."""
    title = layout or "one rank"
    data = training_problem.batches(1, np.float32)
    step = OpenStep(tools, norm_problem.model_text("f32"),
                    f"loss=mse:y,targets optimizer=adam lr=0.01 precision=f16 loss-scale={_SCALE} "
                    f"loss-scale-interval={_INTERVAL} ema=0.5", norm_problem.parameters(), layout)
    step.values["optimizer.loss_scale"] = np.float32(_SCALE)
    scale, good, losses, history = _SCALE, 0, [], []
    for number in range(1, _STEPS + 1):
        before = dict(step.values)
        outputs = step.run("train_step", data)
        skipped = bool(outputs["skipped"])
        history.append(skipped)
        if not skipped:
            losses.append(float(outputs["loss"]))
        if skipped == np.isfinite(outputs["grad_norm"]):
            yield f"{title}, step {number}: skipped is {skipped}, the norm {outputs['grad_norm']}"
        changed = {name for name, old in before.items() if not np.array_equal(old, step.values[name])}
        if skipped and changed - _SCALE_STATES:
            yield f"{title}, step {number} is skipped, but changes {changed - _SCALE_STATES}"
        if not skipped and len(changed - _SCALE_STATES) != len(before) - len(_SCALE_STATES):
            yield f"{title}, step {number} changes {changed} only"
        good = 0 if skipped else good + 1
        scale = scale / 2 if skipped else scale * 2 if good == _INTERVAL else scale
        good %= _INTERVAL
        if step.values["optimizer.loss_scale"] != scale:
            yield f"{title}, step {number}: the scale is {step.values['optimizer.loss_scale']}, not {scale}"
    if history[0] is False or all(history) or not losses[-1] < losses[0]:
        yield f"{title}: steps were skipped: {history}, losses were {losses}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    problems = [problem for layout in (None, ("data=2", "zero3")) for problem in check(tools, layout)]
    print("\n".join([*problems, f"{len(problems)} things are wrong"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
