"""Writes the seeds of arrays_fuzz to the folder `arrays` beside this file: small files of each kind and version."""

import io
import json
import struct
from pathlib import Path

import numpy as np

GRID = np.arange(6, dtype="<f4").reshape(2, 3)


def npy(array, version=(1, 0)):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version)
    return file.getvalue()


def npz(save):
    file = io.BytesIO()
    save(file, ids=np.arange(4, dtype="<i8"), mask=np.ones(3, bool))
    return file.getvalue()


def safetensors(header, data):
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def main():
    folder = Path(__file__).with_name("arrays")
    folder.mkdir(exist_ok=True)
    tensors = {"__metadata__": {"format": "pt"},
               "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
               "b": {"dtype": "BF16", "shape": [], "data_offsets": [24, 26]}}
    seeds = {"grid.npy": npy(GRID), "scalar.npy": npy(np.array(7, "<i4"), (2, 0)),
             "flags.npy": npy(np.array([True, False]), (3, 0)), "column.npy": npy(np.asfortranarray(GRID[:, :1])),
             "stored.npz": npz(np.savez), "deflated.npz": npz(np.savez_compressed),
             "two.safetensors": safetensors(tensors, GRID.tobytes() + b"\x80\x3f"),
             "none.safetensors": safetensors({}, b"")}
    for name, data in seeds.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
