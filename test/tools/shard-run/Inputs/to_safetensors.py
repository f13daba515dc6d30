"""Writes the floating-point initializers of a model as safetensors.

Usage: to_safetensors.py MODEL.onnx OUT.safetensors [--split] [--scale S] [--without NAME]
       [--extra NAME]

--split writes two files and OUT.safetensors.index.json, which lists them; --scale multiplies every
weight; --without leaves one out; --extra adds one that the model does not have.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

DTYPES = {np.dtype(np.float32): "F32", np.dtype(np.float16): "F16", np.dtype(np.float64): "F64"}


def write(path, tensors):
    """Writes one file, laid out as the format wants it: header length, header, bytes."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in tensors.items():
        raw = array.tobytes()
        header[name] = {"dtype": DTYPES[array.dtype], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--split", action="store_true")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--without")
    parser.add_argument("--extra")
    options = parser.parse_args()
    tensors = {}
    for tensor in onnx.load(options.model).graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype in DTYPES:
            tensors[tensor.name] = (array * options.scale).astype(array.dtype)
    if options.without:
        del tensors[options.without]
    if options.extra:
        tensors[options.extra] = np.ones(3, np.float32)
    names = list(tensors)
    if not options.split:
        write(options.output, tensors)
        return
    parts = {f"part{i}.safetensors": names[i::2] for i in range(2)}
    for file, part in parts.items():
        write(options.output.parent / file, {name: tensors[name] for name in part})
    index = {"weight_map": {name: file for file, part in parts.items() for name in part}}
    Path(f"{options.output}.index.json").write_text(json.dumps(index), encoding="utf-8")


if __name__ == "__main__":
    main()
