"""Runs a command with its stderr on a terminal and prints what it drew there, escapes spelled out."""

import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
with subprocess.Popen(sys.argv[1:], stderr=theirs, stdout=subprocess.DEVNULL,
                      env=environment) as process:
    os.close(theirs)
    drawn = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # how Linux tells that the other end is closed
            break
        if not part:
            break
        drawn += part
print(ascii(drawn.decode()))
sys.exit(process.returncode)
