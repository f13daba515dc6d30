"""Plants faults between the CUDA runtime and the stand-in, one in each run of a training step on two ranks: each must
be found. Usage: cuda_faults.py FOLDER, that of the stand-in's libraries. The step's executable itself is right."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, find_bin_dir  # noqa: E402
from models import small_steps  # noqa: E402

# What the stand-in says of each kind, and in how many places it is planted at most: the last collective has no next.
# What runs too early reads what the other one writes at the same time, or has yet to write.
RACE = "nothing orders the two|which nothing has written"
FOUND = {"drop_wait": (RACE, 1000), "wrong_stream": (RACE, 1000),
         "swap_collectives": ("differs among the ranks of communicator", 1)}


def run_with(fault, tools, folder, standin):
    """The exit code and what is printed of one step."""
    environment = os.environ | {"LD_LIBRARY_PATH": standin, "TMPDIR": str(folder), "SHEAF_STANDIN_FAULT": fault}
    command = [tools.bin_dir / "shard-run", folder / "step.sheaf", "--data", folder / "data.npz", "--steps", "1",
               "--timeout", "60"]
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def main():
    tools = Toolchain(find_bin_dir())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "data.npz", x=np.ones((16, 3), "f"), y=np.ones(16, "f"))
        (folder / "step.mlir").write_text(small_steps.text("linear", "data=2"))
        tools.run("shard-compile", folder / "step.mlir", "--target", "cuda", "-o", folder / "step.sheaf")
        code, text = run_with("", tools, folder, sys.argv[1])
        assert code == 0 and "standin:" not in text, text
        for kind, (words, most) in FOUND.items():
            found = 0
            for number in range(1, most + 1):
                code, text = run_with(f"{kind}:{number}@1", tools, folder, sys.argv[1])
                if "standin: planted" not in text:
                    break
                assert code == 3 and re.search(words, text) and re.search("^error: .*rank [01]", text, re.M), (
                    kind, number, code, text)
                found += 1
            print(f"{kind}: found in each of {found} places")


if __name__ == "__main__":
    main()
