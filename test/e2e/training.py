"""Trains one model in several layouts: each gives the curve of one device, and moves and stores what formulas say.

A layout is MESH/STRATEGY, perhaps with flags of shard-compile behind further slashes:
"data=2,tensor=2/zero3,tp/--keep-gathered"; "mpi" among them runs it as processes. Bounds, relative, at every step:
1e-5 for the loss and the norm of the gradients; only the order of sums differs. For --precision bf16, fp8 and f16 they
are its rounding: see `distances` and `first_distances`. Layouts that share nothing but the batch also have traffic
and memory checked against formulas. `--all RANKS` adds every way to store x tensor and sequence parallelism, which
takes a minute; of these only what `--composed` names, if it is given. What they are compared with is always one rank
of the host.
"""

import argparse
import math
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir, mpirun  # noqa: E402
from training_formulas import check_memory, check_traffic  # noqa: E402
from training_model import TrainingModel  # noqa: E402

STORES = ["ddp", "zero1", "zero2", "zero3/--keep-gathered", "zero3", "hsdp"]
COMPOSED = {"none": "", "tp": "tp", "tp,sp": "tp,sp"}


def distances(curve, reference, precision):
    """What is compared: (name, largest difference over all steps, bound)."""
    loss, norm = (np.abs(curve.values(name) - reference.values(name)) for name in ("loss", "grad_norm"))
    measure = reference.values("loss")
    if precision == "f32":
        loss_bound = norm_bound = 1e-5
    else:
        # Logits are rounded to 8 (or 11) bits in each layer, and are a few units large however small the loss is. Each
        # rank's part of a gradient is rounded before it is combined with the others'.
        epsilon = 2.0 ** -11 if precision == "f16" else 2.0 ** -8
        measure = np.maximum(measure, 1)
        loss_bound, norm_bound = 2 * epsilon, 16 * epsilon
        if precision == "fp8":
            # Of numbers that differ in the last bit of bf16 (2^-8) one in some tens becomes another number of 3 bits,
            # 2^-4 off: the root mean square is 2^-6, about half of what rounding to 3 bits does. There are such
            # numbers at once where products are cut, and in all layouts once parameters differ, for the first updates
            # of Adam are signs, also of gradients near 0. So layouts differ about as much from each other as each
            # does from f32: by training_fp8.py, which compares a step with NumPy.
            loss_bound = 8 * epsilon
    return [("loss", float(np.max(loss / measure)), loss_bound),
            ("grad_norm", float(np.max(norm / reference.values("grad_norm"))), norm_bound)]


def first_distances(curve, reference):
    """The same before parameters differ, of layouts in bf16 or fp8 that share the batch alone.

    Products, their scales and what is rounded are those of one rank, so only the order of sums in f32 differs, which
    decides the last bit of bf16 for one number in thousands: one in a residual of 64 moves one of tens of losses by
    2^-9 / sqrt(64), their mean by 1e-5. Each rank's part of a gradient is rounded to bf16, by up to 2^-9 of itself at
    random, of which a norm over thousands of elements has some hundredths.
    """
    return [(f"first {name}", abs(curve.steps[0][name] / reference.steps[0][name] - 1), bound)
            for name, bound in (("loss", 1e-4), ("grad_norm", 2.0 ** -12))]


def all_layouts(num_ranks, names):
    """Every way to store, composed with what is named, on `num_ranks`, a multiple of 4; "hsdp,tp" on 8 at least."""
    for store in STORES:
        name, *flags = store.split("/")
        for composed in map(COMPOSED.get, names):
            sharing = num_ranks // 2 if composed else num_ranks
            mesh = f"replica=2,shard={max(sharing // 2, 2)}" if name == "hsdp" else f"data={sharing}"
            mesh += ",tensor=2" if composed else ""
            yield "/".join([mesh, ",".join(filter(None, [name, composed])), *flags])


def check(model, number, layout, reference, options):
    """Trains in one layout and says what is wrong with it."""
    mesh, strategy, *flags = layout.split("/")
    axes = {name: int(size) for name, size in (axis.split("=") for axis in mesh.split(","))}
    launcher = mpirun(math.prod(axes.values())) if "mpi" in flags else ()
    flags = [flag for flag in flags if flag != "mpi"]
    curve = model.train(f"layout{number}", ["--mesh", mesh, "--strategy", strategy, *flags], options.steps,
                        launcher=launcher)
    wrong = []
    if len(curve.steps) != options.steps:
        wrong.append(f"{len(curve.steps)} steps, expected {options.steps}")
    found = distances(curve, reference, options.precision)
    shares_batch = "," not in strategy and strategy != "tp"
    if shares_batch and options.precision in ("bf16", "fp8") and not options.narrow and model.tools.target == "host":
        found += first_distances(curve, reference)
    wrong += [f"{name}: difference {largest:.1e}, at most {bound:.1e}" for name, largest, bound in found
              if not largest <= bound]
    memory = curve.report["memory_bytes"]
    if memory["peak"] != memory["predicted_peak"]:
        wrong.append(f"peak {memory['peak']}, predicted {memory['predicted_peak']} bytes")
    if "," not in strategy and (options.precision == "f32" or options.narrow) and not options.curves_only:
        shapes, word = model.parameters.values(), 2 if options.narrow else 4
        wrong += check_traffic(strategy, flags, axes, curve.report["wire"], shapes, model.micro_batches, word)
        wrong += check_memory(strategy, axes, curve.compiled, shapes, word)
    print(f"{layout}: loss {curve.steps[-1]['loss']:.4f}, differences "
          + " ".join(f"{largest:.1e}" for _, largest, _ in found)
          + "".join(f"\n  WRONG {text}" for text in wrong), flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family")
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--loss", default="causal_lm:logits,input_ids")
    parser.add_argument("--freeze", action="append", default=[])
    parser.add_argument("--optimizer", default="adamw")
    parser.add_argument("--lr", default="1e-3")
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--dropout", action="append", default=[])
    parser.add_argument("--narrow", action="store_true",
                        help="with --precision: parameters in it too, with masters, and reductions")
    parser.add_argument("--micro-batches", type=int, default=1)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--layout", action="append", default=[])
    parser.add_argument("--all", type=int, metavar="RANKS", help="also all_layouts() on so many ranks")
    parser.add_argument("--composed", action="append", choices=COMPOSED, help="of --all; default: each of them")
    parser.add_argument("--curves-only", action="store_true",
                        help="of models where parameters share a gradient, which then moves once")
    parser.add_argument("extents", nargs="+", type=int, help="batch [sequence]")
    add_bin_option(parser)
    options = parser.parse_intermixed_args()
    flags = ("--optimizer", options.optimizer, *TrainingModel.flags, "--lr", options.lr, "--precision",
             options.precision, *(("--parameter-type", options.precision, "--master-weights", "--reduce-type",
                                   options.precision) if options.narrow else ()),
             *(word for rule in options.dropout for word in ("--dropout", rule)))
    layouts = options.layout + (list(all_layouts(options.all, options.composed or COMPOSED)) if options.all else [])
    with tempfile.TemporaryDirectory() as folder:
        tools = Toolchain(find_bin_dir(options.bin))
        model = TrainingModel(tools.for_host(), Path(folder), options.family, options.loss, tuple(options.extents),
                              options.micro_batches, options.size, options.opset, flags, tuple(options.freeze))
        reference = model.train("one", [], options.steps)
        model.tools = tools
        right = [check(model, number, layout, reference, options) for number, layout in enumerate(layouts)]
    print(f"{sum(right)} of {len(right)} layouts agree")
    return int(not right or not all(right))


if __name__ == "__main__":
    sys.exit(main())
