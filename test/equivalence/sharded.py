"""Executes every function of .mlir files on all ranks of its mesh and on one, and compares.

Usage: sharded.py FILE.mlir...

The files are those that check what the sharding passes write: what they check to the letter is here
checked for its meaning. One part (between `// -----`) has one mesh and any number of functions.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from driver.tolerance import difference
from driver.tools import Toolchain, add_bin_option, find_bin_dir
from equivalence.agree import random_tensor

_MESH = re.compile(r"^dist\.mesh .*$", re.M)
_FUNCTION = re.compile(r"^func\.func @(\w+)\(.*?^\}", re.M | re.S)
_ARGUMENT = re.compile(r"%(\w+): tensor<([^>]*)>")
_INPUT = re.compile(r"// INPUT (\w+) = (.*)")


def run_pass(flag, text, tools):
    """The text after shard-opt has run the pass."""
    done = subprocess.run([tools.bin_dir / "shard-opt", flag, "-"], input=text, text=True,
                          capture_output=True, timeout=tools.timeout_s, check=False)
    if done.returncode:
        raise RuntimeError(f"shard-opt {flag}: {done.stderr}\n{text}")
    return done.stdout


def results_of(text, inputs, tools, folder):
    """What the program computes, on as many ranks as it has a mesh for."""
    folder.mkdir()
    model, program = folder / "case.mlir", folder / "case.sheaf"
    model.write_text(text, encoding="utf-8")
    tools.compile(model, program, work_dir=folder)
    return tools.execute(program, inputs, folder)


def check(meshes, function, tools):
    """Returns what differs."""
    rng = np.random.default_rng(0)
    text = meshes + "\n" + function[0] + "\n"
    given = dict(_INPUT.findall(function[0]))
    inputs = {}
    for index, (name, type_text) in enumerate(_ARGUMENT.findall(text.split(") ->")[0])):
        value = random_tensor(rng, type_text)
        if name in given:
            value = np.asarray(eval(given[name], {"np": np}), value.dtype)  # noqa: S307
        inputs[f"input{index}"] = value
    with tempfile.TemporaryDirectory() as work_dir:
        whole = results_of(run_pass("--sharding-strip", text, tools), inputs, tools,
                           Path(work_dir) / "whole")
        sharded = results_of(text, inputs, tools, Path(work_dir) / "sharded")
    wrong = ((output, difference(sharded[output], want)) for output, want in whole.items())
    return [f"@{function[1]} {output}: {text}" for output, text in wrong if text]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    add_bin_option(parser)
    arguments = parser.parse_args()
    tools = Toolchain(find_bin_dir(arguments.bin))
    problems, num_functions = [], 0
    for file in arguments.files:
        for part in file.read_text(encoding="utf-8").split("// -----"):
            meshes = "\n".join(_MESH.findall(part))
            for function in _FUNCTION.finditer(part):
                num_functions += 1
                problems += [f"{file.name}: {problem}"
                             for problem in check(meshes, function, tools)]
    print("\n".join(problems + [f"{num_functions} functions, {len(problems)} differ"]))
    sys.exit(1 if problems or not num_functions else 0)


if __name__ == "__main__":
    main()
