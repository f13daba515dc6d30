"""Step time and memory of training a GPT (4 layers, 256 wide, 256 tokens) beside JAX and PyTorch, in one run.

f32 and bf16, on one rank with two threads and on two ranks of one thread each. JAX has one device with all CPUs, and
two devices that share the batch; PyTorch has one process, and two under DistributedDataParallel or FSDP2. Blocks of
steps alternate, each a fresh process with its own warm-up; the median is over all steps of all blocks. Nothing counts
before the losses agree. Peak memory is that of the processes, with their libraries and, of JAX, its compiler; our step
is compiled before.

A peer that is not installed is skipped; `--jax PYTHON` and `--torch PYTHON` are interpreters that have them.
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
RATE = 1e-3
AGREEMENT = {"f32": 1e-4, "bf16": 2e-2}  # of the first losses, relative
LAYOUTS = {"1 rank, 2 threads": ("single", ["--threads", "2"], []),
           "2 ranks, ddp": ("ddp", ["--threads", "1"], ["--mesh", "data=2", "--strategy", "ddp"]),
           "2 ranks, zero3": ("zero3", ["--threads", "1"], ["--mesh", "data=2", "--strategy", "zero3"])}


class Peer:
    """Another system: an interpreter that has it, and the program that trains with it."""

    def __init__(self, name, python):
        self.name, self.python = name, python
        self.program = REPO / "bench" / "peers" / f"training_{name}.py"
        done = subprocess.run([python, self.program, "--info"], capture_output=True, text=True, check=False)
        self.version = done.stdout.strip() if done.returncode == 0 else None

    def train(self, folder, settings):
        """Losses, milliseconds of each step, and MiB of the processes."""
        given, result = folder / "settings.json", folder / "result.json"
        result.unlink(missing_ok=True)
        given.write_text(json.dumps(settings), encoding="utf-8")
        memory = peak_rss_mib([self.python, self.program, given, result], timeout_s=600)
        if not result.exists():
            raise SystemExit(f"error: {self.program.name} failed")
        found = json.loads(result.read_text(encoding="utf-8"))
        return found["losses"], found["step_ms"], found.get("mib", memory)


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

    def settings(self, precision, layout):
        """What peers need to know."""
        return {"layers": CONFIG.layers, "heads": CONFIG.heads, "precision": precision, "layout": layout, "rate": RATE,
                "batch": self.options.batch, "steps": self.options.warmup + self.options.repeat,
                "weights": str(self.folder / "weights.npz"), "data": str(self.folder / "data.npz")}

    def measure(self, precision, name, peers):
        """A row of the table."""
        layout, flags, compiled = LAYOUTS[name]
        program = self.compile(name.replace(" ", "-"), precision, compiled)
        settings = self.settings(precision, layout)
        sides = {"sheaf": lambda: self.ours(program, flags)}
        sides |= {peer.name: lambda peer=peer: peer.train(self.folder, settings) for peer in peers}
        times, memory, losses = {side: [] for side in sides}, {}, {}
        for _ in range(self.options.blocks):
            for side, run in sides.items():
                losses[side], step_ms, memory[side] = run()
                times[side] += step_ms[self.options.warmup:]
        medians = {side: statistics.median(values) for side, values in times.items()}
        cells = [name, precision, f"{medians['sheaf']:.1f}", f"{memory['sheaf']:.0f}"]
        for peer in peers:
            error = max(abs(a / b - 1) for a, b in zip(losses["sheaf"][:3], losses[peer.name][:3]))
            if not error <= AGREEMENT[precision]:
                raise SystemExit(f"error: {name}, {precision}: losses {losses['sheaf'][:3]} differ from those of "
                                 f"{peer.name}: {losses[peer.name][:3]}")
            cells += [f"{medians[peer.name]:.1f}", f"{medians['sheaf'] / medians[peer.name]:.2f}",
                      f"{memory[peer.name]:.0f}", f"{error:.0e}"]
        return f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=REPO / "build" / "release")
    parser.add_argument("--jax", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--torch", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=10)
    options = parser.parse_args()
    if options.warmup < 1 or options.repeat < 1 or options.batch % 2:
        parser.error("--warmup and --repeat must be positive, --batch even")
    peers = [Peer("jax", options.jax), Peer("torch", options.torch)]
    present = [peer for peer in peers if peer.version]
    versions = ", ".join(f"{peer.name} {peer.version or 'not installed: skipped'}" for peer in peers)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, Path(folder))
        print(f"{bench.parameters / 1e6:.1f} M parameters, {options.batch} x {CONFIG.positions} tokens a step, "
              f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, {versions}, "
              f"medians of {options.blocks} x {options.repeat} steps\n")
        columns = ["layout", "precision", "sheaf ms", "sheaf MiB"]
        for peer in present:
            columns += [f"{peer.name} ms", "ratio", f"{peer.name} MiB", "difference"]
        print(f"| {' | '.join(columns)} |")
        print("|---|---|" + "---:|" * (len(columns) - 2))
        for precision in ("f32", "bf16"):
            for name in LAYOUTS:
                print(bench.measure(precision, name, present), flush=True)


if __name__ == "__main__":
    main()
