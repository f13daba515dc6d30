"""A training step of micro-batches runs on GPUs without waits of the host between its parts. Usage:
cuda_steps.py FOLDER, that of the stand-in's libraries."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, find_bin_dir  # noqa: E402
from training_case import expect  # noqa: E402
from training_cases import linear  # noqa: E402

STEPS = 3
SAMPLES = 20 * STEPS  # of which each step has 20: 1 x 20, 2 x 10, 4 x 5 (uneven on two ranks), 5 x 4
FLAGS = ("--loss", "mse:y,target", "--optimizer", "adam", "--lr", "0.1", "--clip-norm", "1")
LAYOUTS = {"one rank": (1, ()), "two ranks": (2, ("--mesh", "data=2", "--strategy", "zero3"))}
COUNTS = r"standin: (\d+) graphs launched, (\d+) operations outside of graphs, (\d+) round trips"


class Steps:
    """The model, its samples, and the stand-in to run it on."""

    def __init__(self, tools, folder, standin):
        self.tools, self.folder, self.standin = tools, folder, standin
        random = np.random.default_rng(0)
        weights = random.standard_normal((5, 3), np.float32), random.standard_normal(3, np.float32)
        linear(*weights).save(folder / "model.onnx")
        np.savez(folder / "data.npz", x=random.standard_normal((SAMPLES, 5), np.float32),
                 target=random.standard_normal((SAMPLES, 3), np.float32))

    def compile(self, target, micro_batches, layout):
        """The executable."""
        program = self.folder / f"{target}.sheaf"
        shape = f"x={SAMPLES // STEPS // micro_batches}x5"
        self.tools.run("shard-compile", self.folder / "model.onnx", "--shape", shape, "--train", "--micro-batches",
                       str(micro_batches), *FLAGS, *layout, "--target", target, "-o", program)
        return program

    def run(self, program, steps, seed=1):
        """The losses, and what is printed."""
        environment = os.environ | {"LD_LIBRARY_PATH": self.standin, "SHEAF_STANDIN_REPORT": "1",
                                    "SHEAF_STANDIN_SEED": str(seed)}
        metrics = self.folder / "metrics.jsonl"
        metrics.unlink(missing_ok=True)
        command = [self.tools.bin_dir / "shard-run", program, "--data", self.folder / "data.npz", "--steps", steps,
                   "--no-shuffle", "--metrics", metrics]
        done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, timeout=300)
        text = done.stdout + done.stderr
        assert done.returncode == 0 and "standin: device" not in text, text
        return [json.loads(line)["loss"] for line in metrics.read_text().splitlines()], text

    def counts(self, program, steps):
        """Graphs launched, operations outside of them, and round trips between host and GPU."""
        return np.array([int(number) for number in re.search(COUNTS, self.run(program, steps)[1]).groups()])


def check_counts(steps, name, ranks, layout):
    """Of the steps behind the first, of 4 micro-batches: begin, 4 times the micro-batch, and end."""
    program = steps.compile("cuda", 4, layout)
    graphs, single, trips = steps.counts(program, STEPS) - steps.counts(program, STEPS - 1)
    assert (graphs, single, trips) == (6 * ranks, 0, ranks), (name, graphs, single, trips)
    print(f"{name}: a step launches {graphs} graphs and nothing beside them, and the host waits "
          f"{'once' if trips == 1 else f'{trips} times'}")


def check_losses(steps, name, layout):
    """Sums of f32 in another order differ in their last bits."""
    for micro_batches in (1, 2, 5):
        wanted, _ = steps.run(steps.compile("host", micro_batches, layout), STEPS)
        program = steps.compile("cuda", micro_batches, layout)
        for seed in range(1, 6):
            expect(f"{name}, {micro_batches} micro-batches, seed {seed}", steps.run(program, STEPS, seed)[0], wanted)
    print(f"{name}: losses are the host's")


def main():
    with tempfile.TemporaryDirectory() as folder:
        steps = Steps(Toolchain(find_bin_dir()), Path(folder), sys.argv[1])
        for name, (ranks, layout) in LAYOUTS.items():
            check_counts(steps, name, ranks, layout)
            check_losses(steps, name, layout)


if __name__ == "__main__":
    main()
