"""Makes modules of independent pieces on one mesh, runs their ranks and names the piece that fails.

Processes cost more than what they compute here, so many small cases share a module. Each is the
piece of a function with arguments and results of its own; when the module fails, every piece is
tried alone.
"""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from driver.tolerance import Tolerance, difference
from driver.tools import Crashed, Refused, RunFailed

_VALUE = re.compile(r"%(\w+)")
# How long a rank waits for another: what takes longer hangs.
_RUN_FLAGS = ("--timeout", "30")


@dataclass
class Piece:
    """Lines that compute results from arguments; names are those of this piece alone.

    Arguments and results are (name, type such as `4x8xf32`, text of the sharding or None). Each
    result has a tolerance, None for the usual one of its type. `title` tells pieces apart. `expected`
    are the results, where they are known.
    """

    title: str
    arguments: list
    body: list
    results: list
    values: list
    tolerances: list
    expected: list = None


def module_text(mesh, pieces):
    """The function of all pieces, each with its names prefixed."""
    arguments, results, body, returned = [], [], [], []
    for index, piece in enumerate(pieces):
        arguments += [f"%p{index}_{name}: {_typed(type_text, sharding)}"
                      for name, type_text, sharding in piece.arguments]
        results += [_typed(type_text, sharding) for _, type_text, sharding in piece.results]
        returned += [(f"%p{index}_{name}", f"tensor<{type_text}>")
                     for name, type_text, _ in piece.results]
        body.append(f"  // {piece.title}")
        body += ["  " + _VALUE.sub(rf"%p{index}_\1", line) for line in piece.body]
    names, types = (", ".join(column) for column in zip(*returned))
    comma = ",\n    "
    return (f"{mesh}\nfunc.func @forward({comma.join(arguments)})\n    -> ({comma.join(results)}) {{\n"
            + "\n".join(body) + f"\n  return {names} : {types}\n}}\n")


def _typed(type_text, sharding):
    return f"tensor<{type_text}>" + (f" {{dist.sharding = {sharding}}}" if sharding else "")


class Failed(Exception):
    """What goes wrong with a program; the text begins with the kind of failure."""


def unsharded_results(text, inputs, tools):
    """What the program computes on the host as one device, in order of the outputs."""
    done = subprocess.run([tools.bin_dir / "shard-opt", "--sharding-strip", "-"], input=text,
                          text=True, capture_output=True, timeout=tools.timeout_s, check=False)
    if done.returncode:
        raise Failed(f"unsharded: crash: shard-opt --sharding-strip: {done.stderr}")
    try:
        return sharded_results(done.stdout, inputs, tools.for_host())
    except Failed as problem:
        raise Failed(f"unsharded: {problem}") from None


def sharded_results(text, inputs, tools):
    """What the program computes on as many ranks as it has a mesh for."""
    with tempfile.TemporaryDirectory() as work_dir:
        folder = Path(work_dir)
        model, program = folder / "case.mlir", folder / "case.sheaf"
        model.write_text(text, encoding="utf-8")
        kind = "compile error"
        try:
            tools.compile(model, program, work_dir=folder)
            kind = "shard-run refuses what shard-compile made"
            outputs = tools.execute(program, inputs, folder, flags=_RUN_FLAGS)
        except (Refused, Crashed) as problem:
            if not isinstance(problem, Refused):
                kind = "run failed" if isinstance(problem, RunFailed) else "crash"
            raise Failed(f"{kind}: {problem}".replace(f"{folder}/", "")) from None
    return list(outputs.values())


def failure_of(text, inputs, tools, tolerances=None, expected=None, form=None):
    """What goes wrong when the program runs: one text, or None. It has to compute what is expected, or
    else what it computes unsharded. `form` makes of the text, with the tools, the one that is sharded."""
    try:
        if expected is None:
            expected = unsharded_results(text, inputs, tools)
        actual = sharded_results(form(text, tools) if form else text, inputs, tools)
    except Failed as problem:
        return str(problem)
    for index, (got, want) in enumerate(zip(actual, expected, strict=True)):
        if wrong := difference(got, want, tolerances[index] if tolerances else None):
            return f"wrong result: output{index}: {wrong}"
    return None


def _inputs_of(pieces):
    values = [value for piece in pieces for value in piece.values]
    return {f"input{index}": value for index, value in enumerate(values)}


def failure(mesh, pieces, tools, form=None):
    """What goes wrong with the module of these pieces: one text, or None."""
    expected = None
    if all(piece.expected is not None for piece in pieces):
        expected = [value for piece in pieces for value in piece.expected]
    return failure_of(module_text(mesh, pieces), _inputs_of(pieces), tools,
                      [tolerance for piece in pieces for tolerance in piece.tolerances], expected, form)


def expect_unsharded_results(mesh, pieces, tools):
    """Runs the pieces unsharded and keeps their results in them; raises Failed."""
    results = iter(unsharded_results(module_text(mesh, pieces), _inputs_of(pieces), tools))
    for piece in pieces:
        piece.expected = [next(results) for _ in piece.results]


def kind_of(problem):
    """What sort of failure a text tells: its words before the details."""
    parts = problem.split(": ")
    return parts[:2] if parts[0] in ("unsharded", "only together") else parts[:1]


def failures(mesh, pieces, tools, form=None):
    """(pieces, what goes wrong) for each piece that fails alone, or else for all that fail together."""
    together = failure(mesh, pieces, tools, form)
    if not together:
        return []
    if len(pieces) == 1:
        return [(pieces, together)]
    alone = [([piece], problem) for piece in pieces if (problem := failure(mesh, [piece], tools, form))]
    return alone or [(pieces, f"only together: {together}")]


def tolerance_of(type_text, magnitude=0.0):
    """How far apart results may be whose terms are added in another order."""
    return Tolerance(0, 1e-5, magnitude) if type_text.split("x")[-1] == "f32" else None
