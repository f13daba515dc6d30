"""Trains a small CNN and a small ViT on scikit-learn's digits, on 2 ranks, to 97 % of a test set they have not seen.

`--beside-host STEPS` is for targets that take too long for that: they train for so many steps only, and so does the
host. Losses, the test set's too, must be the host's within 1e-4, relative: sums come in another order, and steps add
to that.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx import TensorProto
from sklearn.datasets import load_digits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir, time_limit  # noqa: E402
from models import vit  # noqa: E402
from models.graph_builder import GraphBuilder  # noqa: E402

BATCH, ACCURACY = 32, 0.97


def cnn():
    """Two convolutions and one product; 6 thousand parameters."""
    b = GraphBuilder("digits", 17)
    x = b.input("pixel_values", TensorProto.FLOAT, ["batch", 1, 8, 8])
    for name, channels_in, channels_out, stride in (("conv1", 1, 16, 1), ("conv2", 16, 32, 2)):
        with b.scope(name):
            filters = b.normal("weight", (channels_out, channels_in, 3, 3), (2 / (9 * channels_in)) ** 0.5)
            x = b.op("Relu", b.op("Conv", x, filters, b.parameter("bias", np.zeros(channels_out, np.float32)),
                                  kernel_shape=[3, 3], strides=[stride] * 2, pads=[1] * 4))
    x = b.op("Gemm", b.op("Flatten", x, axis=1), b.matrix("fc.weight", 32 * 16, 10),
             b.parameter("fc.bias", np.zeros(10, np.float32)))
    b.output(x, "logits", TensorProto.FLOAT, ["batch", 10])
    return b


# Builder, channels that it wants, layout, epochs.
MODELS = {
    "cnn": (cnn, 1, "zero3", 15),
    "vit": (lambda: vit.build(vit.Config(layers=2, heads=4, width=48, image=8, patch=2, classes=10), 17), 3,
            "zero2", 60),
}


def write_data(folder, channels):
    """Four fifths to train on, one to test on, in a fixed order."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images = (digits.images / 8 - 1).astype(np.float32)[:, None].repeat(channels, 1)
    for name, chosen in (("train", order[:1437]), ("test", order[1437:])):
        np.savez(folder / f"{name}.npz", pixel_values=images[chosen], labels=digits.target[chosen].astype(np.int64))


def train(tools, folder, name, steps=None):
    """Trains for all epochs, or so many steps; the report and the losses of the steps."""
    build, channels, layout, epochs = MODELS[name]
    write_data(folder, channels)
    build().save(folder / "model.onnx")
    in_all = str(epochs * (1437 // BATCH))
    tools.compile(folder / "model.onnx", folder / "model.sheaf", {"pixel_values": (BATCH, channels, 8, 8)}, flags=[
        "--train", "--loss", "cross_entropy:logits,labels", "--optimizer", "adamw", "--lr", "1.5e-3", "--weight-decay",
        "0.2", "--schedule", "cosine", "--warmup", "50", "--schedule-steps", in_all, "--clip-norm", "1.0",
        "--mesh", "data=2", "--strategy", layout])
    until = ["--steps", str(steps)] if steps else ["--epochs", str(epochs)]
    report = json.loads(tools.run("shard-run", folder / "model.sheaf", "--data", folder / "train.npz", "--eval-data",
                                  folder / "test.npz", *until, "--metrics", folder / "metrics.jsonl", "--json"))
    assert report["eval"]["count"] == 360, report["eval"]
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return report, np.array([line["loss"] for line in lines if "grad_norm" in line])


def learns(tools, name):
    """Whether all epochs make a model that reads digits."""
    with tempfile.TemporaryDirectory() as folder:
        report, _ = train(tools, Path(folder), name)
    accuracy = report["eval"]["accuracy"]
    print(f"{name}: {accuracy:.1%} of the test set", flush=True)
    return accuracy >= ACCURACY


def equals_host(tools, name, steps):
    """Whether the losses of some steps, and behind them that of the test set, are the host's."""
    found = []
    for tools_of_target in (tools, tools.for_host()):
        with tempfile.TemporaryDirectory() as folder:
            report, losses = train(tools_of_target, Path(folder), name, steps)
        assert len(losses) == steps, f"{len(losses)} steps"
        found.append(np.append(losses, report["eval"]["loss"]))
    error = float(np.max(np.abs(found[0] / found[1] - 1)))
    print(f"{name}: {steps} steps differ from the host's by {error:.1e}", flush=True)
    return error <= 1e-4


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(MODELS))
    parser.add_argument("--beside-host", type=int, metavar="STEPS")
    add_bin_option(parser)
    options = parser.parse_args()
    tools = Toolchain(find_bin_dir(options.bin), timeout_s=time_limit(600))
    right = [equals_host(tools, name, options.beside_host) if options.beside_host else learns(tools, name)
             for name in options.names]
    return int(not all(right))


if __name__ == "__main__":
    sys.exit(main())
