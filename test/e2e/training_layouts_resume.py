"""Case 14: saved in one layout, resumed in each of six.

20 steps straight are 10, a save, and 10 more, bit for bit in the same layout: metrics and every variable. From any
layout to any other the losses are those of the straight run but for the order of sums. Masks of dropout go on where
they were. In f16 the scale goes on too. `--steps` and `--layout` are for targets that take long: fewer steps, and of
the layouts those that are named.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402
from training_model import TrainingModel  # noqa: E402

LAYOUTS = {"one device": (), "ddp": ("--mesh", "data=2", "--strategy", "ddp"),
           "zero1": ("--mesh", "data=3", "--strategy", "zero1"), "zero2": ("--mesh", "data=2", "--strategy", "zero2"),
           "zero3, tp, sp": ("--mesh", "data=2,tensor=2", "--strategy", "zero3,tp,sp"),
           "hsdp": ("--mesh", "replica=2,shard=2", "--strategy", "hsdp")}
NUMBERS = ("loss", "grad_norm", "learning_rate")
FLAGS = ("--optimizer", "adamw", "--lr", "1e-3", "--clip-norm", "1.0", "--weight-decay", "0.01", "--schedule", "cosine",
         "--warmup", "3", "--schedule-steps", "30", "--dropout", "*/c_proj/Reshape_1=0.1")


def numbers_of(curve):
    return np.array([[step[name] for name in NUMBERS] for step in curve.steps])


def train(model, name, program, folder, steps, *more):
    """One run that saves to `folder`; the seed of a run that goes on is that of the checkpoint."""
    return model.run(name, *program, steps, ("--checkpoint", str(folder), *more))


def check(model, layouts, steps):
    """Resumes from each layout in each, behind half the steps."""
    stop = steps // 2
    programs = {name: model.compile(f"layout{number}", *layouts[name]) for number, name in enumerate(layouts)}
    straight = {}
    for name, program in programs.items():
        straight[name] = numbers_of(train(model, "run", program, model.work / f"straight {name}", steps, "--seed", "5"))
        half = numbers_of(train(model, "run", program, model.work / f"half {name}", stop, "--seed", "5"))
        assert np.array_equal(half, straight[name][:stop]), f"{name}: two runs differ"
    for saved in layouts:
        largest = 0.0
        for name, program in programs.items():
            folder = model.work / f"{saved} to {name}"
            shutil.copytree(model.work / f"half {saved}", folder)
            metrics = numbers_of(train(model, "resumed", program, folder, steps, "--resume"))[-(steps - stop):]
            (model.work / "resumed.jsonl").unlink()
            wanted = straight[name][stop:]
            if saved == name:
                assert np.array_equal(metrics, wanted), f"{name}: resumed, it differs"
                model.tools.run("shard-ckpt", "diff", folder, model.work / f"straight {name}")
            else:
                error = float(np.max(np.abs(metrics / wanted - 1)))
                assert error <= 1e-5, f"saved by {saved}, resumed by {name}: {error:.1e}"
                largest = max(largest, error)
        print(f"saved by {saved}: resumed bit for bit, and in {len(layouts) - 1} others: {largest:.0e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--layout", action="append", choices=LAYOUTS)
    add_bin_option(parser)
    options = parser.parse_args()
    tools = Toolchain(find_bin_dir(options.bin))
    for flags, layouts in ((FLAGS, {name: LAYOUTS[name] for name in options.layout or LAYOUTS}),
                           ((*FLAGS, "--precision", "f16", "--loss-scale-interval", "3"),
                            {"zero3, tp, sp": LAYOUTS["zero3, tp, sp"]}),
                           ((*FLAGS, "--precision", "bf16", "--parameter-type", "bf16", "--master-weights",
                             "--reduce-type", "bf16", "--state-type", "bf16"), {"zero1": LAYOUTS["zero1"]})):
        with tempfile.TemporaryDirectory() as folder:
            check(TrainingModel(tools, Path(folder), "gpt2", "causal_lm:logits,input_ids", (4, 8), 2, flags=flags),
                  layouts, options.steps)


if __name__ == "__main__":
    main()
