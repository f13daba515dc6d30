"""Trains a small CNN and a small ViT on scikit-learn's digits, on 2 ranks, to 97 % of a test set they have not seen."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx import TensorProto
from sklearn.datasets import load_digits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402
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


def train(tools, folder, name):
    """The accuracy on the test set, behind the last step."""
    build, channels, layout, epochs = MODELS[name]
    write_data(folder, channels)
    build().save(folder / "model.onnx")
    steps = epochs * (1437 // BATCH)
    tools.compile(folder / "model.onnx", folder / "model.sheaf", {"pixel_values": (BATCH, channels, 8, 8)}, flags=[
        "--train", "--loss", "cross_entropy:logits,labels", "--optimizer", "adamw", "--lr", "1.5e-3", "--weight-decay",
        "0.2", "--schedule", "cosine", "--warmup", "50", "--schedule-steps", str(steps), "--clip-norm", "1.0",
        "--mesh", "data=2", "--strategy", layout])
    report = json.loads(tools.run("shard-run", folder / "model.sheaf", "--data", folder / "train.npz", "--eval-data",
                                  folder / "test.npz", "--epochs", str(epochs), "--json"))
    assert report["eval"]["count"] == 360, report["eval"]
    return report["eval"]["accuracy"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(MODELS))
    add_bin_option(parser)
    options = parser.parse_args()
    tools = Toolchain(find_bin_dir(options.bin), timeout_s=600)
    is_right = True
    for name in options.names:
        with tempfile.TemporaryDirectory() as folder:
            accuracy = train(tools, Path(folder), name)
        print(f"{name}: {accuracy:.1%} of the test set", flush=True)
        is_right &= accuracy >= ACCURACY
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
