"""Inference time of real-sized models beside ONNX Runtime, in one run.

Blocks of runs alternate between the two, so that both see the same machine: clock, heat and
neighbours change over a minute, a ratio of interleaved medians hardly does. Each block is a fresh
process of its own kind with its own warm-up; the median is over all timed runs of all blocks.

Uses `shard-run model.sheaf --input ... --warmup W --repeat N --threads T --json`, which prints
`{"run_ms": [...]}`, one entry per timed run.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO / "test"))

from driver.tensor_file import write_tensor  # noqa: E402
from driver.tolerance import relative_error  # noqa: E402
from driver.tools import Toolchain  # noqa: E402
from models.make import family  # noqa: E402

OPSET = 17
AGREEMENT = 1e-4


@dataclass(frozen=True)
class Workload:
    name: str
    family: str
    size: str
    extents: tuple


WORKLOADS = [
    Workload("GPT-2 124M, 1x128", "gpt2", "124m", (1, 128)),
    Workload("GPT-2 124M, 1x512", "gpt2", "124m", (1, 512)),
    Workload("BERT base, 1x128", "bert", "base", (1, 128)),
    Workload("ResNet-50, 1x3x224x224", "resnet", "50", (1,)),
]


class Peer:
    """ONNX Runtime with all its graph optimizations and as many threads as we use."""

    def __init__(self, model, feed, threads):
        onnxruntime.set_default_logger_severity(3)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(model), options,
                                                     providers=["CPUExecutionProvider"])
        self._feed = feed

    def outputs(self):
        return self._session.run(None, self._feed)

    def run_ms(self, warmup, repeat):
        times = []
        for index in range(warmup + repeat):
            start = time.perf_counter()
            self._session.run(None, self._feed)
            if index >= warmup:
                times.append((time.perf_counter() - start) * 1e3)
        return times


def ours_ms(tools, program, inputs, threads, warmup, repeat):
    printed = tools.run("shard-run", program, *inputs, "--threads", str(threads), "--warmup",
                        str(warmup), "--repeat", str(repeat), "--json")
    return json.loads(printed)["run_ms"]


def saved_model(workload, folder):
    """The model file, made once and kept."""
    path = folder / f"{workload.family}-{workload.size}-{OPSET}.onnx"
    if not path.exists():
        print(f"making {path.name}", file=sys.stderr)
        module = family(workload.family)
        module.build(module.SIZES[workload.size], OPSET).save(path, external=True)
    return path


def measure(tools, workload, options, work_dir):
    """Yields a table row per thread count."""
    module = family(workload.family)
    config = module.SIZES[workload.size]
    model = saved_model(workload, options.models)
    feed = module.inputs(config, np.random.default_rng(1), *workload.extents)
    program = work_dir / "model.sheaf"
    started = time.perf_counter()
    tools.compile(model, program, {name: array.shape for name, array in feed.items()})
    compile_s = time.perf_counter() - started
    inputs = []
    for index, (name, array) in enumerate(feed.items()):
        write_tensor(work_dir / f"input_{index}.npy", array)
        inputs += ["--input", f"{name}={work_dir / f'input_{index}.npy'}"]

    actual = tools.execute(program, feed, work_dir)
    for threads in options.threads:
        peer = Peer(model, feed, threads)
        error = max(relative_error(got, want)
                    for got, want in zip(actual.values(), peer.outputs()))
        if not error <= AGREEMENT:
            raise SystemExit(f"error: {workload.name}: outputs differ from ONNX Runtime by "
                             f"{error:.1e}; no time counts before they agree")
        ours, theirs = [], []
        for _ in range(options.blocks):
            ours += ours_ms(tools, program, inputs, threads, options.warmup, options.repeat)
            theirs += peer.run_ms(options.warmup, options.repeat)
        mine, peers = statistics.median(ours), statistics.median(theirs)
        yield (f"| {workload.name} | {threads} | {mine:.1f} | {peers:.1f} | {mine / peers:.2f} | "
               f"{spread(ours)} | {spread(theirs)} | {compile_s:.1f} | {error:.0e} |")


def spread(times):
    """How far the middle half of the runs lies apart, relative to the median."""
    low, middle, high = statistics.quantiles(times, n=4)
    return f"{(high - low) / middle:.0%}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("filter", nargs="?", default="", help="part of a workload's name")
    parser.add_argument("--build", type=Path, default=REPO / "build" / "release")
    parser.add_argument("--models", type=Path, default=REPO / "build" / "bench",
                        help="where made models are kept")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    if options.blocks * options.repeat < 2:
        parser.error("--blocks times --repeat must be at least 2 for a median and its spread")

    tools = Toolchain(options.build / "bin", timeout_s=600)
    print(f"onnxruntime {onnxruntime.__version__}, {os.cpu_count()} CPUs, opset {OPSET}, medians "
          f"of {options.blocks} x {options.repeat} interleaved runs\n")
    print("| model | threads | sheaf ms | onnxruntime ms | ratio | sheaf IQR | onnxruntime IQR | "
          "compile s | relative error |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for workload in WORKLOADS:
        if options.filter.lower() not in workload.name.lower():
            continue
        with tempfile.TemporaryDirectory() as work_dir:
            for row in measure(tools, workload, options, Path(work_dir)):
                print(row, flush=True)


if __name__ == "__main__":
    main()
