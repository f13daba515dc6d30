"""Starts a command as the ranks of a job, as torchrun does: a process each, placed by variables of the environment.

Usage: ranks.py -n N [options] -- command. `{rank}` in the command is the rank. Afterwards each rank's output is printed
behind "0| ", then "rank 0: exit 3" or "rank 0: SIGKILL"; ranks that stood still are ended once all others have, and
those of a job that does not end are told of as "hangs".
"""
import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Launchers' variables that this process may have itself.
OTHERS = re.compile(r"(OMPI|PMI|PMIX|SLURM|TORCHELASTIC)_|(LOCAL_)?RANK$|(LOCAL_)?WORLD_SIZE$|MASTER_|SHEAF_PORT$")


def free_port():
    with socket.socket() as server:
        server.bind(("", 0))
        return server.getsockname()[1]


def environments(options):
    """That of each rank."""
    base = {k: v for k, v in os.environ.items() if not OTHERS.match(k)}
    port = free_port()
    for rank in range(options.n):
        own = {"RANK": rank, "WORLD_SIZE": options.n, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": options.n,
               "MASTER_ADDR": "localhost", "MASTER_PORT": port - 1}
        for text in options.set:
            place, _, rest = text.partition(":")
            name, _, value = rest.partition("=")
            if place in ("all", str(rank)):
                own[name] = value
        yield base | {k: str(v) for k, v in own.items() if k not in options.unset}


def send_when_due(text, processes):
    """Sends a signal to a rank once a file has so many lines; true when that is done."""
    name, rank, file, lines = text.split(":")
    if not Path(file).exists() or Path(file).read_bytes().count(b"\n") < int(lines):
        return False
    processes[int(rank)].send_signal(signal.Signals[name])
    return True


def is_stopped(process):
    """Whether a signal has stopped it."""
    try:
        return Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except FileNotFoundError:
        return False


def wait_for_all(processes, options):
    """Returns the ranks that had to be ended."""
    due = list(options.signal)
    end = time.monotonic() + options.timeout
    while any(process.poll() is None for process in processes):
        due = [text for text in due if not send_when_due(text, processes)]
        running = [rank for rank, process in enumerate(processes) if process.poll() is None]
        hanging = [rank for rank in running if not is_stopped(processes[rank])]
        if time.monotonic() > end or (running and not hanging):
            for process in processes:
                process.kill()
                process.wait()
            return hanging
        time.sleep(0.02)
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, required=True)
    parser.add_argument("--set", action="append", default=[], metavar="RANK:NAME=VALUE", help="RANK may be 'all'")
    parser.add_argument("--unset", action="append", default=[], metavar="NAME")
    parser.add_argument("--signal", action="append", default=[], metavar="SIGNAL:RANK:FILE:LINES")
    parser.add_argument("--timeout", type=float, default=200, metavar="SECONDS")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    processes, outputs = [], []
    for rank, environment in enumerate(environments(options)):
        outputs.append(tempfile.TemporaryFile())
        processes.append(subprocess.Popen([word.replace("{rank}", str(rank)) for word in command], env=environment,
                                          stdin=subprocess.DEVNULL, stdout=outputs[-1], stderr=subprocess.STDOUT))
    hanging = wait_for_all(processes, options)
    for rank, (process, output) in enumerate(zip(processes, outputs)):
        output.seek(0)
        for line in output.read().decode(errors="replace").splitlines():
            print(f"{rank}| {line}")
        code = process.returncode
        how = "hangs" if rank in hanging else f"exit {code}" if code >= 0 else signal.Signals(-code).name
        print(f"rank {rank}: {how}")
    return 1 if hanging else 0


if __name__ == "__main__":
    sys.exit(main())
