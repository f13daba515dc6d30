"""Runs shard-compile and shard-run as a user would and tells a refusal from a crash."""

import argparse
import contextlib
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
            "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "0",
            "--mca", "odls_base_sigkill_timeout", "0"]


def threads_of(pid):
    """What the threads of a process do, a line each; with their stacks where there is gdb. For who asks why."""
    lines = []
    for task in sorted(Path(f"/proc/{pid}/task").glob("*")):
        with contextlib.suppress(OSError):
            state, *numbers = (task / "stat").read_text().rpartition(")")[2].split()
            seconds = sum(map(int, numbers[10:12])) / os.sysconf("SC_CLK_TCK")
            lines.append(f"thread {task.name}: {state}, {seconds:g} s of CPU, in {(task / 'wchan').read_text()}")
    if shutil.which("gdb"):
        lines.append(subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 12"], check=False,
                                    capture_output=True, text=True, timeout=60).stdout[-6000:])
    return "\n".join(lines)


def target_under_test():
    """What programs are compiled for: "host", or what the environment variable SHEAF_TEST_TARGET says."""
    return os.environ.get("SHEAF_TEST_TARGET", "host")


def time_limit(seconds):
    """So many seconds, times the environment variable SHEAF_TEST_PATIENCE: for what runs slower than the tests do."""
    return seconds * float(os.environ.get("SHEAF_TEST_PATIENCE", "1"))


@dataclass
class Toolchain:
    """The built tools, what they compile for, and how long one run of them may take."""

    bin_dir: Path
    timeout_s: float = field(default_factory=lambda: time_limit(120))
    environment: dict = field(default_factory=dict)
    target: str = field(default_factory=target_under_test)
    told: str = ""  # on standard error, by the last tool that has run

    def for_host(self):
        """The same tools, for the host: what other targets are compared with."""
        return replace(self, target="host")

    def run(self, tool, *arguments, launcher=()):
        """Runs one tool and returns its standard output; raises Refused, RunFailed or Crashed.

        shard-compile compiles for the target of this toolchain, unless the arguments say what for.
        """
        if tool == "shard-compile" and self.target != "host" and "--target" not in arguments:
            arguments += ("--target", self.target)
        command = [*launcher, str(self.bin_dir / tool), *map(os.fspath, arguments)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, **self.environment}) as process:
            try:
                stdout, stderr = (text.decode(errors="replace") for text in process.communicate(timeout=self.timeout_s))
            except subprocess.TimeoutExpired:
                doing = threads_of(process.pid)
                process.kill()
                raise Crashed(f"{tool}: no end within {self.timeout_s:g} s\n{doing}") from None
        self.told = stderr = stderr.strip()
        if process.returncode == 0:
            return stdout
        if process.returncode == 1 and "error:" in stderr:
            raise Refused(stderr)
        if process.returncode == 3 and "error:" in stderr:
            raise RunFailed(stderr)
        raise Crashed(f"{tool}: exit {process.returncode}: {stderr[-2000:] or '(no message)'}")

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
        return self.run("shard-compile", *arguments, *flags, "-o", program)

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
