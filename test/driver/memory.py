"""Measures how much memory a command needed."""

import os
import subprocess
import threading


def peak_rss_mib(command, timeout_s):
    """Runs `command` to its end, whatever its exit code, and returns its peak resident MiB."""
    process = subprocess.Popen([os.fspath(part) for part in command],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    killer = threading.Timer(timeout_s, process.kill)
    killer.start()
    _, status, usage = os.wait4(process.pid, 0)
    killer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss / 1024  # Linux counts in KiB
