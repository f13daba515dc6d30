"""Executes every function of .mlir files before and after a pass and compares the results.

Usage: same_results.py --pass=--graph-raise FILE.mlir...

Files are those that check the form of the pass's output: what they check to the letter is here
checked for its meaning, and so is every pattern that the pass must leave alone. Arguments get the
same random values in both runs. Neither program is raised by the compiler itself.
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

_FUNCTION = re.compile(r"^func\.func @(\w+)\((.*?)\)\s*-> (.*?) \{\n(.*?)^\}", re.M | re.S)
_ARGUMENT = re.compile(r"%(\w+): tensor<([^>]*)>")
_INPUT = re.compile(r"// INPUT (\w+) = (.*)")
_RESULT = re.compile(r"tensor<[^>]*>")


def functions_of(text):
    """Name, argument types by name and text of each function, with roles as a model has them."""
    for name, arguments, results, body in _FUNCTION.findall(text):
        types = dict(_ARGUMENT.findall(arguments))
        inputs = ", ".join(f'%{argument}: tensor<{type_text}> {{graph.input = "{argument}"}}'
                           for argument, type_text in types.items())
        outputs = ", ".join(f'{result} {{graph.output = "y{index}"}}'
                            for index, result in enumerate(_RESULT.findall(results)))
        yield name, types, f"func.func @forward({inputs}) -> ({outputs}) {{\n{body}}}\n"


def results_of(text, inputs, tools, folder):
    """What the program computes as it stands."""
    folder.mkdir()
    model, program = folder / "case.mlir", folder / "case.sheaf"
    model.write_text(text, encoding="utf-8")
    tools.compile(model, program, work_dir=folder, flags=["--no-raise"])
    return tools.execute(program, inputs, folder)


def apply_pass(flag, text, tools):
    """The text after shard-opt has run the pass."""
    done = subprocess.run([tools.bin_dir / "shard-opt", flag, "-"], input=text, text=True,
                          capture_output=True, check=True, timeout=tools.timeout_s)
    return done.stdout


def check_function(name, types, text, flag, tools):
    """Returns what differs."""
    rng = np.random.default_rng(0)
    inputs = {argument: random_tensor(rng, type_text) for argument, type_text in types.items()}
    for argument, value in _INPUT.findall(text):
        inputs[argument] = np.asarray(eval(value, {"np": np}), inputs[argument].dtype)  # noqa: S307
    with tempfile.TemporaryDirectory() as work_dir:
        before = results_of(text, inputs, tools, Path(work_dir) / "before")
        after = results_of(apply_pass(flag, text, tools), inputs, tools, Path(work_dir) / "after")
    wrong = ((output, difference(after[output], want)) for output, want in before.items())
    return [f"@{name} {output}: {text}" for output, text in wrong if text]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--pass", dest="flag", required=True, help="flag of shard-opt")
    add_bin_option(parser)
    arguments = parser.parse_args()
    tools = Toolchain(find_bin_dir(arguments.bin))
    problems, num_functions = [], 0
    for file in arguments.files:
        for name, types, text in functions_of(file.read_text(encoding="utf-8")):
            problems += [f"{file.name}: {problem}"
                         for problem in check_function(name, types, text, arguments.flag, tools)]
            num_functions += 1
    print("\n".join([*problems, f"{num_functions} functions, {len(problems)} outputs differ"]))
    return 1 if problems or not num_functions else 0


if __name__ == "__main__":
    sys.exit(main())
