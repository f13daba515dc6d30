"""Training programs with parameters and states as inputs and outputs, for tests to see and set them.

`--training-build-step` says on arguments what are parameters and states, and on results what they become. Here these
are renamed: the new value of `w` is the output `new w`. Everything else is compiled as it would be.
"""

import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from driver.tools import Refused

_ROLE = re.compile(r'(?:graph\.kept, )?graph\.(?:parameter|state) = ("[^"]*")(?:, graph\.state_of = "[^"]*")?')
_SOURCE = re.compile(r'(, )?graph\.source = dense<[^>]*> : tensor<[^>]*>(?(1)|, )')
_STATE = re.compile(r'tensor<([^>]*)> \{(?:dist\.sharding = [^{}]*(?:\{[^{}]*\}[^{}]*)*, )?graph\.input = "([^"]*)"')


def _shard_opt(tools, text, *flags):
    done = subprocess.run([tools.bin_dir / "shard-opt", *flags, "-"], input=text, text=True,
                          capture_output=True, timeout=tools.timeout_s, check=False)
    if done.returncode:
        raise Refused(done.stderr)
    return done.stdout


def _opened(module, program):
    """The function of a program, its variables as inputs and outputs."""
    head, signature, body = re.search(
        rf"(.*?)( *func\.func @{program}\(.*?\{{\n)(.*?\n  \}}\n)", module, re.S).groups()
    signature = _ROLE.sub(r"graph.input = \1", _SOURCE.sub("", signature))
    signature = re.sub(r'graph\.update = "', 'graph.output = "new ', signature)
    signature = re.sub(r'graph\.micro_batches = \d+ : i64, graph\.program = "[^"]*"',
                       'graph.program = "forward"', signature)
    signature = re.sub(r", graph\.padding = -?\d+ : i64", "", signature)
    meshes = "".join(re.findall(r"^ *dist\.mesh .*\n", head, re.M))
    return meshes + signature + body


class OpenStep:
    """The programs `train_step` and `eval` of a model, given as text.

    `values` are those of parameters, by name; states begin at zero. `layout` is a mesh and how to store on it.
    """

    def __init__(self, tools, text, options, values, layout=None):
        self.tools, self.values = tools, dict(values)
        place, store = (), "--sharding-store"
        if layout:
            place = (f"--sharding-set-mesh=axes={layout[0]}", f"--sharding-strategy=strategy={layout[1]}",
                     "--sharding-propagate")
            store += f"=layout={layout[1]}"
        self.module = _shard_opt(tools, text, *place, f"--training-build-step={options}", store)
        for type_text, name in _STATE.findall(_opened(self.module, "train_step")):
            if name not in self.values and ("." in name):
                *dims, element = type_text.split("x")
                self.values[name] = np.zeros([int(dim) for dim in dims],
                                             np.int64 if element == "i64" else np.float64)

    def run(self, program, data):
        """The outputs of a program, once; what it updates has its new value from then on."""
        text = _opened(self.module, program)
        with tempfile.TemporaryDirectory() as folder:
            model, executable = Path(folder) / "step.mlir", Path(folder) / "step.sheaf"
            model.write_text(text, encoding="utf-8")
            self.tools.compile(model, executable, work_dir=folder)
            inputs = {}
            for type_text, name in _STATE.findall(text):
                value = data[name] if name in data else self.values[name]
                dtype = {"f32": np.float32, "f64": np.float64, "i64": np.int64}[type_text.split("x")[-1]]
                inputs[name] = value.astype(dtype)
            outputs = self.tools.execute(executable, inputs, folder)
        for name, value in outputs.items():
            if name.startswith("new "):
                self.values[name.removeprefix("new ")] = value
        return outputs
