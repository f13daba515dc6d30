"""Runs benchmarks of a release build: `run.py --build DIR [name] [arguments of that benchmark]`.

Without a name every benchmark runs. A benchmark is a script in this folder or a program in the
build's bench folder.
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def benchmarks(build):
    """Name -> command of each benchmark."""
    scripts = {path.stem: [sys.executable, str(path), "--build", str(build)]
               for path in sorted(HERE.glob("*.py")) if path.stem != "run"}
    programs = {path.name: [str(path)] for path in sorted((build / "bench").glob("*_bench"))}
    return {**scripts, **programs}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("name", nargs="?")
    options, rest = parser.parse_known_args()
    known = benchmarks(options.build)
    if options.name and options.name not in known:
        parser.error(f"no benchmark {options.name!r}; there are {', '.join(known)}")
    status = 0
    for name, command in known.items():
        if options.name in (None, name):
            print(f"== {name}", flush=True)
            status |= subprocess.run([*command, *(rest if options.name else [])],
                                     check=False).returncode
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
