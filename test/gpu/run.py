"""Checks a GPU for correctness, then measures it briefly: what `./dev gpu-test` runs, in under 8 minutes.

The tests of calls give what the host gives, models give the host's outputs, training steps the host's losses; on
machines with several GPUs with ranks on them too. Every check is listed with its time, whether it passed, failed, or
was skipped and why. Without a usable GPU it says which part is missing and ends with 1.

`--libraries FOLDER` are libraries to use in place of CUDA's, `--tiny` runs a small part: for tests of this script.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

REPO = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPO / "test"))

from driver.tolerance import relative_error  # noqa: E402
from driver.tools import Crashed, Refused, Toolchain  # noqa: E402
from models.make import family  # noqa: E402

# f32 products sum in another order, and attention rescales its sums: the bound of the end-to-end tests.
BOUND = 1e-4
MODELS = {"gpt2": (2, 16), "bert": (2, 16), "llama": (2, 16), "mixtral": (2, 8), "vit": (2,)}
CALLS = {
    "calls on tensors": "Contract*:Copy.*:Cast.*:Fill.*:Random.*:Gather*:Scatter*:Sort.*:TopK.*:ArgReduce.*:"
                        "Cumulative.*:Pool*:Resize.*:Conv*:Attention*:Parts.*",
    "products of 8-bit floats": "NarrowContract.*",
    "calls give the host's bits": "Agreement.*",
}
COLLECTIVES = "AllReduce.*:AllGather.*:ReduceScatter.Gives*:Shard*:AllToAll.*:Permute.*:DimWindow.*"
RANKS_OF_COLLECTIVES = 8


class Skipped(Exception):
    """Why a check can't run here."""


class Checks:
    """Runs checks one after another and keeps what came of each."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tools = Toolchain(options.build / "bin", timeout_s=300)
        if options.libraries:
            self.tools.environment["LD_LIBRARY_PATH"] = options.libraries
        self.results = []

    def run(self, name, check, *arguments):
        started = time.monotonic()
        try:
            result, text = "passed", check(*arguments) or ""
        except Skipped as reason:
            result, text = "skipped", str(reason)
        except (AssertionError, Crashed, Refused, subprocess.TimeoutExpired) as error:
            result, text = "FAILED", str(error)
        self.results.append(result)
        print(f"{result:8}{time.monotonic() - started:6.1f} s  {name}{': ' if text else ''}{text}", flush=True)

    def build(self, name, extents, *flags):
        """A model compiled for the host and for cuda, and its inputs."""
        module = family(name)
        config = module.SIZES["tiny"]
        feed = module.inputs(config, np.random.default_rng(1), *extents)
        model = self.folder / f"{name}.onnx"
        module.build(config, 17).save(model, False)
        programs = {}
        for target in ("host", "cuda"):
            programs[target] = self.folder / f"{name}-{target}.sheaf"
            self.tools.compile(model, programs[target], {key: value.shape for key, value in feed.items()},
                               flags=["--target", target, *flags])
        return programs, feed

    def usable(self):
        """Ends the script where there is no usable GPU; returns how many there are."""
        self.programs, self.feed = self.build("gpt2", (1, 8))
        try:
            self.tools.execute(self.programs["cuda"], self.feed, self.folder)
        except Refused as error:
            sys.exit(f"no usable GPU: {error}" if "no usable GPU" not in str(error) else str(error))
        if self.options.libraries:
            return ["a stand-in"] * RANKS_OF_COLLECTIVES
        try:
            done = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True,
                                  text=True, check=False)
        except FileNotFoundError:
            return ["GPU of unknown name: there is no nvidia-smi"]
        return done.stdout.splitlines() or ["GPU that nvidia-smi does not show"]

    def unit(self, pattern):
        """Runs tests of the host's calls on the GPU."""
        program = self.options.build / "test" / "unit" / "runtime.host_test"
        if not program.exists():
            raise Skipped(f"{program} is not built")
        done = subprocess.run([program, "--gtest_brief=1", f"--gtest_filter={pattern}"], capture_output=True, text=True,
                              env={**os.environ, **self.tools.environment, "SHEAF_TEST_TARGET": "cuda"}, timeout=240,
                              check=False)
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        return next(line for line in done.stdout.splitlines() if " ran." in line).replace("[==========] ", "")

    def model(self, name, extents):
        programs, feed = self.build(name, extents)
        host, cuda = (self.tools.execute(programs[target], feed, self.folder) for target in ("host", "cuda"))
        worst = 0.0
        for key, want in host.items():
            error = relative_error(cuda[key], want) if want.dtype.kind == "f" else float(np.any(cuda[key] != want))
            assert error <= BOUND, f"{key}: relative error {error:.1e}"
            worst = max(worst, error)
        return f"largest error {worst:.1e}"

    def training(self, precision, layout, num_gpus, micro_batches):
        """Losses of a few steps of a GPT beside those of one rank of the host."""
        ranks = 1
        for axis in layout[1].split(",") if layout else []:
            ranks *= int(axis.split("=")[1])
        if ranks > num_gpus:
            raise Skipped(f"it takes {ranks} GPUs, there {'is 1' if num_gpus == 1 else f'are {num_gpus}'}")
        module = family("gpt2")
        config = module.SIZES["tiny"]
        model, data = self.folder / "train.onnx", self.folder / "train.npz"
        module.build(config, 17).save(model, False)
        np.savez(data, input_ids=np.random.default_rng(3).integers(0, config.vocabulary, (32, 16)))
        losses = {}
        for target, flags in (("host", []), ("cuda", layout)):
            program, metrics = self.folder / f"train-{target}.sheaf", self.folder / f"train-{target}.jsonl"
            metrics.unlink(missing_ok=True)
            self.tools.compile(model, program, {"input_ids": (8, 16)}, flags=[
                "--train", "--loss", "causal_lm:logits,input_ids", "--optimizer", "adamw", "--lr", "1e-3",
                "--micro-batches", str(micro_batches), "--precision", precision, "--target", target, *flags])
            self.tools.run("shard-run", program, "--data", data, "--steps", str(3 if self.options.tiny else 20),
                           "--metrics", metrics)
            losses[target] = [json.loads(line)["loss"] for line in metrics.read_text().splitlines()]
        error = max(abs(a / b - 1) for a, b in zip(losses["cuda"], losses["host"], strict=True))
        bound = 1e-4 if precision == "f32" else 2.0 ** -7
        assert error <= bound, f"losses differ by {error:.1e}, at most {bound:.1e}: {losses}"
        return f"losses differ by {error:.1e}"

    def bench(self):
        command = [sys.executable, REPO / "bench" / "gpu" / "run.py", "--build", self.options.build, "--short"]
        command += ["--tiny"] if self.options.tiny else []
        command += ["--libraries", self.options.libraries] if self.options.libraries else []
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        return "\n" + done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=REPO / "build" / "release")
    parser.add_argument("--libraries", metavar="FOLDER")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(options, Path(folder))
        gpus = checks.usable()
        print(f"{len(gpus)} x {gpus[0]}", flush=True)
        calls = {"calls on tensors": "Copy.*"} if options.tiny else CALLS
        for name, pattern in calls.items():
            checks.run(name, checks.unit, pattern)
        if not options.tiny:
            def collectives():
                if len(gpus) < RANKS_OF_COLLECTIVES:
                    raise Skipped(f"they take {RANKS_OF_COLLECTIVES} GPUs, one a rank; there are {len(gpus)}")
                return checks.unit(COLLECTIVES)
            checks.run("collectives", collectives)
        for name, extents in list(MODELS.items())[:1 if options.tiny else None]:
            checks.run(f"model {name}", checks.model, name, extents)
        layouts = [[], ["--mesh", "data=2", "--strategy", "zero3"]]
        layouts += [] if options.tiny else [["--mesh", "data=2,tensor=2", "--strategy", "zero3,tp"]]
        for precision in ("f32",) if options.tiny else ("f32", "bf16", "fp8"):
            for layout in layouts:
                for micro_batches in (1,) if options.tiny else (1, 2):
                    where = " ".join(layout[1::2]) or "on one GPU"
                    checks.run(f"training {precision} {where}{' in micro-batches' if micro_batches > 1 else ''}",
                               checks.training, precision, layout, len(gpus), micro_batches)
        checks.run("bench", checks.bench)
    counts = [checks.results.count(result) for result in ("passed", "FAILED", "skipped")]
    print(f"{counts[0]} passed, {counts[1]} failed, {counts[2]} skipped in {time.monotonic() - started:.0f} s")
    return int(counts[1] > 0)


if __name__ == "__main__":
    sys.exit(main())
