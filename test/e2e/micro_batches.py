"""Micro-batches are one program that runs again and again: what it computes does not depend on how many there are, and
what is stored does not grow with them."""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, find_bin_dir  # noqa: E402
from training_case import Case, expect  # noqa: E402
from training_cases import linear  # noqa: E402

RATE = 0.1
SAMPLES = 2000
FLAGS = ("--loss", "mse:y,target", "--optimizer", "sgd", "--lr", RATE, "--momentum", 0.9)


def make_case(tools, folder, random):
    x = random.standard_normal((SAMPLES, 5), np.float32)
    target = random.standard_normal((SAMPLES, 3), np.float32)
    w, bias = random.standard_normal((5, 3), np.float32), random.standard_normal(3, np.float32)
    return Case(tools, folder, linear(w, bias), {"x": x, "target": target}, ["x"]), (x, target, w, bias)


def expected(x, target, w, bias, steps):
    """Losses, and the parameters behind all steps, of momentum SGD in f64."""
    losses = []
    w, bias = w.astype(np.float64), bias.astype(np.float64)
    momenta = [0, 0]
    for batch, wanted in zip(np.split(x.astype(np.float64), steps), np.split(target, steps)):
        difference = batch @ w + bias - wanted
        losses.append(np.mean(difference ** 2))
        gradient = 2 * difference / difference.size
        momenta = [0.9 * momenta[0] + batch.T @ gradient, 0.9 * momenta[1] + gradient.sum(0)]
        w, bias = w - RATE * momenta[0], bias - RATE * momenta[1]
    return losses, w, bias


def parts_of(tools, program):
    """The parts of the training step, as shard-run tells them."""
    return json.loads(tools.run("shard-run", program, "--info", "--json"))["programs"]["train_step"]["parts"]


def check_results(tools, folder, random):
    """2, 5 and 1,000 micro-batches of the same samples are the same steps."""
    case, data = make_case(tools, folder, random)
    losses, w, bias = expected(*data, steps=2)
    for count in (1, 2, 5, 1000):
        outcome = case.run(*FLAGS, micro_batches=count, steps=2)
        # 1,000 gradients are added up in f32, one after another.
        expect(f"{count}: loss", [step["loss"] for step in outcome.steps], losses)
        expect(f"{count}: w", outcome.variables["w"], w)
        expect(f"{count}: b", outcome.variables["b"], bias)
        assert set(outcome.variables) == {"w", "b", "w.momentum", "b.momentum", "optimizer.step"}, outcome.variables
        carried = outcome.compiled["gradient_bytes"]
        assert (carried == 0) == (count == 1), carried


def check_growth(tools, folder, random):
    """An executable holds one micro-batch, however many there are."""
    case, _ = make_case(tools, folder, random)
    stored = set()
    for count in (2, 5, 1000, 1 << 20):
        program = folder / f"{count}.sheaf"
        compiled = json.loads(tools.compile(case.model, program, {"x": (4, 5)}, flags=[
            "--train", "--micro-batches", str(count), *map(str, FLAGS), "--json"]))
        parts = parts_of(tools, program)
        assert [(part["program"], part["times"]) for part in parts] == [
            ("train_step.begin", 1), ("train_step.micro_batch", count), ("train_step.end", 1)], parts
        stored.add((*(part["instructions"] for part in parts), compiled["kernels"], compiled["gradient_bytes"]))
    assert len(stored) == 1, stored


def check_run(tools, folder, random):
    """Memory is as predicted, a trace holds every micro-batch, and a run that goes on is the run that did not end."""
    case, _ = make_case(tools, folder, random)
    for ranks, layout in ((1, ()), (2, ("--mesh", "data=2", "--strategy", "zero2"))):
        case.run(*FLAGS, *layout, micro_batches=5, steps=4)
        program, checkpoints = case.folder / "step.sheaf", folder / f"{ranks}"
        train = ("shard-run", program, "--data", case.folder / "data.npz", "--no-shuffle", "--checkpoint", checkpoints)
        tools.run(*train, "--steps", "2")
        trace, resumed = folder / "trace.json", folder / "resumed.safetensors"
        report = json.loads(tools.run(*train, "--steps", "4", "--resume", "--json", "--profile", trace))
        memory = report["memory_bytes"]
        assert memory["peak"] == memory["predicted_peak"], memory
        tools.run("shard-ckpt", "merge", checkpoints, "-o", resumed)
        assert (case.folder / "whole.safetensors").read_bytes() == resumed.read_bytes(), layout
        slices = [event for event in json.loads(trace.read_text())["traceEvents"] if event["ph"] == "X"]
        ran = sum(part["instructions"] * part["times"] for part in parts_of(tools, program))
        assert len(slices) == ranks * ran, (len(slices), ranks, ran)


def main():
    tools = Toolchain(find_bin_dir())
    with tempfile.TemporaryDirectory() as folder:
        for number, check in enumerate((check_results, check_growth, check_run)):
            own = Path(folder) / str(number)
            own.mkdir()
            check(tools, own, np.random.default_rng(number))


if __name__ == "__main__":
    main()
