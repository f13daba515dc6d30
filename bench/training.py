"""Step time and memory of training a GPT (4 layers, 256 wide, 256 tokens) beside JAX, in one run.

f32 and bf16, on one rank with two threads and on two ranks of one thread each; JAX has one device with all CPUs, and
two devices that share the batch. Blocks of steps alternate between the two, each a fresh process with its own warm-up;
the median is over all steps of all blocks. Nothing counts before the losses agree. Peak memory is that of the process,
with its libraries and, of JAX, its compiler; our step is compiled before.

A peer that is not installed is skipped; `--jax PYTHON` is an interpreter that has JAX.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO / "test"))

from driver.memory import peak_rss_mib  # noqa: E402
from driver.tools import Toolchain  # noqa: E402
from models import gpt2  # noqa: E402

CONFIG = gpt2.Config(layers=4, heads=8, width=256, vocabulary=4096, positions=256)
JAX_PROGRAM = REPO / "bench" / "peers" / "training_jax.py"
RATE = 1e-3
AGREEMENT = {"f32": 1e-4, "bf16": 2e-2}  # of the first losses, relative
LAYOUTS = {"1 rank, 2 threads": (1, ["--threads", "2"], []),
           "2 ranks, ddp": (2, ["--threads", "1"], ["--mesh", "data=2", "--strategy", "ddp"]),
           "2 ranks, zero3": (2, ["--threads", "1"], ["--mesh", "data=2", "--strategy", "zero3"])}


class Bench:
    """The model, its samples, and one side of a comparison after the other."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tools = Toolchain(options.build / "bin", timeout_s=600)
        builder = gpt2.build(CONFIG, 17)
        self.parameters = builder.parameter_count()
        builder.save(folder / "gpt.onnx")
        np.savez(folder / "weights.npz", **{name: value for name, value in builder._parameters.items()
                                            if value.dtype == np.float32 and value.ndim > 0})
        ids = np.random.default_rng(1).integers(0, CONFIG.vocabulary, (4 * options.batch, CONFIG.positions))
        np.savez(folder / "data.npz", input_ids=ids)

    def compile(self, name, precision, layout):
        program = self.folder / f"{name}-{precision}.sheaf"
        self.tools.compile(self.folder / "gpt.onnx", program,
                           {"input_ids": (self.options.batch, CONFIG.positions)}, flags=[
                               "--train", "--loss", "causal_lm:logits,input_ids", "--optimizer", "adamw", "--lr",
                               str(RATE), "--precision", precision, *layout])
        return program

    def ours(self, program, flags):
        """Losses, milliseconds of each step, and MiB of the process."""
        metrics = self.folder / "m.jsonl"
        metrics.unlink(missing_ok=True)
        memory = peak_rss_mib([self.tools.bin_dir / "shard-run", program, "--data", self.folder / "data.npz",
                               "--no-shuffle", "--steps", str(self.options.warmup + self.options.repeat),
                               "--metrics", metrics, *flags], timeout_s=600)
        lines = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
        return [line["loss"] for line in lines], [line["seconds"] * 1e3 for line in lines], memory

    def jax(self, precision, devices):
        settings, result = self.folder / "settings.json", self.folder / "result.json"
        result.unlink(missing_ok=True)
        settings.write_text(json.dumps({
            "layers": CONFIG.layers, "heads": CONFIG.heads, "precision": precision, "devices": devices, "rate": RATE,
            "batch": self.options.batch, "steps": self.options.warmup + self.options.repeat,
            "weights": str(self.folder / "weights.npz"), "data": str(self.folder / "data.npz")}), encoding="utf-8")
        memory = peak_rss_mib([self.options.jax, JAX_PROGRAM, settings, result], timeout_s=600)
        if not result.exists():
            raise SystemExit("error: bench/peers/training_jax.py failed")
        found = json.loads(result.read_text(encoding="utf-8"))
        return found["losses"], found["step_ms"], memory

    def measure(self, precision, name, has_jax):
        """A row of the table."""
        devices, flags, layout = LAYOUTS[name]
        program = self.compile(name.replace(" ", "-"), precision, layout)
        sides = {"sheaf": lambda: self.ours(program, flags)}
        if has_jax:
            sides["jax"] = lambda: self.jax(precision, devices)
        times, memory, losses = {side: [] for side in sides}, {}, {}
        for _ in range(self.options.blocks):
            for side, run in sides.items():
                losses[side], step_ms, memory[side] = run()
                times[side] += step_ms[self.options.warmup:]
        medians = {side: statistics.median(values) for side, values in times.items()}
        peer = ["-", "-", "-", "-"]
        if has_jax:
            error = max(abs(a / b - 1) for a, b in zip(losses["sheaf"][:3], losses["jax"][:3]))
            if not error <= AGREEMENT[precision]:
                raise SystemExit(f"error: {name}, {precision}: losses {losses['sheaf'][:3]} differ from JAX's "
                                 f"{losses['jax'][:3]}")
            peer = [f"{medians['jax']:.1f}", f"{medians['sheaf'] / medians['jax']:.2f}", f"{memory['jax']:.0f}",
                    f"{error:.0e}"]
        tokens = self.options.batch * CONFIG.positions / medians["sheaf"]
        return (f"| {name} | {precision} | {medians['sheaf']:.1f} | {tokens:.1f} | {memory['sheaf']:.0f} | "
                f"{' | '.join(peer)} |")


def version_of_jax(python):
    done = subprocess.run([python, JAX_PROGRAM, "--info"], capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=REPO / "build" / "release")
    parser.add_argument("--jax", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=10)
    options = parser.parse_args()
    if options.warmup < 1 or options.repeat < 1 or options.batch % 2:
        parser.error("--warmup and --repeat must be positive, --batch even")
    version = version_of_jax(options.jax)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, Path(folder))
        print(f"{bench.parameters / 1e6:.1f} M parameters, {options.batch} x {CONFIG.positions} tokens a step, "
              f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, jax {version or 'not installed: skipped'}, "
              f"medians of {options.blocks} x {options.repeat} steps\n")
        print("| layout | precision | sheaf ms | tokens/ms | sheaf MiB | jax ms | ratio | jax MiB | difference |")
        print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
        for precision in ("f32", "bf16"):
            for name in LAYOUTS:
                print(bench.measure(precision, name, version is not None), flush=True)


if __name__ == "__main__":
    main()
