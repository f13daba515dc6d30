"""Runs shard-run on damaged copies of an executable: each must end with exit code 1 and one error.

Usage: damage.py MODEL.sheaf FLAG...; with these flags the executable itself runs
"""

import random
import subprocess
import sys
from pathlib import Path

original = Path(sys.argv[1]).read_bytes()
flags = sys.argv[2:]
subprocess.run(["shard-run", sys.argv[1], *flags], check=True, timeout=60)
rng = random.Random(7)
cases = {f"cut to {size} bytes": original[:size]
         for size in [0, 1, 7, 8, 63, *(rng.randrange(len(original)) for _ in range(25))]}
for _ in range(30):
    at = rng.randrange(len(original))
    flipped = bytearray(original)
    flipped[at] ^= 1 << rng.randrange(8)
    cases[f"byte {at} is {flipped[at]}"] = bytes(flipped)
cases["twice"] = original + original

num_wrong = 0
damaged = Path("damaged.sheaf")
for what, content in cases.items():
    damaged.write_bytes(content)
    done = subprocess.run(["shard-run", damaged, *flags], capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode != 1 or done.stdout or done.stderr.count("error:") != 1:
        print(f"{what}: exit {done.returncode}: {done.stdout}{done.stderr}")
        num_wrong += 1
print(f"{len(cases)} damaged, {num_wrong} not refused")
sys.exit(1 if num_wrong else 0)
