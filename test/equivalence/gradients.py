"""Compares the gradients that --training-differentiate builds with finite differences.

Usage: gradients.py [--only TEXT]

Each case is one op with random inputs in f64. Its loss adds up its float results with random
weights, and is taken at four places around the inputs, along a random direction of one argument:

    (8 (L(h) - L(-h)) - (L(2h) - L(-2h))) / 12h  =  gradient . direction

With h = 2^-13 the left side is wrong by h^4 of the fifth derivative, 1e-17 of it, and by some 2^-53 / h
= 1e-12 of the terms of the loss. 1e-8 of the terms of both sides leaves room for kernels that are good to a few
units in the last place; a direction of random numbers leaves an error in any element no way to hide.

The same gradients in f32 and bf16 have to be those in f64 of the same inputs up to rounding, relative to the
largest element: f32 has other kernels, and bf16 is computed in f32 and rounded between ops only.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np

from driver.tolerance import Tolerance, difference
from driver.tools import REPO, Crashed, Refused, Toolchain, add_bin_option, find_bin_dir
from equivalence import gradient_cases
from equivalence.op_cases import CASES, OpCase, infer_result_types

_STEP = 2.0**-13
_CASES_PER_MODULE = 24
_VALUE = re.compile(r"%(\w+)")
# Sums of a few hundred terms; some eps of operands and results, of 2^-24 and 2^-8.
_NARROW = {"f32": (np.float32, Tolerance(1e-4, 2e-5)),
           "bf16": (ml_dtypes.bfloat16, Tolerance(2.0**-6, 2.0**-5))}


def is_float(type_text):
    return type_text.split("x")[-1] in ("f32", "f64")


def in_type(case, element):
    """The case with all floats of type `element`."""
    def convert(text):
        return re.sub(r"(?<![0-9a-zA-Z])((?:\d+x)*)f(?:32|64)(?=>|$)", rf"\g<1>{element}", text)
    text = re.sub(r"tensor<([^>]*)>", lambda match: f"tensor<{convert(match[1])}>", case.text)
    return OpCase(text, case.formulas, [convert(one) for one in case.argument_types],
                  [convert(one) for one in case.result_types])


def differentiable_cases():
    """All cases of floats, in f64; those in narrow types are the same op."""
    cases = [in_type(case, "f64") for case in CASES + gradient_cases.CASES
             if any(is_float(one) for one in case.argument_types)]
    for case in cases:  # An argument that is named twice is one.
        case.argument_types = list(dict(zip(case.arguments, case.argument_types)).values())
    return cases


def missing_ops():
    """Differentiable ops of the dialect that no case has."""
    defined = set()
    for file in (REPO / "dialects" / "graph" / "ops").glob("*.td"):
        text = file.read_text(encoding="utf-8")
        for name, base, mnemonic, traits in re.findall(
                r'^def Graph_(\w+)Op : (\w+)<"(\w+)"(.*?)> \{', text, re.M | re.S):
            if "Differentiable" in traits or base == "Graph_SoftmaxLikeOp":
                defined.add(mnemonic)
    return defined - {case.op for case in CASES + gradient_cases.CASES}


class Module:
    """Independent cases in one function with a loss each, and the gradients of their sum."""

    def __init__(self, cases):
        self.cases = cases
        self.inputs, self.floats, self.weights = {}, [], []
        rng = np.random.default_rng(2)
        for index, case in enumerate(cases):
            names = list(dict.fromkeys(case.arguments))
            values = dict(zip(case.arguments, case.values()))
            self.floats.append([])
            for name, type_text in zip(names, case.argument_types):
                self.inputs[f"p{index}_{name}"] = values[name]
                if is_float(type_text):
                    self.floats[index].append(f"p{index}_{name}")
            self.weights.append([])
            for result, type_text in zip(case.results, case.result_types):
                if is_float(type_text):
                    name = f"p{index}_{result}_weight"
                    dims = [int(dim) for dim in type_text.split("x")[:-1]]
                    self.inputs[name] = rng.standard_normal(dims)
                    self.weights[index].append((result, type_text, name))

    def text(self, element, tools):
        """The function, before it is differentiated."""
        arguments, body, losses = [], [], []
        converted_cases = [in_type(case, element) for case in self.cases]
        infer_result_types(tools, converted_cases)
        for index, (case, converted) in enumerate(zip(self.cases, converted_cases)):
            names = list(dict.fromkeys(case.arguments))
            for name, type_text in zip(names, converted.argument_types):
                arguments.append((f"p{index}_{name}", type_text))
            body.append(_VALUE.sub(rf"%p{index}_\1", converted.text))
            parts = []
            for result, type_text, weight in self.weights[index]:
                found = converted.result_types[case.results.index(result)]
                type_text = re.sub(r"f64$", element, type_text)
                arguments.append((weight, type_text))
                dims = list(range(type_text.count("x")))
                part = f"%p{index}_{result}"
                if found != type_text:  # A loss that is wider than what it is of.
                    body.append(f"{part}_narrow = graph.cast {part} : tensor<{found}> -> tensor<{type_text}>")
                    part += "_narrow"
                body += [f"{part}_terms = graph.binary mul {part}, %{weight} : tensor<{type_text}>",
                         f"{part}_sum = graph.reduce sum {part}_terms over {dims} : tensor<{type_text}>"]
                parts.append(f"{part}_sum")
            losses.append(self._add(body, parts, f"%loss{index}", element))
        total = self._add(body, losses, "%total", element)
        scalar = f"tensor<{element}>"
        inputs = ",\n    ".join(f'%{name}: tensor<{type_text}> {{graph.input = "{name}"}}'
                                for name, type_text in arguments)
        outputs = ", ".join(f'{scalar} {{graph.output = "{value[1:]}"}}'
                            for value in ["%total", *(f"%loss{i}" for i in range(len(losses)))])
        returned = ", ".join([total, *losses])
        types = ", ".join([scalar] * (1 + len(losses)))
        lines = "\n  ".join([*body, f"return {returned} : {types}"])
        return f"func.func @forward({inputs})\n    -> ({outputs}) {{\n  {lines}\n}}\n"

    @staticmethod
    def _add(body, values, name, element):
        """Adds up scalars; returns the sum."""
        total = values[0]
        for index, value in enumerate(values[1:]):
            body.append(f"{name}_{index} = graph.binary add {total}, {value} : tensor<{element}>")
            total = f"{name}_{index}"
        return total

    def compile(self, element, tools, folder):
        """Differentiates and compiles; returns the path of the program."""
        wanted = ",".join(name for names in self.floats for name in names)
        flag = f"--training-differentiate=output=total arguments={wanted}"
        done = subprocess.run([tools.bin_dir / "shard-opt", flag, "-"], input=self.text(element, tools),
                              text=True, capture_output=True, timeout=tools.timeout_s, check=False)
        if done.returncode:
            raise Refused(done.stderr)
        model, program = folder / f"{element}.mlir", folder / f"{element}.sheaf"
        model.write_text(done.stdout, encoding="utf-8")
        tools.compile(model, program, work_dir=folder, flags=["--no-raise"])
        return program

    def run(self, program, tools, folder, moved=(), element=np.float64):
        """The outputs by name, with some of the inputs replaced."""
        inputs = {name: value.astype(element) if value.dtype == np.float64 else value
                  for name, value in {**self.inputs, **dict(moved)}.items()}
        return tools.execute(program, inputs, folder)


def check_differences(module, program, tools, folder):
    """Yields (case, what is wrong) for each argument of each case."""
    base = module.run(program, tools, folder)
    rng = np.random.default_rng(1)
    for slot in range(max(map(len, module.floats))):
        direction = {names[slot]: rng.standard_normal(module.inputs[names[slot]].shape)
                     for names in module.floats if slot < len(names)}
        at = {}
        for steps in (-2, -1, 1, 2):
            moved = {name: module.inputs[name] + steps * _STEP * vector
                     for name, vector in direction.items()}
            at[steps] = module.run(program, tools, folder, moved)
        for index, names in enumerate(module.floats):
            if slot >= len(names) or not module.inputs[names[slot]].size:
                continue  # The loss of no elements may be infinite: max of nothing.
            loss = {steps: float(outputs[f"loss{index}"]) for steps, outputs in at.items()}
            slope = (8 * (loss[1] - loss[-1]) - (loss[2] - loss[-2])) / (12 * _STEP)
            terms = base[f"{names[slot]}.grad"] * direction[names[slot]]
            scale = np.abs(terms).sum() + abs(float(base[f"loss{index}"])) + 1
            if not abs(terms.sum() - slope) <= 1e-8 * scale:
                yield index, f"%{names[slot]}: the slope is {slope:.12g}, by the gradient {terms.sum():.12g}"


def check_narrow(module, element, wide, tools, folder):
    """Yields (case, what is wrong) for each gradient that is not the one in f64."""
    dtype, tolerance = _NARROW[element]
    program = module.compile(element, tools, folder)
    rounded = {name: value.astype(dtype).astype(np.float64)
               for name, value in module.inputs.items() if value.dtype == np.float64}
    expected = module.run(wide, tools, folder, rounded)
    outputs = module.run(program, tools, folder, rounded, dtype)
    for index, names in enumerate(module.floats):
        for name in names:
            want = expected[f"{name}.grad"].astype(dtype)
            if wrong := difference(outputs[f"{name}.grad"], want, tolerance):
                yield index, f"%{name} in {element}: {wrong}"


def check(cases, tools):
    """[text of what is wrong]; a module that fails as a whole is tried case by case."""
    module = Module(cases)
    with tempfile.TemporaryDirectory() as work_dir:
        folder = Path(work_dir)
        try:
            program = module.compile("f64", tools, folder)
            wrong = list(check_differences(module, program, tools, folder))
            for element in _NARROW:
                wrong += check_narrow(module, element, program, tools, folder)
        except (Refused, Crashed) as problem:
            if len(cases) == 1:
                return [f"{problem}\n{cases[0].text}"]
            half = len(cases) // 2
            return check(cases[:half], tools) + check(cases[half:], tools)
    return [f"{cases[index].text}\n  {text}" for index, text in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="only ops whose text holds this")
    add_bin_option(parser)
    arguments = parser.parse_args()
    tools = Toolchain(find_bin_dir(arguments.bin))
    if missing := missing_ops():
        print(f"no case of {', '.join(sorted(missing))}")
        sys.exit(1)
    cases = [case for case in differentiable_cases() if arguments.only in case.text]
    infer_result_types(tools, cases)
    cases = [case for case in cases if any(map(is_float, case.result_types))]
    problems = []
    for first in range(0, len(cases), _CASES_PER_MODULE):
        problems += check(cases[first:first + _CASES_PER_MODULE], tools)
    print("\n".join([*problems, f"{len(cases)} cases, {len(problems)} gradients are wrong"]))
    sys.exit(1 if problems or not cases else 0)


if __name__ == "__main__":
    main()
