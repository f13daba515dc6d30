"""Reads and writes tensors the way shard-run does: `.npy`, with raw integers for types NumPy lacks.

bfloat16 is stored as `<u2`, every fp8 type as `|u1`, and narrower types as one element per
byte (`|i1` or `|u1`). `outputs.json` names the true element type of every output.
"""

import json
from pathlib import Path

import ml_dtypes
import numpy as np

# Element type name in outputs.json -> NumPy (ml_dtypes) type.
_EXTENDED = {
    "bfloat16": ml_dtypes.bfloat16,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float8e8m0": ml_dtypes.float8_e8m0fnu,
    "float6e2m3": ml_dtypes.float6_e2m3fn,
    "float6e3m2": ml_dtypes.float6_e3m2fn,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
    "int2": ml_dtypes.int2,
    "uint2": ml_dtypes.uint2,
}
_NAME_OF = {np.dtype(dtype): name for name, dtype in _EXTENDED.items()}
_SMALL_INTEGERS = {"int4": np.int8, "int2": np.int8, "uint4": np.uint8, "uint2": np.uint8}


def dtype_name(array):
    """The element type's name as outputs.json spells it: `float32`, `bfloat16`, `int4`, ..."""
    return _NAME_OF.get(array.dtype, array.dtype.name)


def write_tensor(path, array):
    """Writes one tensor; the inverse of `read_tensor` given the same element type name."""
    array = np.asarray(array)
    name = dtype_name(array)
    if name in _SMALL_INTEGERS:
        array = array.astype(_SMALL_INTEGERS[name])
    elif name in _EXTENDED:
        array = array.view(np.uint16 if array.dtype.itemsize == 2 else np.uint8)
    # order='C' also for 0-d arrays, which ascontiguousarray would turn into 1-d ones.
    np.save(path, np.asarray(array, order="C"))


def read_tensor(path, name):
    """Reads a tensor whose element type is `name`, e.g. `float32` or `bfloat16`."""
    array = np.load(path, allow_pickle=False)
    if name in _SMALL_INTEGERS:
        return array.astype(_EXTENDED[name])
    if name in _EXTENDED:
        return array.view(_EXTENDED[name])
    if array.dtype != np.dtype(name):
        raise ValueError(f"{path}: outputs.json says {name}, the file holds {array.dtype}")
    return array


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
