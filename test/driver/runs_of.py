"""Runs the RUN lines of other lit tests in the environment of this one.

Usage: runs_of.py [--add ARGUMENTS] TEST...

`RUN: %cuda -m driver.runs_of %S/layouts.test` runs on GPUs all that layouts.test runs on the host, its FileCheck too.
ARGUMENTS come behind those of each line's first program. Stops at no failure, and tells each.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from driver.tools import REPO

_LINE = re.compile(r"^(?:// )?(RUN|DEFINE): (?:(%\{\w+\}) = )?(.*)$", re.M)


def commands_of(test, temporary):
    """The commands of the test at the path `test`, with what lit substitutes put in."""
    shared = os.environ.get("SHEAF_SHARED", str(REPO.parent / "shared"))
    texts = {"%python": sys.executable, "%source": str(REPO), "%shared": shared, "%S": str(test.parent),
             "%s": str(test), "%t": temporary}
    definitions, commands = {}, []
    for kind, name, text in _LINE.findall(test.read_text(encoding="utf-8")):
        for known, meaning in {**definitions, **texts}.items():
            text = text.replace(known, meaning)
        if kind == "DEFINE":
            definitions[name] = text
        else:
            commands.append(text)
    return commands


def with_arguments(command, arguments):
    """The command with more arguments for its first program, which may have a pipe behind it."""
    first, pipe, rest = command.partition(" | ")
    return " ".join(filter(None, [first, arguments])) + pipe + rest


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--add", default="", metavar="ARGUMENTS", help='one word: --add="--steps 8"')
    parser.add_argument("tests", nargs="+", type=Path, metavar="TEST")
    options = parser.parse_args()
    num_run = num_failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for test in options.tests:
            for command in commands_of(test.resolve(), f"{folder}/{test.stem}"):
                command = with_arguments(command, options.add)
                num_run += 1
                done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True,
                                      stdin=subprocess.DEVNULL, check=False)
                if done.returncode:
                    num_failed += 1
                    print(f"{test.name}: exit {done.returncode}: {command}\n{done.stdout}{done.stderr}", flush=True)
    print(f"{num_run} commands, {num_failed} failed")
    sys.exit(1 if num_failed or not num_run else 0)


if __name__ == "__main__":
    main()
