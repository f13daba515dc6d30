"""Cases that other systems get wrong, by the numbers of shared/conformance/training.md, against closed forms in numpy.

6 (ZeRO stages agree) is training_traffic.test, 14 (resume) training_layouts_resume.test, 9 (dropout)
dropout.test.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx import TensorProto

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402
from models.graph_builder import GraphBuilder  # noqa: E402
from training_case import Case, expect  # noqa: E402
from training_optimizers import case_8_adam_is_not_adamw  # noqa: E402
from training_whole_models import (case_3_replicated_norms, case_10_unused_experts,  # noqa: E402
                                   case_13_frozen_embedding)

RATE = 0.1
SGD = ("--optimizer", "sgd", "--lr", RATE)
IGNORED = -100


def linear(w, bias, dims=("batch",)):
    """x @ w + bias as a model."""
    b = GraphBuilder("linear", 17)
    x = b.input("x", TensorProto.FLOAT, [*dims, w.shape[0]])
    y = b.op("Add", b.op("MatMul", x, b.parameter("w", w)), b.parameter("b", bias))
    b.output(y, "y", TensorProto.FLOAT, [*dims, w.shape[1]])
    return b


def cross_entropy(logits, labels, smoothing=0.0):
    """The mean over labels that count, and its gradient by the logits."""
    classes = logits.shape[-1]
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    target = np.eye(classes)[np.maximum(labels, 0)] * (1 - smoothing) + smoothing / classes
    counts = (labels != IGNORED)[..., None]
    count = max(counts.sum(), 1)
    return -(target * log_p * counts).sum() / count, (np.exp(log_p) - target) * counts / count


def step_of(x, w, bias, gradient):
    """w and bias behind one step of gradient descent, from the gradient by x @ w + bias."""
    rows, out = x.reshape(-1, x.shape[-1]), gradient.reshape(-1, gradient.shape[-1])
    return w - RATE * rows.T @ out, bias - RATE * out.sum(0)


def check_step(what, outcome, loss, w, bias):
    expect(f"{what}: loss", outcome.steps[0]["loss"], loss)
    expect(f"{what}: w", outcome.variables["w"], w)
    expect(f"{what}: b", outcome.variables["b"], bias)


def case_1_token_mean(tools, folder, random):
    """Micro-batches with 2 and 6 tokens that count are one mean of 8, in one batch, in two, on two ranks."""
    x = random.standard_normal((4, 4, 5), np.float32)
    labels = random.integers(0, 7, (4, 4))
    labels[:2] = IGNORED
    labels[0, 1], labels[1, 3] = 2, 5
    labels[3, :2] = IGNORED
    w, bias = random.standard_normal((5, 7), np.float32), random.standard_normal(7, np.float32)
    loss, gradient = cross_entropy(x @ w + bias, labels)
    wanted = step_of(x, w, bias, gradient)
    case = Case(tools, folder, linear(w, bias, ("batch", "sequence")), {"x": x, "labels": labels}, ["x"])
    for micro_batches in (1, 2):
        for layout in ((), ("--mesh", "data=2", "--strategy", "ddp"), ("--mesh", "data=2", "--strategy", "zero3")):
            outcome = case.run("--loss", "cross_entropy:y,labels", *SGD, *layout, micro_batches=micro_batches)
            check_step(f"{micro_batches} micro-batches, {layout}", outcome, loss, *wanted)
            expect("tokens", outcome.steps[0]["tokens"], 8)


def case_2_row_parallel_bias(tools, folder, random):
    """What two ranks add up gets its bias once."""
    x, target = random.standard_normal((2, 4), np.float32), random.standard_normal((2, 3), np.float32)
    w, bias = random.standard_normal((4, 3), np.float32), np.array([100, 200, 300], np.float32)
    difference = x @ w + bias - target
    rules = folder / "rows.yaml"
    rules.write_text("- {name: '^w$', rows: [tensor]}\n")
    case = Case(tools, folder, linear(w, bias), {"x": x, "target": target}, ["x"])
    for layout in ((), ("--mesh", "tensor=2", "--rules", rules)):
        outcome = case.run("--loss", "mse:y,target", *SGD, *layout)
        check_step(str(layout), outcome, np.mean(difference ** 2), *step_of(x, w, bias, difference / 3))
    assert any(line["axes"] == "tensor" for line in outcome.compiled["wire"]), outcome.compiled["wire"]
    assert "count" in outcome.steps[0] and "tokens_per_second" not in outcome.steps[0], outcome.steps[0]


def case_4_vocabulary_parallel(tools, folder, random):
    """Logits whose vocabulary two ranks share, evenly or not, with smoothing and a label that does not count."""
    rules = folder / "columns.yaml"
    rules.write_text("- {name: '^w$', columns: [tensor]}\n- {name: '^b$', axes: [[tensor]]}\n")
    for vocabulary in (10, 11):
        x = random.standard_normal((4, 6), np.float32)
        labels = np.array([0, vocabulary - 1, IGNORED, 3])
        w, bias = random.standard_normal((6, vocabulary), np.float32), np.zeros(vocabulary, np.float32)
        case = Case(tools, folder, linear(w, bias), {"x": x, "labels": labels}, ["x"])
        for smoothing in (0, 0.1):
            loss, gradient = cross_entropy(x @ w, labels, smoothing)
            outcome = case.run("--loss", "cross_entropy:y,labels", "--label-smoothing", smoothing, *SGD, "--mesh",
                               "tensor=2", "--rules", rules)
            check_step(f"{vocabulary} classes, smoothing {smoothing}", outcome, loss,
                       *step_of(x, w, bias, gradient))
            # A few numbers for each row, never the logits; and the squares of the norm.
            moved = sum(line["ring_bytes"] for line in outcome.compiled["wire"])
            assert moved <= 4 * 4 * 5, outcome.compiled["wire"]


def case_5_norm_clipping(tools, folder, random):
    """Squares of a parameter in parts and of one on all ranks count once, on 8 ranks."""
    rules = folder / "columns.yaml"
    rules.write_text("- {name: '^w$', columns: [tensor]}\n- {name: '^b$', axes: [[]]}\n")
    x, target = random.standard_normal((8, 5), np.float32), random.standard_normal((8, 6), np.float32)
    w, bias = random.standard_normal((5, 6), np.float32), random.standard_normal(6, np.float32)
    difference = x @ w + bias - target
    new_w, new_bias = step_of(x, w, bias, 2 * difference / difference.size)
    norm = np.sqrt(np.sum((w - new_w) ** 2) + np.sum((bias - new_bias) ** 2)) / RATE
    clipped = 0.25 / (norm + 1e-6)
    assert clipped < 1
    case = Case(tools, folder, linear(w, bias), {"x": x, "target": target}, ["x"])
    for layout in (("ddp", "data=2,tensor=4"), ("zero3", "data=4,tensor=2"), ("hsdp", "replica=2,shard=2,tensor=2")):
        outcome = case.run("--loss", "mse:y,target", *SGD, "--clip-norm", 0.25, "--strategy", layout[0], "--mesh",
                           layout[1], "--rules", rules)
        check_step(str(layout), outcome, np.mean(difference ** 2), w + clipped * (new_w - w),
                   bias + clipped * (new_bias - bias))
        expect("grad_norm", outcome.steps[0]["grad_norm"], norm)


def case_7_uneven_shards(tools, folder, random):
    """Parameters of 3x4, 1x4, 5x10 and 1 elements on 2 and 4 ranks, and 5 samples: every element has its step."""
    shapes = {"a": "3x4", "b": "1x4", "c": "5x10", "d": "1"}
    arguments, lines, sums = ['%x: tensor<5x1xf32> {graph.input = "x"}'], [], []
    wanted = {}
    for name, dims in shapes.items():
        extents = [int(extent) for extent in dims.split("x")]
        values = np.arange(np.prod(extents), dtype=np.float32).reshape(extents) + 1
        wanted[name] = values
        kind, text = f"tensor<{dims}xf32>", str(values.tolist())
        arguments.append(f'%{name}: {kind} {{graph.parameter = "{name}", graph.source = dense<{text}> : {kind}}}')
        lines += [f"%{name}2 = graph.binary mul %{name}, %{name} : {kind}",
                  f"%{name}s = graph.reduce sum %{name}2 over {list(range(len(extents)))} : {kind}"]
        sums.append(f"%{name}s")
    total = sums[0]
    for number, one in enumerate(sums[1:]):
        lines.append(f"%t{number} = graph.binary add {total}, {one} : tensor<f32>")
        total = f"%t{number}"
    lines += ["%m = graph.reduce sum %x over [0, 1] : tensor<5x1xf32>",
              f"%loss = graph.binary mul {total}, %m : tensor<f32>"]
    model = (f"func.func @forward({', '.join(arguments)}) -> (tensor<f32> {{graph.output = \"loss\"}}) {{\n"
             + "\n".join(lines) + "\nreturn %loss : tensor<f32>\n}\n")
    x = np.array([[1], [2], [3], [4], [5]], np.float32) / 30
    case = Case(tools, folder, model, {"x": x}, [])
    loss = 0.5 * sum(np.sum(values ** 2) for values in wanted.values())
    for layout in ("zero1", "zero2", "zero3"):
        for ranks in (2, 4):
            outcome = case.run("--loss", "output:loss", *SGD, "--strategy", layout, "--mesh", f"data={ranks}")
            expect(f"{layout} on {ranks}: loss", outcome.steps[0]["loss"], loss)
            for name, values in wanted.items():
                expect(f"{layout} on {ranks}: {name}", outcome.variables[name], values * (1 - RATE), 1e-6)


def case_11_ignored_labels(tools, folder, random):
    """A rank without a label that counts adds nothing; without any, nothing moves and a warning says so."""
    x = random.standard_normal((4, 5), np.float32)
    w, bias = random.standard_normal((5, 7), np.float32), random.standard_normal(7, np.float32)
    for labels in (np.array([1, 6, IGNORED, IGNORED]), np.full(4, IGNORED)):
        loss, gradient = cross_entropy(x @ w + bias, labels)
        case = Case(tools, folder, linear(w, bias), {"x": x, "labels": labels}, ["x"])
        for layout in ("ddp", "zero3"):
            outcome = case.run("--loss", "cross_entropy:y,labels", *SGD, "--mesh", "data=2", "--strategy", layout)
            check_step(f"{labels}, {layout}", outcome, loss, *step_of(x, w, bias, gradient))
            is_any = np.any(labels != IGNORED)
            assert ("nothing counts" in outcome.warnings) != is_any, outcome.warnings
    assert np.array_equal(outcome.variables["w"], w) and np.array_equal(outcome.variables["b"], bias)


def case_12_overflow_on_one_rank(tools, folder, random):
    """One sample of one rank overflows f16: no rank moves, the scale halves once, the next step counts as the first."""
    x, target = random.standard_normal((8, 5), np.float32), random.standard_normal((8, 3), np.float32)
    w, bias = random.standard_normal((5, 3), np.float32), random.standard_normal(3, np.float32)
    x[3] = 6e4
    case = Case(tools, folder, linear(w, bias), {"x": x, "target": target}, ["x"])
    for layout in ("ddp", "zero1", "zero3"):
        flags = ("--loss", "mse:y,target", "--precision", "f16", "--optimizer", "adam", "--mesh", "data=2",
                 "--strategy", layout, "--loss-scale", 1024)
        both = case.run(*flags, steps=2)
        assert [step["skipped"] for step in both.steps] == [1, 0], both.steps
        assert [step["loss_scale"] for step in both.steps] == [1024, 512], both.steps
        assert both.variables["optimizer.step"] == 1, both.variables
        only = Case(tools, folder, linear(w, bias), {"x": x[:4], "target": target[:4]}, ["x"]).run(*flags)
        states = {name: value for name, value in only.variables.items() if not name.startswith("optimizer.")}
        expect("scale", only.variables["optimizer.loss_scale"], 512, 0)
        expect("count", only.variables["optimizer.step"], 0, 0)
        assert len(states) == 6, states.keys()
        for name, value in states.items():
            expect(name, value, {"w": w, "b": bias}.get(name, np.zeros_like(value)), 0)


CASES = [case_1_token_mean, case_2_row_parallel_bias, case_3_replicated_norms, case_4_vocabulary_parallel,
         case_5_norm_clipping, case_7_uneven_shards, case_8_adam_is_not_adamw, case_10_unused_experts,
         case_11_ignored_labels, case_12_overflow_on_one_rank, case_13_frozen_embedding]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", nargs="*", help="of cases; default: all")
    add_bin_option(parser)
    options = parser.parse_args()
    tools = Toolchain(find_bin_dir(options.bin))
    failures = 0
    for case in CASES:
        number = case.__name__.split("_")[1]
        if options.numbers and number not in options.numbers:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(tools, Path(folder), np.random.default_rng(int(number)))
                print(f"{case.__name__}: ok", flush=True)
            except Exception as error:  # Each case is told of.
                failures += 1
                print(f"{case.__name__}: FAILED: {type(error).__name__}: {error}", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
