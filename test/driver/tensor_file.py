"""Reads and writes tensors the way shard-run does: `.npy`, with raw integers for types NumPy lacks.

bfloat16 is stored as `<u2`, every fp8 type as `|u1`, and narrower types as one element per
byte (`|i1` or `|u1`). `outputs.json` names the true element type of every output.
"""

import json
from pathlib import Path

import ml_dtypes
import numpy as np

# Element type name in outputs.json (the runtime's) -> NumPy or ml_dtypes type.
_TYPES = {name: np.dtype(dtype) for name, dtype in {
    "boolean": np.bool_,
    "i2": ml_dtypes.int2, "i4": ml_dtypes.int4, "i8": np.int8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64,
    "ui2": ml_dtypes.uint2, "ui4": ml_dtypes.uint4, "ui8": np.uint8, "ui16": np.uint16,
    "ui32": np.uint32, "ui64": np.uint64,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
}.items()}
# Types that files hold as another: small integers by value, the others by their bits.
_BY_VALUE = {np.dtype(ml_dtypes.int2): np.int8, np.dtype(ml_dtypes.int4): np.int8,
             np.dtype(ml_dtypes.uint2): np.uint8, np.dtype(ml_dtypes.uint4): np.uint8}
_BY_BITS = {dtype: np.uint16 if dtype.itemsize == 2 else np.uint8
            for name, dtype in _TYPES.items() if name == "bf16" or name[:2] in ("f4", "f8")}


def write_tensor(path, array):
    """Writes one tensor in the form that `--input` and `--constant` take."""
    array = np.asarray(array, order="C")  # unlike ascontiguousarray, keeps 0-d arrays 0-d
    if array.dtype in _BY_VALUE:
        array = array.astype(_BY_VALUE[array.dtype])
    elif array.dtype in _BY_BITS:
        array = array.view(_BY_BITS[array.dtype])
    np.save(path, array)


def read_tensor(path, name):
    """Reads a tensor whose element type is `name`, as outputs.json spells it: `f32`, `bf16`."""
    if name not in _TYPES:
        raise ValueError(f"{path}: outputs.json has the unknown element type {name!r}")
    array, dtype = np.load(path, allow_pickle=False), _TYPES[name]
    stored = np.dtype(_BY_VALUE.get(dtype) or _BY_BITS.get(dtype) or dtype)
    if array.dtype != stored:
        raise ValueError(f"{path}: outputs.json says {name}, stored as {stored}, but the file "
                         f"holds {array.dtype}")
    return array.view(dtype) if dtype in _BY_BITS else array.astype(dtype, copy=False)


def read_outputs(directory):
    """All outputs in an `--output-dir`, by output name, in the program's order."""
    directory = Path(directory)
    index = json.loads((directory / "outputs.json").read_text(encoding="utf-8"))
    outputs = {}
    for name, entry in index.items():
        array = read_tensor(directory / entry["file"], entry["dtype"])
        if list(array.shape) != entry["shape"]:
            raise ValueError(f"output {name!r}: outputs.json says {entry['shape']}, "
                             f"the file holds {list(array.shape)}")
        outputs[name] = array
    return outputs
