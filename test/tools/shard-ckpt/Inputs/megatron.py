"""Whole tensors of two layers and what Megatron's layout makes of them, cut with NumPy.

Usage: megatron.py write FILE.safetensors | expect DIR TP. Four groups of two query heads of three, eight
gated units; weights of layer 1 are stored as their transposes, as ONNX products have them.
"""

import sys
from pathlib import Path

import numpy as np

import tensors as files

GROUPS, HEADS, SIZE, WIDTH, UNITS = 4, 2, 3, 5, 8


def whole():
    """Tensors by name, as Megatron's modules would have them: outputs are rows."""
    random = np.random.default_rng(1)
    result = {}
    for layer in range(2):
        for name, rows, columns in [("q", GROUPS * HEADS * SIZE, WIDTH), ("k", GROUPS * SIZE, WIDTH),
                                    ("v", GROUPS * SIZE, WIDTH), ("gate", UNITS, WIDTH),
                                    ("up", UNITS, WIDTH), ("down", WIDTH, UNITS)]:
            result[f"h.{layer}.{name}"] = random.random((rows, columns), np.float32)
        result[f"h.{layer}.norm"] = random.random(WIDTH, np.float32)
    return result


def stored(tensors):
    return {name: value.T if name.startswith("h.1") else value for name, value in tensors.items()}


def of_rank(tensors, layer, rank, ranks):
    """Megatron's tensors of one layer on one rank."""
    part = {name: tensors[f"h.{layer}.{name}"] for name in
            ["q", "k", "v", "gate", "up", "down", "norm"]}
    heads = [np.concatenate([np.split(part[name], GROUPS)[group] for name in "qkv"])
             for group in range(GROUPS)]
    return {
        "qkv": np.concatenate(np.split(np.stack(heads), ranks)[rank]),
        "fc1": np.concatenate([np.split(part[name], ranks)[rank] for name in ["gate", "up"]]),
        "fc2": np.split(part["down"], ranks, axis=1)[rank],
        "norm": part["norm"],
    }


def main():
    command, path = sys.argv[1], Path(sys.argv[2])
    tensors = whole()
    if command == "write":
        files.write(path, {name: ("F32", value) for name, value in stored(tensors).items()})
        return
    ranks = int(sys.argv[3])
    for rank in range(ranks):
        found = files.read(path / f"mp_rank_{rank:02}.safetensors")
        wanted = {f"layer.{layer}.{name}": value for layer in range(2)
                  for name, value in of_rank(tensors, layer, rank, ranks).items()}
        assert set(found) == set(wanted), set(found) ^ set(wanted)
        for name, value in wanted.items():
            assert np.array_equal(found[name][1], value), (rank, name)


if __name__ == "__main__":
    main()
