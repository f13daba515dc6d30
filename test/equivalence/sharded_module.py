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
    result has a tolerance, None for the usual one of its type. `title` tells pieces apart.
    """

    title: str
    arguments: list
    body: list
    results: list
    values: list
    tolerances: list


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


def stripped(text, tools):
    """The program of one device."""
    done = subprocess.run([tools.bin_dir / "shard-opt", "--sharding-strip", "-"], input=text,
                          text=True, capture_output=True, timeout=tools.timeout_s, check=False)
    if done.returncode:
        raise Crashed(f"shard-opt --sharding-strip: {done.stderr}")
    return done.stdout


def results_of(text, inputs, tools, folder):
    """What the program computes, on as many ranks as it has a mesh for."""
    folder.mkdir()
    model, program = folder / "case.mlir", folder / "case.sheaf"
    model.write_text(text, encoding="utf-8")
    tools.compile(model, program, work_dir=folder)
    return tools.execute(program, inputs, folder, flags=_RUN_FLAGS)


def failure(mesh, pieces, tools):
    """What goes wrong with the module of these pieces: one text, or None."""
    text = module_text(mesh, pieces)
    inputs = {f"input{index}": value for index, value in
              enumerate(value for piece in pieces for value in piece.values)}
    with tempfile.TemporaryDirectory() as work_dir:
        folder = Path(work_dir)
        try:
            whole = results_of(stripped(text, tools), inputs, tools, folder / "whole")
        except (Refused, Crashed) as problem:
            return f"unsharded: {_told(problem, folder)}"
        try:
            sharded = results_of(text, inputs, tools, folder / "sharded")
        except (Refused, Crashed) as problem:
            return _told(problem, folder)
    tolerances = [tolerance for piece in pieces for tolerance in piece.tolerances]
    for index, tolerance in enumerate(tolerances):
        name = f"output{index}"
        if wrong := difference(sharded[name], whole[name], tolerance):
            return f"wrong result: {name}: {wrong}"
    return None


def _told(problem, folder):
    kinds = {Refused: "compile error", RunFailed: "run failed"}
    kind = kinds.get(type(problem), "no end" if "no end within" in str(problem) else "crash")
    return f"{kind}: {problem}".replace(f"{folder}/", "")


def failures(mesh, pieces, tools):
    """(pieces, what goes wrong) for each piece that fails alone, or else for all that fail together."""
    together = failure(mesh, pieces, tools)
    if not together:
        return []
    if len(pieces) == 1:
        return [(pieces, together)]
    alone = [([piece], problem) for piece in pieces if (problem := failure(mesh, [piece], tools))]
    return alone or [(pieces, f"only together: {together}")]


def tolerance_of(type_text, magnitude=0.0):
    """How far apart results may be whose terms are added in another order."""
    return Tolerance(0, 1e-5, magnitude) if type_text.split("x")[-1] == "f32" else None
