"""Writes a safetensors file of small tensors, or compares one with them.

Usage: tensors.py write|expect FILE NAME=DTYPE:SHAPE:FIRST... where values count up from FIRST, as
`w=F32:5x3:0`; SHAPE is empty for a scalar, and DTYPE is F32, F64 or I64.
"""

import json
import sys
from pathlib import Path

import numpy as np

TYPES = {"F32": np.float32, "F64": np.float64, "I64": np.int64}


def parse(argument):
    """Name, dtype and value of an argument."""
    name, description = argument.split("=")
    dtype, shape, first = description.split(":")
    dims = [int(extent) for extent in shape.split("x") if extent]
    count = int(np.prod(dims, dtype=np.int64))
    return name, dtype, (np.arange(count) + float(first)).astype(TYPES[dtype]).reshape(dims)


def read(path):
    """Tensors of a file by name, as (dtype, array)."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    data = content[8 + length:]
    tensors = {}
    for name, entry in json.loads(content[8:8 + length]).items():
        begin, end = entry["data_offsets"]
        array = np.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
        tensors[name] = entry["dtype"], array
    return tensors


def write(path, tensors):
    """Writes tensors, by name as (dtype, array)."""
    header, data = {}, b""
    for name, (dtype, value) in tensors.items():
        raw = value.tobytes()
        header[name] = {"dtype": dtype, "shape": list(value.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def main():
    command, path = sys.argv[1], Path(sys.argv[2])
    wanted = {name: (dtype, value) for name, dtype, value in map(parse, sys.argv[3:])}
    if command == "write":
        write(path, wanted)
        return
    found = read(path)
    assert list(found) == list(wanted), list(found)
    for name, (dtype, value) in wanted.items():
        assert found[name][0] == dtype and np.array_equal(found[name][1], value), found[name]


if __name__ == "__main__":
    main()
