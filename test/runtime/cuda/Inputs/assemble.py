"""Assembles every PTX file of a folder for the chips given, and fails where a kernel spills registers."""

import pathlib
import re
import subprocess
import sys
import tempfile


def main(folder: str, chips: list[str]) -> int:
    files = sorted(pathlib.Path(folder).glob("*.ptx"))
    if not files:
        print(f"{folder} holds no PTX")
        return 1
    is_good = True
    with tempfile.TemporaryDirectory() as scratch:
        for file in files:
            for chip in chips:
                result = subprocess.run(
                    ["ptxas", "-v", f"-arch={chip}", str(file), "-o", f"{scratch}/out.cubin"],
                    capture_output=True, text=True)
                name = None
                for line in result.stderr.splitlines():
                    if found := re.search(r"Function properties for (\S+)", line):
                        name = found[1]
                    spills = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)
                    if spills and (spills[1], spills[2]) != ("0", "0"):
                        print(f"{file.name} for {chip}: {name} spills:{line}")
                        is_good = False
                if result.returncode:
                    print(f"{file.name} for {chip}: {result.stderr}")
                    is_good = False
    print(f"assembled {len(files)} files" if is_good else "failed")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
