"""Runs shard-compile and shard-run as a user would and tells a refusal from a crash."""

import argparse
import os
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

from driver.tensor_file import read_outputs, write_tensor

REPO = Path(__file__).resolve().parents[2]


class Refused(Exception):
    """The tool said no, as it should for a bad input: exit code 1 and a message."""


class Crashed(Exception):
    """The tool ended in any other way: a signal, a time-out, or a failure without a message."""


class RunFailed(Crashed):
    """The program failed while it ran and said why: exit code 3 and a message."""


def find_bin_dir(explicit=None):
    """The folder of the tools: `explicit`, else the one on PATH (lit sets it), else build/bin."""
    if explicit:
        return Path(explicit)
    on_path = shutil.which("shard-compile")
    return Path(on_path).parent if on_path else REPO / "build" / "bin"


def add_bin_option(parser: argparse.ArgumentParser):
    parser.add_argument("--bin", metavar="DIR", help="folder of shard-compile and shard-run "
                        "(default: the one on PATH, else build/bin)")


def mpirun(num_ranks):
    """The launcher of so many processes on this machine."""
    return ["mpirun", "-n", str(num_ranks), "--oversubscribe", "--bind-to", "none",
            "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1",
            "--mca", "odls_base_sigkill_timeout", "0"]


def target_under_test():
    """What programs are compiled for: "host", or what the environment variable SHEAF_TEST_TARGET says."""
    return os.environ.get("SHEAF_TEST_TARGET", "host")


@dataclass
class Toolchain:
    """The built tools, what they compile for, and how long one run of them may take."""

    bin_dir: Path
    timeout_s: float = 120
    environment: dict = field(default_factory=dict)
    target: str = field(default_factory=target_under_test)
    told: str = ""  # on standard error, by the last tool that has run

    def for_host(self):
        """The same tools, for the host: what other targets are compared with."""
        return replace(self, target="host")

    def run(self, tool, *arguments, launcher=()):
        """Runs one tool and returns its standard output; raises Refused, RunFailed or Crashed."""
        command = [*launcher, str(self.bin_dir / tool), *map(os.fspath, arguments)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=self.timeout_s,
                                  env={**os.environ, **self.environment}, check=False)
        except subprocess.TimeoutExpired:
            raise Crashed(f"{tool}: no end within {self.timeout_s:g} s") from None
        stdout = done.stdout.decode(errors="replace")
        self.told = stderr = done.stderr.decode(errors="replace").strip()
        if done.returncode == 0:
            return stdout
        if done.returncode == 1 and "error:" in stderr:
            raise Refused(stderr)
        if done.returncode == 3 and "error:" in stderr:
            raise RunFailed(stderr)
        raise Crashed(f"{tool}: exit {done.returncode}: {stderr[-2000:] or '(no message)'}")

    def compile(self, model, program, shapes=None, constants=None, work_dir=None, flags=()):
        """Compiles `model` with inputs bound to `shapes`; `constants` are inputs fixed to a value.

        Returns what shard-compile printed.
        """
        arguments = [model]
        for name, dims in (shapes or {}).items():
            arguments += ["--shape", f"{name}={'x'.join(map(str, dims))}"]
        for index, (name, array) in enumerate((constants or {}).items()):
            path = Path(work_dir) / f"constant_{index}.npy"
            write_tensor(path, array)
            arguments += ["--constant", f"{name}={path}"]
        target = [] if self.target == "host" else ["--target", self.target]
        return self.run("shard-compile", *arguments, *target, *flags, "-o", program)

    def execute(self, program, inputs, work_dir, flags=(), launcher=()):
        """Runs `program` once and returns its outputs by name."""
        work_dir = Path(work_dir)
        arguments = [program]
        for index, (name, array) in enumerate(inputs.items()):
            path = work_dir / f"input_{index}.npy"
            write_tensor(path, array)
            arguments += ["--input", f"{name}={path}"]
        output_dir = work_dir / "out"
        self.run("shard-run", *arguments, *flags, "--output-dir", output_dir, launcher=launcher)
        return read_outputs(output_dir)
