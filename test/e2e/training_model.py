"""A model of test/models with data to train on; compiles and trains it in any layout."""

import json
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import onnx

from models.make import family

STEPS_OF_DATA = 5  # so that epochs end on the way


@dataclass(frozen=True)
class Curve:
    """What a run told: of the compiler, of the end, and of each step."""

    compiled: dict
    report: dict
    steps: list

    def values(self, name):
        return np.array([step[name] for step in self.steps])


def _targets(model, loss, samples, extents, random):
    """Labels or numbers that the loss compares an output with, if it needs some that are no input."""
    kind, names = loss.split(":")
    output, _, target = names.partition(",")
    if kind not in ("cross_entropy", "mse"):
        return {}
    value = next(value for value in model.graph.output if value.name == output)
    symbols = {"batch": samples, "sequence": extents[-1]}
    shape = [symbols.get(dim.dim_param, dim.dim_value) for dim in value.type.tensor_type.shape.dim]
    if kind == "mse":
        return {target: random.standard_normal(shape, np.float32)}
    return {target: random.integers(0, shape[-1], shape[:-1])}


@dataclass
class TrainingModel:
    """The files of one model in `work`, and the flags that all of its layouts share.

    `extents` are those of a micro-batch: samples, and perhaps tokens.
    """

    tools: object
    work: Path
    family: str
    loss: str
    extents: tuple
    micro_batches: int = 1
    size: str = "tiny"
    opset: int = 17
    flags: tuple = ("--clip-norm", "1.0", "--weight-decay", "0.01")
    frozen: tuple = ()  # patterns
    parameters: dict = field(default_factory=dict)  # shapes by name, of those that are trained

    def __post_init__(self):
        module = family(self.family)
        config = module.SIZES[self.size]
        self.path, self.data = self.work / "model.onnx", self.work / "data.npz"
        module.build(config, self.opset).save(self.path, False)
        self.shapes = {name: array.shape for name, array in
                       module.inputs(config, np.random.default_rng(1), *self.extents).items()}
        random = np.random.default_rng(2)
        samples = self.extents[0] * self.micro_batches * STEPS_OF_DATA
        feed = module.inputs(config, random, samples, *self.extents[1:])
        model = onnx.load(self.path)
        np.savez(self.data, **feed, **_targets(model, self.loss, samples, self.extents, random))
        # What has one element is part of the program; `val_N` are literals of opset 18 and later.
        self.parameters = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer
                           if tensor.data_type == onnx.TensorProto.FLOAT and np.prod(tensor.dims) != 1
                           and not any(fnmatchcase(tensor.name, pattern) for pattern in self.frozen)}

    def compile(self, name, *flags):
        """The program, and what the compiler tells of it."""
        program = self.work / f"{name}.sheaf"
        text = self.tools.compile(self.path, program, self.shapes, flags=[
            "--train", "--loss", self.loss, "--micro-batches", str(self.micro_batches), *self.flags,
            *(["--freeze", ",".join(self.frozen)] if self.frozen else []), *flags, "--json"])
        return program, json.loads(text)

    def train(self, name, flags=(), steps=50, more=(), launcher=()):
        """Compiles and trains; `more` are flags of shard-run."""
        program, compiled = self.compile(name, *flags)
        return self.run(name, program, compiled, steps, more, launcher)

    def run(self, name, program, compiled, steps, more=(), launcher=()):
        metrics = self.work / f"{name}.jsonl"
        text = self.tools.run("shard-run", program, "--data", self.data, "--steps", str(steps), "--metrics",
                              metrics, "--json", *more, launcher=launcher)
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return Curve(compiled, json.loads(text), lines)
