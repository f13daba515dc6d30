"""Writes samples of a regression: regression.py FILE.npz."""

import sys

import numpy as np

rng = np.random.default_rng(7)
x = rng.standard_normal((64, 3), dtype=np.float32)
y = x @ np.array([0.5, -2, 1], np.float32) + 0.1 * rng.standard_normal(64, dtype=np.float32)
np.savez(sys.argv[1], x=x, y=y)
