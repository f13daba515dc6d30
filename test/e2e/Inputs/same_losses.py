"""Compares the losses of two runs: same_losses.py A.jsonl B.jsonl STEPS.

They are sums of a few squares in f32 after at most a hundred updates: orders of adding differ by some units in the
last place of 2**-24, and the regression is a contraction, so 1e-5 of the loss is far from what an error would do.
"""

import json
import sys


def losses(path):
    lines = [json.loads(line) for line in open(path, encoding="utf-8")]
    return {line["step"]: line["loss"] for line in lines if "loss" in line}


a, b, count = losses(sys.argv[1]), losses(sys.argv[2]), int(sys.argv[3])
assert sorted(a) == sorted(b) == list(range(1, count + 1)), (a, b)
worst = max(abs(a[step] - b[step]) / abs(a[step]) for step in a)
assert worst < 1e-5, (a, b)
print(f"{count} losses differ by at most {worst:g}")
