"""A job of several ranks: each in a folder of its own, started, watched, and ended for certain."""

import os
import shutil
import subprocess
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from e2e.nodes import processes

# The folder of a rank is where it finds its files; `exec`, so that the process is the rank itself.
_RANK = """#!/bin/sh
rank=${{OMPI_COMM_WORLD_RANK:-${{PMIX_RANK:-${{SLURM_PROCID:-$RANK}}}}}}
echo $$ >{folder}/pid.$rank.new && mv {folder}/pid.$rank.new {folder}/pid.$rank
cd {folder}/rank$rank
[ -e stop ] && kill -STOP $$
exec "$@"
"""


@dataclass
class Outcome:
    """How a job ended."""

    text: str
    code: int | None  # None: it had to be killed
    seconds: float  # since `finish` was called


class Job:
    """Started by `start`; ended, however that went, on leaving it as a context."""

    def __init__(self, folder, num_ranks):
        self.folder = Path(folder)
        self.num_ranks = num_ranks
        self._mark = f"SHEAF_TEST_JOB={uuid.uuid4()}"
        self._process = None
        self._wrapper = self.folder / "rank.sh"
        self._wrapper.write_text(_RANK.format(folder=self.folder))
        self._wrapper.chmod(0o755)
        for rank in range(num_ranks):
            self.rank_folder(rank).mkdir()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        processes.end_all(self.processes)
        if self._process:
            self._process.wait(timeout=60)

    def rank_folder(self, rank):
        return self.folder / f"rank{rank}"

    def give(self, files):
        """Copies files into the folder of every rank."""
        for rank in range(self.num_ranks):
            for file in files:
                shutil.copy(file, self.rank_folder(rank))

    def stop_at_start(self, rank):
        """Stops the process of a rank before it does anything."""
        (self.rank_folder(rank) / "stop").touch()

    def command_of_rank(self, *command):
        """What a launcher has to start for each rank."""
        return [str(self._wrapper), *command]

    def start(self, command, environment):
        name, value = self._mark.split("=")
        with open(self.folder / "output", "wb") as output:
            # Ranks end with their launcher, and that ends with this process, however that ends.
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command], cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env={**os.environ, **environment, name: value}, start_new_session=True)

    def pid(self, rank):
        """The process of a rank; None before it has started."""
        try:
            return int((self.folder / f"pid.{rank}").read_text())
        except FileNotFoundError:
            return None

    def wait_until_running(self, file, timeout_s):
        """Waits until all ranks work: they have mapped `file` and then been busy."""
        pids = {}

        def have_mapped():
            for rank in range(self.num_ranks):
                if rank not in pids and (pid := self.pid(rank)) and processes.has_mapped(
                        pid, self.rank_folder(rank) / file):
                    pids[rank] = (pid, processes.cpu_seconds(pid))
            return self._process.poll() is not None or len(pids) == self.num_ranks

        def are_busy():
            return self._process.poll() is not None or all(
                processes.cpu_seconds(pid) > start + 0.5 for pid, start in pids.values())

        is_running = (processes.wait_until(have_mapped, timeout_s)
                      and processes.wait_until(are_busy, timeout_s))
        if not is_running or self._process.poll() is not None:
            missing = [rank for rank in range(self.num_ranks) if rank not in pids]
            raise RuntimeError(f"the ranks do not run: exit code {self._process.poll()}, not seen "
                               f"are {missing}\n{self._text()}")

    def finish(self, limit_s):
        """Waits for the end; after `limit_s` seconds the job is killed."""
        start = time.monotonic()
        try:
            code = self._process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            code = None
            processes.end_all(self.processes)
        return Outcome(self._text(), code, time.monotonic() - start)

    def processes(self):
        """Its launcher and ranks that still live, stopped ones too."""
        return processes.with_environment(self._mark)

    def _text(self):
        return (self.folder / "output").read_text(encoding="utf-8", errors="replace")
