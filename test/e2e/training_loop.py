"""Trains small hand-written steps with shard-run on several layouts and compares every metric with numpy.

Layouts are numbers of ranks: 1, 2 and 4 as threads, 2 as processes. All must take the same samples in the same order,
which is read off the metrics of one rank where it is shuffled: each epoch takes every sample once.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir, mpirun  # noqa: E402
from models import small_steps  # noqa: E402

# axes of the mesh, launched as processes
LAYOUTS = {"1 rank": ("", 0), "2 threads": ("data=2", 0), "4 threads": ("data=4", 0),
           "2 processes": ("data=2", 2)}
TOKEN_LAYOUTS = {**LAYOUTS, "4 threads": ("data=2,seq=2", 0)}


class Bench:
    """A folder with the executables of one kind of step, one per layout."""

    def __init__(self, tools, folder, kind, layouts):
        self.tools, self.folder, self.layouts = tools, folder, layouts
        for axes, _ in layouts.values():
            (folder / "step.mlir").write_text(small_steps.text(kind, axes))
            tools.run("shard-compile", folder / "step.mlir", "-o", self.executable(axes))

    def executable(self, axes):
        return self.folder / f"step-{axes}.sheaf"

    def train(self, layout, *arguments):
        """The lines of metrics: of steps and of validations."""
        axes, processes = self.layouts[layout]
        metrics = self.folder / "m.jsonl"
        self.tools.run("shard-run", self.executable(axes), *arguments, "--metrics", metrics,
                       launcher=mpirun(processes) if processes else ())
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return ([line for line in lines if "loss" in line],
                [line for line in lines if "eval_loss" in line])


def expect(name, actual, wanted, bound=1e-5):
    """Fails when numbers differ."""
    error = np.max(np.abs(np.array(actual) - wanted) / np.maximum(np.abs(wanted), 1e-3))
    if len(actual) != len(wanted) or not error <= bound:
        sys.exit(f"{name}: {actual} instead of {list(wanted)}: {error:.1e}")
    print(f"{name}: {len(wanted)} numbers, {error:.0e}")


def descend(x, y, order, w):
    """Losses of gradient descent over batches of 8 of `order`, and the weights after it."""
    losses = []
    for begin in range(0, len(order) - 7, 8):
        batch = order[begin:begin + 8]
        error = x[batch] @ w - y[batch]
        losses.append(np.mean(error ** 2))
        w = w - 0.025 * (x[batch].T @ error)
    return losses, w


def stores(folder, x, y):
    """The same data in other kinds of files."""
    shards = folder / "shards"
    shards.mkdir()
    for name, part in (("0", slice(0, 7)), ("1", slice(7, 20))):
        np.savez(shards / f"{name}.npz", x=x[part], y=y[part])
    header = json.dumps({"x": {"dtype": "F32", "shape": [20, 3], "data_offsets": [0, 240]},
                         "y": {"dtype": "F32", "shape": [20], "data_offsets": [240, 320]}})
    tensors = folder / "data.safetensors"
    tensors.write_bytes(len(header).to_bytes(8, "little") + header.encode() + x.tobytes() +
                        y.tobytes())
    return [shards, tensors]


def check_linear(bench):
    """20 samples, 8 a step: two steps an epoch, 4 samples left out; validation of 9, 1 left out."""
    random = np.random.default_rng(0)
    x = random.standard_normal((20, 3)).astype("f")
    y = (x @ np.array([1, -2, 3], "f")).astype("f")
    data, valid = bench.folder / "data.npz", bench.folder / "valid.npz"
    np.savez(data, x=x, y=y)
    np.savez_compressed(valid, x=x[:9], y=y[:9])
    arguments = ["--data", data, "--epochs", 2, "--eval-data", valid, "--eval-every", 2]
    arguments = [str(argument) for argument in arguments]
    first, w = descend(x, y, np.arange(20), np.zeros(3))
    second, w2 = descend(x, y, np.arange(20), w)
    evals = [np.mean((x[:8] @ weights - y[:8]) ** 2) for weights in (w, w2)]
    for layout in bench.layouts:
        steps, validations = bench.train(layout, *arguments, "--no-shuffle")
        expect(f"linear, {layout}: losses", [step["loss"] for step in steps], first + second)
        expect(f"linear, {layout}: validation", [line["eval_loss"] for line in validations], evals)
        assert [step["epoch"] for step in steps] == [1, 1, 2, 2], steps
        assert [line["step"] for line in validations] == [2, 4], validations
    for source in stores(bench.folder, x, y):
        steps, _ = bench.train("1 rank", "--data", str(source), "--epochs", "2", "--no-shuffle")
        expect(f"linear, {source.name}: losses", [step["loss"] for step in steps], first + second)
    shuffled = {layout: [step["loss"] for step in bench.train(layout, *arguments, "--seed", "7")[0]]
                for layout in bench.layouts}
    for layout, losses in shuffled.items():
        expect(f"linear, {layout}: shuffled as on 1 rank", losses, shuffled["1 rank"])
    assert abs(shuffled["1 rank"][0] - first[0]) > 1e-3, "--seed 7 shuffles nothing"


def token_sums(windows, labels):
    """What the step tells of these windows."""
    return [np.mean(windows * labels), windows.size, np.sum(windows)]


def check_tokens(bench):
    """63 tokens in two files: 10 windows of 6, 4 a step; validation of 9 windows takes 3 runs of padding."""
    tokens = np.random.default_rng(1).integers(1, 500, 63).astype(np.uint16)
    shards = bench.folder / "shards"
    shards.mkdir()
    tokens[:20].tofile(shards / "0.tokens")
    tokens[20:].tofile(shards / "1.tokens")
    valid = bench.folder / "valid.npy"
    np.save(valid, tokens[:56])
    windows = tokens[:60].astype(float).reshape(10, 6)
    labels = tokens[1:61].astype(float).reshape(10, 6)
    wanted = [token_sums(windows[i:i + 4], labels[i:i + 4]) for i in (0, 4, 0, 4)]
    arguments = ["--data", str(shards), "--token-type", "ui16", "--eval-data", str(valid)]
    for layout in bench.layouts:
        steps, validations = bench.train(layout, *arguments, "--no-shuffle", "--steps", "4")
        expect(f"tokens, {layout}: sums",
               [step[name] for step in steps for name in ("loss", "tokens", "correct")],
               np.ravel(wanted))
        expect(f"tokens, {layout}: validation",
               [validations[-1][name] for name in ("eval_loss", "eval_accuracy", "eval_count")],
               [np.mean(windows[:9] * labels[:9]), np.mean(windows[:9]), 54])
        # What an epoch takes is known by its sum: 8 of 10 windows, which differ from epoch to epoch.
        steps, _ = bench.train(layout, *arguments, "--seed", "3", "--epochs", "3")
        assert len(steps) == 6 and len({step["correct"] for step in steps}) == 6, steps
        sums = [step["correct"] for step in steps]
        expect(f"tokens, {layout}: shuffled", sums, check_tokens.shuffled or sums)
        check_tokens.shuffled = sums


check_tokens.shuffled = None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    for kind, layouts, check in (("linear", LAYOUTS, check_linear),
                                 ("tokens", TOKEN_LAYOUTS, check_tokens)):
        with tempfile.TemporaryDirectory() as folder:
            check(Bench(tools, Path(folder), kind, layouts))


if __name__ == "__main__":
    main()
