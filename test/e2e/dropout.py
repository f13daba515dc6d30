"""Dropout in training steps, on models whose masks can be read off their gradients.

mean(dropout(x * w)) has the gradient mask / (1 - ratio) / n by x * w. With x of ones one step of gradient descent shows
the mask that the backward pass had, by columns, and the loss that of the forward pass, since w weighs the columns:
case 9 of shared/conformance/training.md.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx import TensorProto

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Refused, Toolchain, add_bin_option, find_bin_dir  # noqa: E402
from models.graph_builder import GraphBuilder  # noqa: E402
from training_case import Case, expect  # noqa: E402

ROWS, COLUMNS, RATIO = 8, 512, 0.25
WEIGHTS = 1 + np.arange(COLUMNS, dtype=np.float32) / COLUMNS
STEP = ("--optimizer", "sgd", "--lr", 1)
LAYOUTS = {"ddp": ("--mesh", "data=2", "--strategy", "ddp"), "uneven": ("--mesh", "data=3", "--strategy", "ddp"),
           "zero3": ("--mesh", "data=4", "--strategy", "zero3"),
           "columns": ("--mesh", "tensor=2", "--rules", "RULES"),
           "both": ("--mesh", "data=2,tensor=2", "--strategy", "zero3", "--rules", "RULES")}


def model(mode=None, second=False):
    """s = mean(dropout(x * w)); without `mode` the node is not there."""
    b = GraphBuilder("dropout", 17)
    x = b.input("x", TensorProto.FLOAT, ["batch", COLUMNS])
    with b.scope("product"):
        y = b.op("Mul", x, b.parameter("w", WEIGHTS))
    if mode is not None:
        mode = b.constant(np.array(mode))
        for _ in range(2 if second else 1):
            y = b.op("Dropout", y, b.float(RATIO), mode)
    b.output(b.op("ReduceMean", y, keepdims=0), "s", TensorProto.FLOAT, [])
    return b


def ones(samples):
    return {"x": np.ones((samples, COLUMNS), np.float32)}


def change(outcome):
    return WEIGHTS.astype(np.float64) - outcome.variables["product.w"]


def mean_of(counts):
    """The loss of a step that keeps so many elements of each column."""
    return np.sum(counts * WEIGHTS.astype(np.float64)) / (1 - RATIO) / (ROWS * COLUMNS)


def kept(outcome, micro_batches=1):
    """How many elements of each column the backward passes of all steps have kept."""
    counts = change(outcome) * (1 - RATIO) * ROWS * COLUMNS * micro_batches
    assert np.max(np.abs(counts - np.round(counts))) < 0.05, counts
    return np.round(counts).astype(int)


def check_mask(tools, folder):
    """The two passes have one mask, of the right share, the same on every layout, another one in each step."""
    rules = folder / "rules.yaml"
    rules.write_text("- {name: 'w', axes: [[tensor]]}\n")
    case = Case(tools, folder, model(mode=True), ones(ROWS), ["x"])
    one = case.run("--loss", "output:s", *STEP)
    counts = kept(one)
    expect("loss", one.steps[0]["loss"], mean_of(counts), 1e-6)
    deviation = np.sqrt(RATIO * (1 - RATIO) * ROWS * COLUMNS)
    assert abs(counts.sum() - (1 - RATIO) * ROWS * COLUMNS) < 4 * deviation, counts.sum()
    assert len(set(counts)) > 4, "columns are equal"
    for name, layout in LAYOUTS.items():
        layout = [str(rules) if word == "RULES" else word for word in layout]
        found = case.run("--loss", "output:s", *STEP, *layout)
        assert np.array_equal(kept(found), counts), f"{name}: another mask"
        expect(f"{name}: loss", found.steps[0]["loss"], one.steps[0]["loss"])
    # The loss is linear in w, so gradients of steps add up.
    two = Case(tools, folder, model(mode=True), ones(2 * ROWS), ["x"]).run("--loss", "output:s", *STEP, steps=2)
    second = kept(two) - counts
    assert not np.array_equal(second, counts) and abs(second.sum() - counts.sum()) < 8 * deviation, second
    parts = Case(tools, folder, model(mode=True), ones(2 * ROWS), ["x"]).run(
        "--loss", "output:s", *STEP, micro_batches=2)
    # Of two micro-batches the second is as the second step of one: the two are counted alike.
    assert np.array_equal(kept(parts, 2), kept(two)), "micro-batches"
    return counts


def check_modes(tools, folder, counts):
    """A node drops out of training whatever its mode, never of evaluation; rules place, change and remove."""
    def run(built, *flags):
        return Case(tools, folder, built, ones(ROWS), ["x"]).run("--loss", "output:s", *STEP, *flags)
    assert np.array_equal(kept(run(model(mode=False))), counts)
    whole = np.full(COLUMNS, (1 - RATIO) * ROWS)
    expect("turned off", kept(run(model(mode=True), "--dropout", "*=0")), whole)
    expect("no node", kept(run(model())), whole)
    placed = kept(run(model(), "--dropout", f"/product/*={RATIO}"))
    assert not np.array_equal(placed, counts) and abs(placed.sum() / counts.sum() - 1) < 0.05, placed
    changed = run(model(mode=True), "--dropout", "/Dropout*=0.5")
    expect("ratio", changed.steps[0]["loss"], WEIGHTS.mean(), 0.1)
    assert set(np.round(change(changed) * 0.5 * ROWS * COLUMNS)) > {3, 4, 5}
    both = run(model(mode=True, second=True))
    share = np.sum(change(both)) * (1 - RATIO) ** 2
    assert abs(share - (1 - RATIO) ** 2) < 0.03, "two masks are one"
    narrow = run(model(mode=True), "--precision", "bf16")
    expect("bf16", change(narrow), counts / (1 - RATIO) / (ROWS * COLUMNS), 2 ** -7)


def check_runs(tools, folder, counts):
    """Seeds of runs change masks, evaluation keeps everything, and two runs of a seed are one."""
    built, path, program = model(mode=True), folder / "model.onnx", folder / "step.sheaf"
    built.save(path)
    tools.compile(path, program, {"x": (ROWS, COLUMNS)}, flags=["--train", "--loss", "output:s", *map(str, STEP)])
    inputs = {"x": np.ones((1, ROWS, COLUMNS), np.float32)}

    def loss(name, *flags):
        return float(tools.execute(program, inputs, folder, flags=["--program", name, *flags])["loss"])
    expect("loss", loss("train_step"), mean_of(counts), 1e-6)
    assert loss("train_step") == loss("train_step", "--seed", "0") != loss("train_step", "--seed", "1")
    expect("evaluation", loss("eval"), WEIGHTS.mean())


def check_refusals(tools, folder):
    path = folder / "model.onnx"
    model(mode=True).save(path)
    for flag, text in (("*", "is not of the form GLOB=RATIO"), ("*=1", "the ratio in [0, 1)"),
                       ("*=-0.1", "the ratio in [0, 1)"), ("none=0.1", "matches no node that makes floats"),
                       ("/product/*=0", "has no effect")):
        try:
            tools.compile(path, folder / "no.sheaf", {"x": (ROWS, COLUMNS)},
                          flags=["--train", "--loss", "output:s", "--dropout", flag])
        except Refused as refusal:
            assert text in str(refusal), refusal
        else:
            raise AssertionError(f"--dropout {flag} is accepted")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        counts = check_mask(tools, folder)
        check_modes(tools, folder, counts)
        check_runs(tools, folder, counts)
        check_refusals(tools, folder)
    print("masks are those of the seed, the step and the place")


if __name__ == "__main__":
    main()
