"""Trains a ResNet with batch norms on one rank and on several: the same losses, norms, and evaluations.

Usage: batch_norm.py
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402
from models.make import family  # noqa: E402

_BATCH, _MICRO, _STEPS = 4, 2, 3
_LAYOUTS = {
    "ddp": ["--mesh", "data=2", "--strategy", "ddp"],
    "zero3": ["--mesh", "data=2", "--strategy", "zero3"],
    "uneven zero1": ["--mesh", "data=3", "--strategy", "zero1"],
}
# Rounding alone: it was 1e-7.
_BOUND = 1e-5


def curve(tools, model, inputs, flags, folder):
    """(loss, gradient norm) of each step."""
    program = folder / "step.sheaf"
    image = inputs["input"].shape[1:]
    tools.compile(model, program, {"input": image}, flags=[
        "--train", "--loss", "cross_entropy:logits,labels", "--optimizer", "sgd", "--lr", "0.05",
        "--micro-batches", str(_MICRO), *flags])
    for step in range(1, _STEPS + 1):
        outputs = tools.execute(program, inputs, folder, ["--program", "train_step", "--repeat", str(step)])
        yield float(outputs["loss"]), float(outputs["grad_norm"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    module = family("resnet")
    config = module.SIZES["tiny"]
    rng = np.random.default_rng(3)
    inputs = {"input": rng.standard_normal((_MICRO, _BATCH, 3, config.image, config.image)).astype(np.float32),
              "labels": rng.integers(0, config.classes, (_MICRO, _BATCH))}
    num_wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = folder / "resnet.onnx"
        module.build(config, 17, 0).save(model)
        wanted = list(curve(tools, model, inputs, [], folder))
        if not wanted[-1][0] < wanted[0][0]:
            num_wrong += 1
            print(f"the loss does not fall: {wanted}")
        for title, flags in _LAYOUTS.items():
            found = list(curve(tools, model, inputs, flags, folder))
            error = np.abs(np.array(found) / np.array(wanted) - 1).max()
            print(f"{title}: relative error {error:.1e}")
            num_wrong += not error <= _BOUND
    sys.exit(1 if num_wrong else 0)


if __name__ == "__main__":
    main()
