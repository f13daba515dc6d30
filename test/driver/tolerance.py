"""Decides whether a result equals its reference, with a tolerance argued per element type.

Integers, booleans and fp8/fp4 must be equal: nothing rounds, or both sides round the same exact
value once. Floats may differ by

    rtol * |reference|  +  atol * (largest finite |reference|)

where the second term pays for cancellation: a sum of n terms of size M carries an error of about
eps * sqrt(n) * M however small the sum itself is. Where all results may cancel and the terms are
known to be of size M, `magnitude` = M is the least that counts as largest.

- float64: references are computed in double by the same formulas; 1e-7 leaves room for a
  different order of summation and for vector math functions of 1-2 ulp.
- float32: rtol 1e-3 is the bound ONNX's own runner uses; 2e-6 = 32 eps of the largest element.
- float16: eps is 2^-10; NumPy references round after every step, ours once per fused kernel, so
  a chain of a few steps differs by a few eps: 2^-8 of the element, 2^-9 of the largest.
- bfloat16: the same argument with eps 2^-7, rtol two ulp (2^-6), 2^-7 of the largest.
"""

from dataclasses import dataclass

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Tolerance:
    rtol: float
    atol: float
    magnitude: float = 0.0


_BY_TYPE = {
    np.dtype(np.float64): Tolerance(1e-7, 1e-12),
    np.dtype(np.complex128): Tolerance(1e-7, 1e-12),
    np.dtype(np.float32): Tolerance(1e-3, 2e-6),
    np.dtype(np.complex64): Tolerance(1e-3, 2e-6),
    np.dtype(np.float16): Tolerance(2.0**-8, 2.0**-9),
    np.dtype(ml_dtypes.bfloat16): Tolerance(2.0**-6, 2.0**-7),
}


def difference(actual, expected, tolerance=None):
    """None when `actual` equals `expected`, else one line that says where and by how much."""
    if actual.dtype != expected.dtype:
        return f"element type is {actual.dtype}, expected {expected.dtype}"
    if actual.shape != expected.shape:
        return f"shape is {list(actual.shape)}, expected {list(expected.shape)}"
    if expected.size == 0:
        return None
    tolerance = tolerance or _BY_TYPE.get(expected.dtype, Tolerance(0, 0))
    wide = np.complex128 if np.iscomplexobj(expected) else np.float64
    if expected.dtype.kind in "iub":
        bad = np.asarray(actual != expected)
        error = bad.astype(np.float64)
    else:
        got, want = actual.astype(wide), expected.astype(wide)
        finite = np.isfinite(want)
        largest = np.abs(want[finite]).max(initial=tolerance.magnitude)
        with np.errstate(invalid="ignore"):
            error = np.abs(got - want)
            bad = np.where(finite, ~(error <= tolerance.rtol * np.abs(want)
                                     + tolerance.atol * largest),
                           ~((got == want) | (np.isnan(got) & np.isnan(want))))
    if not bad.any():
        return None
    error = np.where(bad, np.nan_to_num(error, nan=np.inf), -1)
    worst = np.unravel_index(int(np.argmax(error)), expected.shape)
    return (f"{int(bad.sum())} of {bad.size} elements differ; worst at {[int(i) for i in worst]}: "
            f"{actual[worst]}, expected {expected[worst]}")


def relative_error(actual, expected):
    """max|actual - expected| / max|expected|: the measure of the end-to-end tests."""
    scale = float(np.abs(expected).max(initial=0.0))
    error = float(np.abs(actual.astype(np.float64) - expected.astype(np.float64)).max(initial=0.0))
    return error / scale if scale else error
