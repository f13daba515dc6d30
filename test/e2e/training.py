"""Trains one model in several layouts: each gives the curve of one device and moves what its formula says.

A layout is MESH/STRATEGY, perhaps with flags of shard-compile behind further slashes:
"data=2,tensor=2/zero3,tp/--keep-gathered". Bounds, relative, at every step: 1e-5 for the loss and the norm of the
gradients; only the order of sums differs. For --precision bf16 and f16 they are its rounding: see `bounds`. Layouts
that share nothing but the batch also have their traffic checked against formulas.
"""

import argparse
import json
import math
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir, mpirun  # noqa: E402
from models.make import family  # noqa: E402

WORD = 4  # bytes of an f32
SCALARS = 64  # bytes that loss, count and norm may take


def bounds(precision):
    """The largest relative difference of losses and of norms."""
    if precision == "f32":
        return 1e-5, 1e-5
    # Each rank's part of a sum is rounded to 8 (or 11) bits before it is combined with the others'.
    epsilon = 2.0 ** -8 if precision == "bf16" else 2.0 ** -11
    return 2 * epsilon, 16 * epsilon


def axes_of(mesh):
    return {name: int(size) for name, size in (axis.split("=") for axis in mesh.split(","))}


def stored_elements(shape, parts):
    """Elements that a collective over the parts of a tensor moves: padded along the dim that is cut."""
    if not shape:
        return 1
    dim = next((i for i, extent in enumerate(shape) if extent % parts == 0),
               int(np.argmax(shape)))
    return math.prod(shape) // shape[dim] * math.ceil(shape[dim] / parts) * parts


def payloads(report):
    """Bytes by collective and axes."""
    return {(line["collective"], line["axes"]): line["payload_bytes"] for line in report["wire"]}


def check_traffic(layout, flags, axes, moved, shapes, micro_batches):
    """Says what of the traffic is not as formulas.md has it."""
    whole = WORD * sum(math.prod(shape) for shape in shapes)
    axis = "shard" if layout == "hsdp" else "data"
    count = axes.get(axis, 1)
    stored = WORD * sum(stored_elements(shape, count) for shape in shapes)
    copies = axes.get("replica", 1)
    parts = 1 if "--defer-reduction" in flags else micro_batches
    expected = {}
    if count > 1:
        if layout == "ddp":
            expected = {("all_reduce", axis): whole}
        elif layout == "zero1":
            expected = {("reduce_scatter", axis): stored, ("all_gather", axis): stored}
        elif layout == "zero2":
            expected = {("reduce_scatter", axis): parts * stored, ("all_gather", axis): stored}
        else:
            expected = {("reduce_scatter", axis): parts * stored}
    if layout == "hsdp" and copies > 1:
        expected[("all_reduce", "replica")] = stored // count
    wrong = []
    for key in set(expected) | set(moved):
        want, got = expected.get(key, 0), moved.get(key, 0)
        if layout in ("zero3", "hsdp") and key == ("all_gather", axis):
            # Gathered again are those that the backward pass needs: some of them.
            once = micro_batches * stored
            most = once if "--keep-gathered" in flags else 2 * once
            if not once <= got <= most:
                wrong.append(f"{key}: {got} bytes, expected {once} to {most}")
        elif not want <= got <= want + SCALARS:
            wrong.append(f"{key}: {got} bytes, expected {want}")
    return wrong


class Trainer:
    """One model and its data; runs it in a layout and returns the metrics of each step."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.tools = Toolchain(find_bin_dir(options.bin))
        module = family(options.family)
        config = module.SIZES[options.size]
        self.model = work / "model.onnx"
        module.build(config, options.opset).save(self.model, False)
        feed = module.inputs(config, np.random.default_rng(1), *options.extents)
        self.shapes = {name: array.shape for name, array in feed.items()}
        samples = options.extents[0] * options.micro_batches * 5
        module_feed = module.inputs(config, np.random.default_rng(2), samples, *options.extents[1:])
        np.savez(work / "data.npz", **module_feed)
        self.parameters = [tuple(t.dims) for t in onnx.load(self.model).graph.initializer
                           if t.data_type == onnx.TensorProto.FLOAT and math.prod(t.dims) != 1]

    def train(self, name, flags, launcher=()):
        program, metrics = self.work / f"{name}.sheaf", self.work / f"{name}.jsonl"
        text = self.tools.compile(
            self.model, program, self.shapes, flags=[
                "--train", "--loss", self.options.loss, "--optimizer", self.options.optimizer,
                "--lr", str(self.options.lr), "--clip-norm", "1.0", "--weight-decay", "0.01",
                "--precision", self.options.precision, "--micro-batches",
                str(self.options.micro_batches), *flags, "--json"])
        self.tools.run("shard-run", program, "--data", self.work / "data.npz", "--steps",
                       str(self.options.steps), "--seed", "3", "--metrics", metrics,
                       launcher=launcher)
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return json.loads(text), [(line["loss"], line["grad_norm"]) for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family")
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--loss", default="causal_lm:logits,input_ids")
    parser.add_argument("--optimizer", default="adamw")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--micro-batches", type=int, default=1)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--layout", action="append", required=True)
    parser.add_argument("extents", nargs="+", type=int, help="batch [sequence]")
    add_bin_option(parser)
    options = parser.parse_intermixed_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(options, Path(folder))
        _, reference = trainer.train("one", [])
        for number, layout in enumerate(options.layout):
            mesh, strategy, *flags = layout.split("/")
            axes = axes_of(mesh)
            launcher = mpirun(math.prod(axes.values())) if "mpi" in flags else ()
            flags = [flag for flag in flags if flag != "mpi"]
            report, curve = trainer.train(f"layout{number}", ["--mesh", mesh, "--strategy", strategy,
                                                             *flags], launcher)
            wrong = []
            if len(curve) != options.steps:
                wrong.append(f"{len(curve)} steps, expected {options.steps}")
            largest = [max(abs(got[i] / want[i] - 1) for got, want in zip(curve, reference))
                       for i in range(2)]
            for what, found, bound in zip(("loss", "grad_norm"), largest, bounds(options.precision)):
                if not found <= bound:
                    wrong.append(f"{what}: relative difference {found:.1e}, at most {bound:.1e}")
            if "," not in strategy and strategy != "dp" and options.precision == "f32":
                wrong += check_traffic(strategy, flags, axes, payloads(report), trainer.parameters,
                                       options.micro_batches)
            print(f"{layout}: loss {curve[-1][0]:.4f}, differences {largest[0]:.1e} {largest[1]:.1e}"
                  + "".join(f"\n  WRONG {text}" for text in wrong), flush=True)
            failures += bool(wrong)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
