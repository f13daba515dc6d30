"""Runs training steps and compares loss, gradient norm, learning rate and count with a reference in NumPy.

Usage: training_steps.py [--only TEXT] GROUP...

The groups are those of training_cases.py. What a program does in step k shows how it updated parameters and states
in the steps before. In f64 both sides round the 16th digit: 1e-9 leaves no room for another formula. In f32, on one
rank and on several, steps drift apart by rounding alone.
"""

import argparse
import fnmatch
import sys
import tempfile
from pathlib import Path

import numpy as np

from driver.tools import Crashed, Refused, Toolchain, add_bin_option, find_bin_dir
from equivalence import optimizer_reference, schedule_reference, training_problem
from equivalence.training_cases import GROUPS, LAYOUTS

_TOLERANCE = {"f64": 1e-9, "f32": 2e-5}
_SCHEDULE = ("schedule", "warmup", "schedule_steps", "decay_steps", "final_lr")
_COLUMNS = ("loss", "count", "grad_norm", "learning_rate")


def matches(name, globs):
    return any(fnmatch.fnmatchcase(name, glob) for glob in globs)


def reference(case, dtype):
    """What each step reports."""
    values = training_problem.parameters()
    data = training_problem.batches(case.micro_batches, dtype)
    optimizer = optimizer_reference.create(case.optimizer, case.options)
    for step in range(1, case.steps + 1):
        loss, gradients, count = training_problem.loss_and_gradients(
            values, data, case.loss, case.step.get("label_smoothing", 0.0))
        trained = {name: gradient for name, gradient in gradients.items()
                   if not matches(name, case.step.get("freeze", []))}
        norm = np.sqrt(sum((gradient**2).sum() for gradient in trained.values()))
        rate = schedule_reference.rate(step, case.step.get("lr", 1e-3),
                                       **{key: case.step[key] for key in _SCHEDULE if key in case.step})
        yield loss, count, norm, rate
        clip = case.step.get("clip_norm", 0.0)
        scale = min(1.0, clip / (norm + 1e-6)) if clip else 1.0
        for name, gradient in trained.items():
            decays = not matches(name, case.step.get("no_decay", []))
            factor = 1.0
            for text in case.step.get("lr_scale", []):
                glob, number = text.split("=")
                factor = float(number) if matches(name, [glob]) else factor
            values[name] = optimizer.update(name, values[name], gradient * scale, rate * factor, step,
                                            case.step.get("weight_decay", 0.0) if decays else 0.0)


def flags(case):
    """The flags that ask for the case."""
    loss = "mse:y,targets" if case.loss == "mse" else "cross_entropy:y,labels"
    result = ["--train", "--loss", loss, "--optimizer", case.optimizer,
              "--micro-batches", str(case.micro_batches)]
    for key, value in {**case.options, **case.step}.items():
        flag = "--" + key.replace("_", "-")
        if value is True:
            result.append(flag)
        elif key == "lr_scale":
            result += [word for one in value for word in (flag, one)]
        else:
            many = isinstance(value, (tuple, list))
            result += [flag, ",".join(map(str, value)) if many else str(value)]
    return result


def measured(case, element, layout, tools, folder):
    """What each step reports, from as many runs: each starts anew."""
    model, program = folder / "model.mlir", folder / "step.sheaf"
    model.write_text(training_problem.model_text(element), encoding="utf-8")
    rules = folder / "rules.yaml"
    rules.write_text("- {name: 'w1', columns: [tensor]}\n- {name: 'w2', rows: [tensor]}\n", encoding="utf-8")
    layout = [str(rules) if word == "RULES" else word for word in layout]
    tools.compile(model, program, work_dir=folder, flags=[*flags(case), *layout])
    data = training_problem.batches(case.micro_batches, np.float64 if element == "f64" else np.float32)
    target = "targets" if case.loss == "mse" else "labels"
    inputs = {name: data[name] for name in ("x", target)}
    for step in range(1, case.steps + 1):
        outputs = tools.execute(program, inputs, folder,
                                flags=["--program", "train_step", "--repeat", str(step)])
        yield tuple(float(outputs[name]) for name in _COLUMNS)


def check(case, element, layout, tools):
    """What is wrong, or None."""
    dtype = np.float64 if element == "f64" else np.float32
    with tempfile.TemporaryDirectory() as folder:
        pairs = zip(measured(case, element, LAYOUTS[layout], tools, Path(folder)), reference(case, dtype),
                    strict=True)
        for step, (found, wanted) in enumerate(pairs, 1):
            for name, got, want in zip(_COLUMNS, found, wanted):
                # Reported in f32 whatever the model's type.
                tolerance = 1e-6 if name == "learning_rate" else _TOLERANCE[element]
                if not abs(got - want) <= tolerance * abs(want):
                    return f"step {step}: {name} is {got:.12g}, not {want:.12g}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="+", choices=GROUPS)
    parser.add_argument("--only", default="", help="only cases whose title holds this")
    add_bin_option(parser)
    arguments = parser.parse_args()
    tools = Toolchain(find_bin_dir(arguments.bin))
    num_checks = num_wrong = 0
    for case in (case for group in arguments.groups for case in GROUPS[group]):
        if arguments.only not in case.title:
            continue
        for element, layout in [("f64", "one rank"), *(("f32", layout) for layout in case.layouts)]:
            num_checks += 1
            try:
                problem = check(case, element, layout, tools)
            except (Refused, Crashed) as failure:
                problem = str(failure)
            if problem:
                num_wrong += 1
                print(f"{case.title}, {element}, {layout}: {problem}", flush=True)
    print(f"{num_checks} runs, {num_wrong} wrong")
    sys.exit(1 if num_wrong or not num_checks else 0)


if __name__ == "__main__":
    main()
