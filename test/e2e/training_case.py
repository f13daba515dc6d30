"""A case of training: a small model, given samples, and everything that a few steps made of it."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

_DTYPES = {"F32": np.float32, "F64": np.float64, "I64": np.int64, "I32": np.int32}


def _values(data, dtype):
    if dtype == "BF16":  # the upper halves of f32
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(data, _DTYPES[dtype])


def _header(data):
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    return {name: entry for name, entry in header.items() if name != "__metadata__"}, data[8 + length:]


def read_safetensors(path):
    """The tensors by name; of bf16 as f32."""
    header, body = _header(Path(path).read_bytes())
    return {name: _values(body[slice(*entry["data_offsets"])], entry["dtype"]).reshape(entry["shape"])
            for name, entry in header.items()}


def read_types(path):
    """The element types by name."""
    return {name: entry["dtype"] for name, entry in _header(Path(path).read_bytes())[0].items()}


@dataclass
class Outcome:
    """What the steps told, the variables behind the last and their types, the compiler's report, and stderr."""

    steps: list
    variables: dict
    types: dict
    compiled: dict
    warnings: str


class Case:
    """A model, as a graph builder or as text of the graph dialect, and samples to train it on in their order."""

    def __init__(self, tools, folder, model, feed, inputs):
        """`inputs` are those of `feed` that the model has; the loss brings others."""
        self.tools, self.feed = tools, feed
        self.folder = folder = Path(tempfile.mkdtemp(dir=folder))
        self.inputs = inputs if not isinstance(model, str) else []
        self.model = folder / ("model.mlir" if isinstance(model, str) else "model.onnx")
        if isinstance(model, str):
            self.model.write_text(model)
        else:
            model.save(self.model)
        np.savez(folder / "data.npz", **feed)
        self.number_of_runs = 0

    def run(self, *flags, micro_batches=1, steps=1):
        """Trains `steps` steps that share the samples evenly; replicas of variables must be equal, bit for bit."""
        self.number_of_runs += 1
        shapes = {name: (len(self.feed[name]) // (micro_batches * steps), *self.feed[name].shape[1:])
                  for name in self.inputs}
        program = self.folder / "step.sheaf"
        compiled = json.loads(self.tools.compile(self.model, program, shapes, flags=[
            "--train", "--micro-batches", str(micro_batches), *map(str, flags), "--json"]))
        checkpoints = self.folder / f"ckpt{self.number_of_runs}"
        metrics, whole = self.folder / "m.jsonl", self.folder / "whole.safetensors"
        self.tools.run("shard-run", program, "--data", self.folder / "data.npz", "--steps", str(steps),
                       "--no-shuffle", "--check-replicas", "--checkpoint", checkpoints, "--metrics", metrics)
        warnings = self.tools.told
        self.tools.run("shard-ckpt", "merge", checkpoints, "-o", whole)
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return Outcome(lines, read_safetensors(whole), read_types(whole), compiled, warnings)


def expect(what, found, wanted, bound=1e-5):
    """Fails where numbers differ by more than `bound` of the largest."""
    found, wanted = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    if found.shape != wanted.shape:
        raise AssertionError(f"{what}: shape {found.shape}, expected {wanted.shape}")
    error = np.max(np.abs(found - wanted), initial=0) / max(np.max(np.abs(wanted), initial=0), 1e-30)
    if not error <= bound:
        worst = np.unravel_index(np.argmax(np.abs(found - wanted)), found.shape)
        raise AssertionError(f"{what}: {found[worst]} at {worst}, expected {wanted[worst]}: {error:.1e}")
