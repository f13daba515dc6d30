"""Asks training runs to stop, on threads and on processes, and looks at how they end."""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir, mpirun  # noqa: E402
from models import small_steps  # noqa: E402

TIMEOUT_S = 60
AGAIN_S = 0.5  # a second signal sooner than a quarter of a second is the same wish


def ranks_of(launcher):
    """The processes of the ranks that a launcher started."""
    children = Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
    return sorted(map(int, children))


class Run:
    """A training run without an end, once it has begun to step."""

    def __init__(self, shard_run, folder, ranks, processes=0):
        self.metrics = folder / "m.jsonl"
        self.metrics.unlink(missing_ok=True)
        command = mpirun(processes) if processes else []
        command += [shard_run, folder / f"step-{ranks}.sheaf", "--data", folder / "data.npz",
                    "--steps", "1000000000", "--metrics", self.metrics, "--json"]
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + TIMEOUT_S
        while not self.metrics.exists() or self.metrics.stat().st_size < 1000:
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit(f"it does not train: {self.process.communicate()}")
            time.sleep(0.02)

    def end(self):
        """Its exit code, standard output and error."""
        try:
            out, error = self.process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.terminate()  # mpirun ends its ranks
            raise
        return self.process.returncode, out, error


def check_stopped(name, run):
    """It has finished its step, written whole lines, and told of it."""
    code, out, error = run.end()
    if code != 0:
        sys.exit(f"{name}: exit code {code}: {error}")
    report = json.loads(out)
    steps = [json.loads(line)["step"] for line in run.metrics.read_text().splitlines()]
    assert report["stopped"] and steps == list(range(1, report["steps"] + 1)), (name, report)
    assert f"asked to stop: step {report['steps']} is done" in error, (name, error)
    print(f"{name}: stopped")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    shard_run = tools.bin_dir / "shard-run"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "data.npz", x=np.ones((16, 3), "f"), y=np.ones(16, "f"))
        for ranks in (1, 2):
            (folder / "step.mlir").write_text(small_steps.text("linear", f"data={ranks}"))
            tools.run("shard-compile", folder / "step.mlir", "-o", folder / f"step-{ranks}.sheaf")
        for ranks in (1, 2):
            for wish in (signal.SIGINT, signal.SIGTERM):
                run = Run(shard_run, folder, ranks)
                run.process.send_signal(wish)
                check_stopped(f"{ranks} thread rank(s), {wish.name}", run)

        run = Run(shard_run, folder, 2, processes=2)
        run.process.send_signal(signal.SIGUSR1)  # mpirun passes it on to all ranks
        check_stopped("2 processes, SIGUSR1", run)

        run = Run(shard_run, folder, 2, processes=2)
        signal_to = ranks_of(run.process.pid)[1]
        subprocess.run(["kill", "-INT", str(signal_to)], check=True)
        check_stopped("2 processes, SIGINT to the second", run)

        # The first waits for the second, which does nothing any more: only a second signal ends it.
        run = Run(shard_run, folder, 2, processes=2)
        first, second = ranks_of(run.process.pid)
        for wish, rank in (("STOP", second), ("INT", first)):
            subprocess.run(["kill", f"-{wish}", str(rank)], check=True)
        time.sleep(AGAIN_S)
        assert run.process.poll() is None, "the first signal ended it"
        subprocess.run(["kill", "-INT", str(first)], check=True)
        code, _, _ = run.end()
        assert code == 128 + signal.SIGINT, code
        print("2 processes, SIGINT twice: ended at once")


if __name__ == "__main__":
    main()
