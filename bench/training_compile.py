"""Time and memory to compile a whole training step of a Llama-8B-shaped model, on one core.

Forward, backward and AdamW in bf16 with zero3 x tp, weights absent: from text to the written executable. The goals are
10 s and 4 GB for the host, 15 s for cuda, where the driver makes machine code of the PTX.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sharding

BATCH, SEQUENCE = 8, 2048


def compile_once(tool, model, program, target):
    """Seconds of one compilation."""
    started = time.perf_counter()
    subprocess.run([tool, model, "--train", "--loss", "causal_lm:0,input_ids", "--optimizer", "adamw", "--clip-norm",
                    "1", "--strategy", "zero3", "--precision", "bf16", "--device-memory", "100TiB", "--target", target,
                    "-o", program],
                   check=True, stdout=subprocess.DEVNULL,
                   preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    return time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=sharding.REPO / "build" / "release")
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--target", choices=["host", "cuda"], default="host")
    arguments = parser.parse_args()
    sharding.BATCH, sharding.SEQUENCE = BATCH, SEQUENCE
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "llama8b.mlir"
        model.write_text(sharding.text(4, 2), encoding="utf-8")
        tool, program = arguments.build / "bin" / "shard-compile", Path(folder) / "step.sheaf"
        seconds = [compile_once(tool, model, program, arguments.target)
                   for _ in range(arguments.blocks)]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"training step of an 8B shape for {arguments.target}: {statistics.median(seconds):.1f} s on one core, "
          f"{peak:.0f} MiB")
    sys.exit(0)


if __name__ == "__main__":
    main()
