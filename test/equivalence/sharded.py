"""Executes every function of .mlir files on all ranks of its mesh and on one, and compares.

Usage: sharded.py [--loops] FILE.mlir...

The files are those that check what the sharding passes write: what they check to the letter is here
checked for its meaning. One part (between `// -----`) has meshes and any number of functions.
`// INPUT x = [1, 0, 3]` in a function replaces the random value of its argument `%x`. What has no program
of one device says which function of its part computes the same: `// SAME AS @plain`. With --loops functions go
through the sharding passes with their loops; without it the compiler repeats these first.
"""

import argparse
import re
import sys
from pathlib import Path

import numpy as np

from driver.tools import Toolchain, add_bin_option, find_bin_dir
from equivalence.agree import random_tensor
from equivalence.manual_form import manual_form
from equivalence.sharded_module import Failed, failure_of, unsharded_results

_MESH = re.compile(r"^dist\.mesh .*$", re.M)
_FUNCTION = re.compile(r"^func\.func .*?^\}", re.M | re.S)
_NAME = re.compile(r"func\.func @(\w+)")
_SIGNATURE = re.compile(r".*?\{$", re.M | re.S)
_ARGUMENT = re.compile(r"%(\w+): tensor<([^>]*)>")
_INPUT = re.compile(r"// INPUT (\w+) = (.*)")
_SAME_AS = re.compile(r"// SAME AS @(\w+)")


def check(meshes, function, others, tools, form):
    """Returns what goes wrong, or None; `others` are the functions of the part by name."""
    rng = np.random.default_rng(0)
    given, inputs = dict(_INPUT.findall(function)), {}
    for index, (name, type_text) in enumerate(_ARGUMENT.findall(_SIGNATURE.match(function)[0])):
        value = random_tensor(rng, type_text)
        if name in given:
            value = np.asarray(eval(given[name], {"np": np}), value.dtype)  # noqa: S307
        inputs[f"input{index}"] = value
    expected = None
    if same := _SAME_AS.search(function):
        try:
            expected = unsharded_results(f"{meshes}\n{others[same[1]]}\n", inputs, tools)
        except Failed as problem:
            return str(problem)
    return failure_of(f"{meshes}\n{function}\n", inputs, tools, expected=expected, form=form)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("files", type=Path, nargs="+")
    add_bin_option(parser)
    arguments = parser.parse_args()
    tools = Toolchain(find_bin_dir(arguments.bin))
    form = manual_form if arguments.loops else None
    num_functions = num_wrong = 0
    for file in arguments.files:
        for part in file.read_text(encoding="utf-8").split("// -----"):
            meshes = "\n".join(_MESH.findall(part))
            functions = {_NAME.match(text)[1]: text for text in _FUNCTION.findall(part)}
            for function in functions.values():
                num_functions += 1
                if problem := check(meshes, function, functions, tools, form):
                    num_wrong += 1
                    print(f"{file.name}: {problem}\n{meshes}\n{function}\n", flush=True)
    print(f"{num_functions} functions, {num_wrong} wrong")
    sys.exit(1 if num_wrong or not num_functions else 0)


if __name__ == "__main__":
    main()
