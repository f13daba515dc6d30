"""Writes a program that trains every float weight of a model, on two ranks, and other values for them.

Usage: train_all.py MODEL.onnx PROGRAM.mlir WEIGHTS.safetensors. The values are half of the model's.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
import tensors as files
from onnx import numpy_helper


def main():
    model, program, output = sys.argv[1:]
    weights = {tensor.name: numpy_helper.to_array(tensor)
               for tensor in onnx.load(model).graph.initializer}
    weights = {name: value for name, value in weights.items()
               if value.dtype == np.float32 and value.size > 1}
    arguments, results, values, lines = [], [], [], []
    for i, (name, value) in enumerate(weights.items()):
        kind = "tensor<" + "".join(f"{extent}x" for extent in value.shape) + "f32>"
        axes = ", ".join(['{"data"}'] + ["{}"] * (value.ndim - 1))
        arguments.append(f'%w{i}: {kind} {{graph.parameter = "{name}", graph.kept, graph.source = '
                         f'dense<0.0> : {kind}, dist.sharding = #dist.sharding<@m, [{axes}]>}}')
        lines.append(f"  %n{i} = graph.binary add %w{i}, %w{i} : {kind}")
        results.append(f'{kind} {{graph.update = "{name}"}}')
        values.append((f"%n{i}", kind))
    names, kinds = zip(*values)
    Path(program).write_text(
        'dist.mesh @m <["data"=2]>\n'
        f"func.func @step({', '.join(arguments)}) -> ({', '.join(results)})\n"
        '    attributes {graph.program = "train_step"} {\n' + "\n".join(lines) +
        f"\n  return {', '.join(names)} : {', '.join(kinds)}\n}}\n", encoding="utf-8")
    files.write(Path(output), {name: ("F32", (value / 2).astype(np.float32))
                               for name, value in weights.items()})


if __name__ == "__main__":
    main()
