"""Finds processes by what they inherit, and ends them."""

import os
import signal
import time
from pathlib import Path


class Made:
    """Made when it is entered as a context, ended when it is left, and when making it fails half-way."""

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *exception):
        self.end()


def _all():
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _state(pid):
    """`R`, `S`, `T` (stopped), `Z` (ended, not reaped), ...; None when there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()[0]


def is_alive(pid):
    """False for a zombie too: an init that does not reap keeps those for ever."""
    return _state(pid) not in (None, "Z", "X")


def with_environment(entry):
    """Live processes that have `entry` (`NAME=value`) in their environment."""
    wanted = os.fsencode(entry)

    def has(pid):
        try:
            return wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False

    return [pid for pid in _all() if pid != os.getpid() and has(pid) and is_alive(pid)]


def in_network_of(pid):
    """Live processes in the network namespace of `pid`."""
    def network(of):
        try:
            return os.readlink(f"/proc/{of}/ns/net")
        except OSError:
            return None

    wanted = network(pid)
    return [other for other in _all() if wanted and network(other) == wanted and is_alive(other)]


def cpu_seconds(pid):
    """CPU time that a process has used; 0 when there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def has_mapped(pid, path):
    """True when a file is mapped into the memory of a process."""
    try:
        return os.fspath(path) in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
    except OSError:
        return False


def describe(pid):
    """The state and the command line, for messages."""
    try:
        text = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return "(ended)"
    return f"{_state(pid)}: " + text.replace(b"\0", b" ").decode(errors="replace").strip()


def send(pid, signal_number):
    """Sends a signal; a process that has ended meanwhile is none of its business."""
    try:
        os.kill(pid, signal_number)
    except ProcessLookupError:
        pass


def wait_until(condition, timeout_s):
    """Polls; returns the last answer."""
    end = time.monotonic() + timeout_s
    while not (answer := condition()) and time.monotonic() < end:
        time.sleep(0.1)
    return answer


def end_all(find, timeout_s=10):
    """Kills what `find()` returns, and what appears meanwhile, until it returns nothing."""
    def none_left():
        pids = find()
        for pid in pids:
            send(pid, signal.SIGKILL)
        return not pids

    wait_until(none_left, timeout_s)
