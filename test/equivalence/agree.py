"""Executes a function of a .mlir file and compares it with NumPy.

Usage: agree.py FILE.mlir

The file holds functions in the graph dialect, divided by `// -----` lines. Comments of the form

    // EXPECT y = np.maximum(x @ w, 0)

say, in order, what the outputs are, in terms of the names of inputs and parameters; any other
`// LET t = ...` line names a value in between. Inputs are random, the same in every run. A
parameter whose source is `#graph.external<"NAME.bin", ..>` gets random bytes of its own.
`// INPUT i = rng.integers(0, 8, 3)` replaces the random value of an input.
"""

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np

from driver.tolerance import difference
from driver.tools import Toolchain, add_bin_option, find_bin_dir

TYPES = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
}
_ARGUMENT = re.compile(
    r'%\w+: tensor<([^>]*)> \{graph\.(input|parameter) = "(\w+)"'
    r'(?:, graph\.source = #graph\.external<"([^"]+)")?')


def random_tensor(rng, text):
    """A tensor of the type `4x8xf32`: normal floats, small integers."""
    *dims, element = text.split("x")
    shape, dtype = [int(dim) for dim in dims], np.dtype(TYPES[element])
    if dtype.kind in "iub":
        return rng.integers(0, 2 if dtype == np.bool_ else 5, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def arguments_of(text, folder):
    """The inputs and all named values of a case; writes the files of its parameters."""
    rng = np.random.default_rng(0)
    overrides = dict(re.findall(r"// INPUT (\w+) = (.*)", text))
    inputs, values = {}, {}
    for type_text, role, name, file in _ARGUMENT.findall(text):
        tensor = random_tensor(rng, type_text)
        if name in overrides:
            tensor = np.asarray(eval(overrides[name], {"np": np, "rng": rng}))  # noqa: S307
        if role == "input":
            inputs[name] = tensor
        elif file:
            (folder / file).write_bytes(tensor.tobytes())
        else:
            continue  # A constant in the text: the case says its value.
        values[name] = tensor
    return inputs, values


def memory_difference(planned, measured):
    """What was planned and what was allocated must be the same number of bytes, kind by kind."""
    pairs = {kind: (planned[kind], measured[kind]) for kind in planned}
    pairs["predicted_peak"] = (planned["peak"], measured["predicted_peak"])
    return "; ".join(f"{kind}: planned {want} bytes, allocated {got}"
                     for kind, (want, got) in pairs.items() if want != got)


def run_case(text, tools, work_dir):
    """Compiles and runs one case; returns what is wrong with its outputs."""
    folder = Path(work_dir)
    model, program = folder / "case.mlir", folder / "case.sheaf"
    inputs, values = arguments_of(text, folder)
    model.write_text(re.sub(r'#graph\.external<"', f'#graph.external<"{folder}/', text),
                     encoding="utf-8")
    planned = json.loads(tools.compile(model, program, work_dir=folder, flags=["--json"]))
    outputs = tools.execute(program, inputs, folder)
    measured = json.loads(tools.run("shard-run", program, "--random-inputs", "--json"))
    scope = {"np": np, **values}
    expected = {}
    for kind, name, formula in re.findall(r"// (LET|EXPECT) (\w+) = (.*)", text):
        scope[name] = eval(formula, scope)  # noqa: S307
        if kind == "EXPECT":
            expected[name] = np.asarray(scope[name])
    if not expected or list(expected) != list(outputs):
        return [f"expects outputs {list(expected)}, got {list(outputs)}"]
    if problem := memory_difference(planned["memory_bytes"], measured["memory_bytes"]):
        return [problem]
    wrong = ((name, difference(outputs[name], want.astype(outputs[name].dtype)))
             for name, want in expected.items())
    return [f"{name}: {text}" for name, text in wrong if text]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    add_bin_option(parser)
    arguments = parser.parse_args()
    tools = Toolchain(find_bin_dir(arguments.bin))
    num_wrong = 0
    for index, case in enumerate(arguments.file.read_text(encoding="utf-8").split("// -----")):
        with tempfile.TemporaryDirectory() as work_dir:
            for problem in run_case(case, tools, work_dir):
                print(f"case {index}: {problem}")
                num_wrong += 1
    return 1 if num_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
