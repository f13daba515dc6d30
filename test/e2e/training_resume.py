"""Stops, saves and resumes a training run in several layouts and compares it with one that went straight through.

In the layout that saved, every loss has the same bits. In another, sums have another order.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Refused, Toolchain, add_bin_option, find_bin_dir, mpirun  # noqa: E402
from models import small_steps  # noqa: E402

STEPS, STOP = 20, 9


class Runs:
    """Runs of one model on the same data, each saved to a folder of its own."""

    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder
        random = np.random.default_rng(0)
        np.savez(folder / "data.npz", x=random.standard_normal((27, 3)).astype("f"),
                 y=random.standard_normal(27).astype("f"))
        for ranks in (1, 2, 4):
            (folder / "step.mlir").write_text(small_steps.text("linear", f"data={ranks}"))
            tools.run("shard-compile", folder / "step.mlir", "-o", folder / f"{ranks}.sheaf")

    def train(self, name, ranks, steps, *more, processes=0, data="data.npz"):
        """The losses that the run's metrics hold so far."""
        metrics = self.folder / f"{name}.jsonl"
        self.tools.run("shard-run", self.folder / f"{ranks}.sheaf", "--data",
                       self.folder / data, "--steps", str(steps), "--metrics", metrics,
                       "--checkpoint", self.folder / name, *more,
                       launcher=mpirun(processes) if processes else ())
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        assert [line["step"] for line in lines] == list(range(1, steps + 1)), lines
        return [line["loss"] for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    with tempfile.TemporaryDirectory() as name:
        runs = Runs(tools, Path(name))
        straight = {}
        for ranks, processes in ((1, 0), (2, 0), (2, 2), (4, 0)):
            name = f"{ranks}-{processes}"
            seed = ("--seed", "5")
            straight[name] = runs.train(name, ranks, STEPS, *seed, processes=processes)
            runs.train(name + "-cut", ranks, STOP, *seed, "--save-every", "4", "--keep", "2",
                       processes=processes)
            kept = sorted(path.name for path in (runs.folder / f"{name}-cut").iterdir())
            assert kept == ["step-000008", "step-000009"], kept
            losses = runs.train(name + "-cut", ranks, STEPS, "--resume", processes=processes)
            assert losses == straight[name], (losses, straight[name])
            print(f"{ranks} ranks, {processes} processes: resumed bit for bit")
        for saved, ranks in (("1", 4), ("4", 1), ("2", 4)):
            name = f"{saved}-to-{ranks}"
            runs.train(name, saved, STOP, "--seed", "5")
            losses = runs.train(name, ranks, STEPS, "--resume")
            error = np.max(np.abs(np.array(losses) / straight["1-0"] - 1))
            assert error < 1e-5, error
            print(f"saved by {saved}, resumed by {ranks} ranks: {error:.0e}")
        np.savez(runs.folder / "other.npz", x=np.ones((27, 3), "f"), y=np.ones(27, "f"))
        np.savez(runs.folder / "less.npz", x=np.ones((26, 3), "f"), y=np.ones(26, "f"))
        smaller = small_steps.text("linear", "data=1").replace("tensor<2x4", "tensor<2x2")
        (runs.folder / "step.mlir").write_text(smaller)
        tools.run("shard-compile", runs.folder / "step.mlir", "-o", runs.folder / "smaller.sheaf")
        for program, data, more, reason in (
                (1, "data", (), "go on with --resume, or give another folder"),
                (1, "data", ("--resume", "--seed", "6"), "has seed 5"),
                (1, "data", ("--resume", "--no-shuffle"), "samples were shuffled, and --no-shuffle is given"),
                (1, "other", ("--resume",), "the data has other samples"),
                (1, "less", ("--resume",), "the data has 26 samples instead of 27"),
                ("smaller", "data", ("--resume",), "a step takes 4 samples instead of 8")):
            try:
                runs.train("1-0", program, STEPS + 1, *more, data=f"{data}.npz")
                sys.exit(f"not refused: {more}")
            except Refused as refused:
                assert reason in str(refused), refused
        runs.train("1-0", "smaller", STEPS + 1, "--resume", "--no-shuffle", "--allow-other-data", data="less.npz")
        print("refused what is not this run")


if __name__ == "__main__":
    main()
