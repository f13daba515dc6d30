"""What a step is reduced and stored in: --reduce-type, --state-type, --parameter-type, --master-weights.

The model is mean(x * w) over a batch: its gradient is the mean of x by columns, whatever w is, so that every type on
the way can be followed in NumPy. Roundings are counted where sums may come in another order.
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

ROWS, COLUMNS = 4, 24
ULP = 2.0 ** -8  # of bf16, relative
DDP = ("--mesh", "data=2", "--strategy", "ddp")
ZERO1 = ("--mesh", "data=2", "--strategy", "zero1")
ZERO3 = ("--mesh", "data=2", "--strategy", "zero3")
LAYOUTS = {"one": (), "ddp": DDP, "zero1": ZERO1, "zero3": ZERO3,
           "zero3 by columns": ("--mesh", "data=2,tensor=2", "--strategy", "zero3", "--rules", "RULES")}


def bf16(x):
    """x rounded to the nearest bf16, to the even one of two, as f32."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000).astype(np.uint32).view(np.float32)


def model(w):
    b = GraphBuilder("mean", 17)
    x = b.input("x", TensorProto.FLOAT, ["batch", COLUMNS])
    b.output(b.op("ReduceMean", b.op("Mul", x, b.parameter("w", w)), keepdims=0), "s", TensorProto.FLOAT, [])
    return b


def gradients(x, micro_batches):
    """Of each micro-batch in turn, as parts of the mean over all."""
    return x.reshape(-1, ROWS, COLUMNS).astype(np.float64).mean(1) / COLUMNS / micro_batches


class Run:
    """A case with the same start and the same samples whatever the flags."""

    def __init__(self, tools, folder, random, steps, micro_batches=1):
        self.w = random.standard_normal(COLUMNS, np.float32)
        self.x = bf16(random.standard_normal((ROWS * steps * micro_batches, COLUMNS), np.float32))
        self.steps, self.micro_batches = steps, micro_batches
        self.case = Case(tools, folder, model(self.w), {"x": self.x}, ["x"])
        self.rules = folder / "rules.yaml"
        self.rules.write_text("- {name: 'w', axes: [[tensor]]}\n")

    def __call__(self, layout, *flags):
        layout = [str(self.rules) if word == "RULES" else word for word in LAYOUTS[layout]]
        return self.case.run("--loss", "output:s", *layout, *flags, steps=self.steps,
                             micro_batches=self.micro_batches)


def check_states(tools, folder, random):
    """Moments in bf16: rounded after each step, computed with in f32."""
    run = Run(tools, folder, random, steps=6)
    w, mean, square = run.w.astype(np.float64), np.zeros(COLUMNS), np.zeros(COLUMNS)
    for step, gradient in enumerate(gradients(run.x, 1), 1):
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient ** 2
        size = 0.1 / (1 - 0.9 ** step)
        w -= size * mean / (np.sqrt(square / (1 - 0.99 ** step)) + 1e-8)
        mean, square = bf16(mean).astype(np.float64), bf16(square).astype(np.float64)
    flags = ("--optimizer", "adam", "--lr", "0.1", "--betas", "0.9,0.99")
    for layout in LAYOUTS:
        found = run(layout, *flags, "--state-type", "bf16")
        assert (found.types["w"], found.types["w.adam_m"], found.types["w.adam_v"]) == ("F32", "BF16", "BF16")
        # A moment on the edge between two bf16 may go to either; that shows in the steps behind it.
        expect(f"{layout}: w", found.variables["w"] - run.w, w - run.w, ULP / 4)
        expect(f"{layout}: moments", found.variables["w.adam_v"], square, ULP)
    wide = run("one", *flags)
    assert wide.types["w.adam_m"] == "F32"
    assert np.max(np.abs(wide.variables["w"] - w)) > 1e-4, "rounding leaves no trace"


def check_reduction(tools, folder, random):
    """Gradients in bf16: rounded before ranks combine them, and added up so over micro-batches; half the bytes."""
    run = Run(tools, folder, random, steps=1, micro_batches=8)
    flags = ("--optimizer", "sgd", "--lr", "1")
    total = gradients(run.x, 8).sum(0)
    scale = np.max(np.abs(total))
    for layout in LAYOUTS:
        found, wide = (run(layout, *flags, *more) for more in (("--reduce-type", "bf16"), ()))
        # Each of 8 parts and sums is rounded once, at most, and each rank's part of them.
        expect(f"{layout}: gradient", run.w - found.variables["w"], total, 10 * ULP / 2)
        expect(f"{layout}: gradient in f32", run.w - wide.variables["w"], total, 1e-6 / scale)
        assert np.max(np.abs(found.variables["w"] - wide.variables["w"])) > 1e-3 * scale, "nothing is rounded"
        assert found.types == wide.types
        bytes_of = [{line["collective"]: line["payload_bytes"] for line in outcome.compiled["wire"]
                     if line["axes"] == "data"} for outcome in (found, wide)]
        reduction = "all_reduce" if layout == "ddp" else "reduce_scatter"
        if layout != "one":
            narrow, full = (counts[reduction] for counts in bytes_of)
            # The loss and the norm are f32.
            assert 2 * narrow <= full + 64 and full <= 2 * narrow + 64, (layout, bytes_of)


def check_parameters(tools, folder, random):
    """Parameters in bf16: with a master as in f32, bit for bit; without one each update is rounded."""
    run = Run(tools, folder, random, steps=6)
    flags = ("--precision", "bf16", "--optimizer", "sgd", "--lr", "0.25", "--momentum", "0.5")
    for layout in LAYOUTS:
        plain = run(layout, *flags)
        kept = run(layout, *flags, "--parameter-type", "bf16", "--master-weights")
        assert (kept.types["w"], kept.types["w.master"]) == ("BF16", "F32"), kept.types
        assert [step["loss"] for step in kept.steps] == [step["loss"] for step in plain.steps], layout
        assert np.array_equal(kept.variables["w.master"], plain.variables["w"]), layout
        assert np.array_equal(kept.variables["w"], bf16(plain.variables["w"])), layout
        rounded = run(layout, *flags, "--parameter-type", "bf16")
        assert "w.master" not in rounded.types and rounded.types["w"] == "BF16"
        assert "w.model" not in rounded.types, "what only prepares is saved"
        w, speed = bf16(run.w), np.zeros(COLUMNS)
        for gradient in gradients(run.x, 1):
            speed = 0.5 * speed + bf16(gradient)
            w = bf16(w - 0.25 * speed)
        # Half a unit in the last place wherever a sum lies on an edge.
        assert np.max(np.abs(rounded.variables["w"] - w) / np.abs(w)) <= 2 * ULP, layout
        assert np.mean(rounded.variables["w"] == w) > 0.8, layout


def check_memory(tools, folder, random):
    """Two bytes for parameters, two for what is gathered and reduced: ZeRO-1 gathers rounded parameters."""
    run = Run(tools, folder, random, steps=1)
    flags = ("--precision", "bf16", "--optimizer", "adamw")
    payload = {}
    for name, more in (("plain", ()), ("narrow", ("--parameter-type", "bf16", "--master-weights", "--reduce-type",
                                                 "bf16"))):
        for layout in ("zero1", "zero3"):
            wire = run(layout, *flags, *more).compiled["wire"]
            payload[name, layout] = {line["collective"]: line["payload_bytes"] for line in wire}
    whole = COLUMNS
    assert payload["plain", "zero1"]["all_gather"] == 4 * whole, payload
    assert payload["narrow", "zero1"]["all_gather"] == 2 * whole, payload
    assert payload["narrow", "zero3"]["all_gather"] in (2 * whole, 4 * whole), payload
    assert payload["narrow", "zero1"]["reduce_scatter"] == payload["narrow", "zero3"]["reduce_scatter"] == 2 * whole


def check_refusals(tools, folder, random):
    run = Run(tools, folder, random, steps=1)
    for flags, text in ((("--reduce-type", "f16"), "underflow without a loss scale"),
                        (("--reduce-type", "f8"), 'reduce-type "f8" is unknown; there are f32, bf16 and f16'),
                        (("--state-type", "f16"), 'state-type "f16" is unknown; there are f32 and bf16'),
                        (("--parameter-type", "bf16"), "parameter-type bf16 needs precision bf16, found f32"),
                        (("--master-weights",), "master-weights has no effect")):
        try:
            run("one", *flags)
        except Refused as refusal:
            assert text in str(refusal), refusal
        else:
            raise AssertionError(f"{flags} are accepted")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    for check in (check_states, check_reduction, check_parameters, check_memory, check_refusals):
        with tempfile.TemporaryDirectory() as folder:
            check(tools, Path(folder), np.random.default_rng(5))
        print(f"{check.__name__[6:]}: right", flush=True)


if __name__ == "__main__":
    main()
