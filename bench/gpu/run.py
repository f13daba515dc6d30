"""Measures a GPU: its ceilings, and training steps in bf16 beside PyTorch. What `./dev gpu-bench` runs; one table.

Ceilings are those that programs of Sheaf reach: a product of square matrices by cuBLASLt, and a kernel that reads and
writes. Training steps are of GPT-2-124M and of a Llama of 1.1 billion parameters, whole: forward, backward, AdamW; f32
parameters, computed in bf16. Peers are torch.compile with fused AdamW and autocast, where torch with CUDA is installed
(`--torch PYTHON`), in the same minute. MFU counts 6 operations for each parameter of a product and token, and 12 x
layers x width x tokens for attention, of the chip's peak in bf16 without sparsity. Memory is what the plan predicts,
what the runtime allocated at most, and what the driver shows for the process.

`--libraries FOLDER` and `--tiny` are for tests of this script, `--short` leaves out the large model and PyTorch.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "test"))
sys.path.insert(0, str(REPO / "bench" / "gpu"))

from driver.tools import Refused, Toolchain  # noqa: E402
from shapes import SHAPES, build  # noqa: E402

# Peak of dense products in bf16, Tflop/s, from NVIDIA's data sheets.
PEAKS = {"A100": 312, "H100 PCIe": 756, "H100": 989, "H200": 989, "B200": 2250}


def query_gpu(what):
    """The first line that nvidia-smi says; none where there is no nvidia-smi."""
    try:
        done = subprocess.run(["nvidia-smi", f"--query-{what}", "--format=csv,noheader,nounits"], capture_output=True,
                              text=True, check=False)
    except FileNotFoundError:
        return None
    lines = done.stdout.splitlines()
    return lines[0] if done.returncode == 0 and lines else None


class MemoryWatch:
    """The most memory that the driver shows for processes while a command runs."""

    def __init__(self):
        self.peak, self.over = None, threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self._look)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def _look(self):
        while not self.over.wait(0.2):
            if (used := query_gpu("compute-apps=used_memory")) and used.strip().isdigit():
                self.peak = max(self.peak or 0, int(used))


class Bench:
    """Compiles, runs, and makes rows."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tools = Toolchain(options.build / "bin", timeout_s=900)
        if options.libraries:
            self.tools.environment["LD_LIBRARY_PATH"] = options.libraries
        self.gpu = None if options.libraries else query_gpu("gpu=name")
        self.peak = next((peak for name, peak in PEAKS.items() if self.gpu and name in self.gpu), None)

    def median_ms(self, name, text):
        """Of a program given as .mlir."""
        source, program = self.folder / f"{name}.mlir", self.folder / f"{name}.sheaf"
        source.write_text(text)
        self.tools.run("shard-compile", source, "--target", "cuda", "-o", program)
        report = self.tools.run("shard-run", program, "--random-inputs", "--warmup", "3", "--repeat",
                                "3" if self.options.tiny else "30", "--json")
        return statistics.median(json.loads(report)["run_ms"])

    def ceilings(self):
        """Tflop/s of a product, GB/s of a copy."""
        n, count = (64, 1 << 12) if self.options.tiny else (8192, 1 << 28)
        matrix, vector = f"tensor<{n}x{n}xbf16>", f"tensor<{count}xf32>"
        product = self.median_ms("product", f"""
func.func @forward(%a: {matrix} {{graph.input = "a"}}, %b: {matrix} {{graph.input = "b"}})
    -> ({matrix} {{graph.output = "c"}}) attributes {{graph.program = "forward"}} {{
  %c = graph.contract %a, %b batch [] x [] over [1] x [0] : ({matrix}, {matrix}) -> {matrix}
  return %c : {matrix}
}}""")
        copy = self.median_ms("copy", f"""
func.func @forward(%a: {vector} {{graph.input = "a"}}) -> ({vector} {{graph.output = "b"}})
    attributes {{graph.program = "forward"}} {{
  %b = graph.unary neg %a : {vector}
  return %b : {vector}
}}""")
        return 2 * n**3 / product / 1e9, 2 * 4 * count / copy / 1e6

    def train(self, shape):
        """Milliseconds of the steps, the first losses, and memory: predicted, allocated, shown by the driver."""
        batch, length = shape.extents
        builder = build(shape)
        model, program = self.folder / f"{shape.name}.onnx", self.folder / f"{shape.name}.sheaf"
        metrics, data = self.folder / f"{shape.name}.jsonl", self.folder / f"{shape.name}.npz"
        builder.save(model, external=True)
        np.savez(data, input_ids=shape.samples(4 * batch))
        steps = 4 if self.options.tiny else 30
        flags = [word for name in builder.absent for word in ("--init", f"{name}=normal(0.02)")]
        flags += [word for name in shape.filled for word in ("--feed", f"{name}=ones")]
        self.tools.compile(model, program, {name: (batch, length) for name in ("input_ids", *shape.filled)}, flags=[
            "--train", "--loss", "causal_lm:logits,input_ids", "--optimizer", "adamw", "--lr", "1e-4", "--precision",
            "bf16", "--target", "cuda", *flags])
        with MemoryWatch() as watch:
            report = json.loads(self.tools.run("shard-run", program, "--data", data, "--no-shuffle", "--steps",
                                               str(steps), "--metrics", metrics, "--json"))
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        memory = report["memory_bytes"]
        # The first run is issued, the second recorded.
        times = [line["seconds"] * 1e3 for line in lines][min(5, steps // 2):]
        return (statistics.median(times), [line["loss"] for line in lines],
                memory["predicted_peak"], memory["peak"], watch.peak, builder.parameter_count())

    def row(self, shape):
        ms, losses, predicted, peak, shown, parameters = self.train(shape)
        flops = shape.flops(parameters)
        rate = flops / ms / 1e9
        cells = [shape.name, f"{parameters / 1e6:.1f} M", "x".join(map(str, shape.extents)), f"{ms:.2f}",
                 f"{shape.tokens / ms * 1e3:.0f}", f"{rate:.3g}", f"{rate / self.product:.0%}",
                 f"{rate / self.peak:.0%}" if self.peak else "-", f"{predicted / 2**20:.0f}", f"{peak / 2**20:.0f}",
                 str(shown or "-")]
        peer = self.peer(shape)
        cells += [f"{peer['ms']:.2f}", f"{ms / peer['ms']:.2f}",
                  f"{abs(losses[0] / peer['losses'][0] - 1):.0e}"] if peer else ["-"] * 3
        return f"| {' | '.join(cells)} |"

    def peer(self, shape):
        """What PyTorch takes; none where it isn't."""
        if self.options.short or not self.torch:
            return None
        result = self.folder / "peer.json"
        done = subprocess.run([self.options.torch, Path(__file__).with_name("peer_torch.py"), shape.name, result],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"warning: PyTorch failed: {done.stderr[-500:]}", file=sys.stderr)
            return None
        return json.loads(result.read_text())

    def find_torch(self):
        """Its version, where it can use the GPU."""
        if self.options.short or self.options.libraries:
            return None
        code = "import torch; assert torch.cuda.is_available(); print(torch.__version__)"
        done = subprocess.run([self.options.torch, "-c", code], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else None

    def run(self):
        self.torch = self.find_torch()
        try:
            self.product, copy = self.ceilings()
        except Refused as error:
            sys.exit(str(error))
        print(f"{self.gpu or 'a GPU of unknown name'}: product {self.product:.3g} Tflop/s in bf16"
              + (f" ({self.product / self.peak:.0%} of {self.peak})" if self.peak else "")
              + f", copy {copy:.0f} GB/s; PyTorch {self.torch or 'not measured'}\n")
        print("| model | parameters | batch | ms a step | tokens/s | Tflop/s | of product | MFU | predicted MiB | "
              "allocated MiB | driver MiB | PyTorch ms | ratio | first losses differ |")
        print("|---|" + "---:|" * 13)
        names = ["tiny"] if self.options.tiny else ["gpt2-124m"] if self.options.short else ["gpt2-124m", "llama-1b"]
        for name in names:
            print(self.row(SHAPES[name]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=REPO / "build" / "release")
    parser.add_argument("--torch", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--libraries", metavar="FOLDER")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Bench(options, Path(folder)).run()


if __name__ == "__main__":
    main()
