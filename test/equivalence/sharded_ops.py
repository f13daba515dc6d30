"""Shards the operands and results of every op in turn, in pairs and against each other, and compares.

Usage: sharded_ops.py [--pairs N | --all] [--only TEXT]

- alone: one dim of one operand or result is cut by an axis of 2 or 3 ranks; what the op does with
  its other tensors is up to propagation;
- pairs: two dims, of one tensor or of two, are cut by two axes of a mesh of 2x2 or 3x2 ranks;
- clashes: dims of two tensors want the same axis of 2 or 3 ranks;
- parts: an operand comes as a sum, maximum or minimum that 2 ranks still have to combine.

Pairs and clashes are many: a random `--pairs` of them are tried, the same in every run.
"""

import argparse
import itertools
import random
import re
import sys
from collections import defaultdict

import numpy as np

from driver.tools import REPO, Toolchain, add_bin_option, find_bin_dir
from equivalence.op_cases import CASES, infer_result_types
from equivalence.sharded_module import (Failed, Piece, expect_unsharded_results, failures,
                                        module_text, tolerance_of)

_MESHES = {
    "2": 'dist.mesh @m <["a"=2]>',
    "3": 'dist.mesh @m <["a"=3]>',
    "2x2": 'dist.mesh @m <["a"=2, "b"=2]>',
    "3x2": 'dist.mesh @m <["a"=3, "b"=2]>',
}
_PIECES_PER_MODULE = 24
# Ops that hold others are not cases.
_STRUCTURE = {"yield", "loop", "cluster"}


def missing_ops():
    """Ops of the dialect that no case has."""
    defined = set()
    for file in (REPO / "dialects" / "graph" / "ops").glob("*.td"):
        defined |= set(re.findall(r'^def Graph_\w+Op : \w+<"(\w+)"',
                                  file.read_text(encoding="utf-8"), re.M))
    return defined - _STRUCTURE - {case.op for case in CASES}


def sharding_text(rank, cuts, is_open):
    """The sharding whose dims are cut by the axes in `cuts`, {dim: [axis]}."""
    rest = ["?"] if is_open else []
    dims = (", ".join([f'"{axis}"' for axis in cuts.get(dim, [])] + rest) for dim in range(rank))
    return f"#dist.sharding<@m, [{', '.join(f'{{{dim}}}' for dim in dims)}]>"


def variant(case, cuts, is_open, expected=None):
    """The case with axes on dims: `cuts` are ((tensor, dim), axis)."""
    per_tensor = defaultdict(lambda: defaultdict(list))
    for (tensor, dim), axis in cuts:
        per_tensor[tensor][dim].append(axis)

    def sharded(names, types, first):
        return [(name, type_text,
                 sharding_text(type_text.count("x"), per_tensor[first + index], is_open)
                 if first + index in per_tensor else None)
                for index, (name, type_text) in enumerate(zip(names, types))]

    return Piece(case.text, sharded(case.arguments, case.argument_types, 0), [case.text],
                 sharded(case.results, case.result_types, len(case.argument_types)),
                 case.values(), [tolerance_of(type_text) for type_text in case.result_types],
                 expected)


# What combines to `value`, and would not if it were applied to the parts of a value that it must not be.
_PARTS = {
    "sum": lambda value: [2 * value, -value],
    "max": lambda value: [value - 1, value],
    "min": lambda value: [value, value + 1],
}


def parts_variants(case, expected):
    """Yields the case with each f32 operand in turn in parts that ranks combine."""
    for index, (name, type_text) in enumerate(zip(case.arguments, case.argument_types)):
        if type_text.split("x")[-1] != "f32" or not np.isfinite(case.values()[index]).all():
            continue
        for kind, parts_of in _PARTS.items():
            piece = variant(case, [], False, expected)
            rank = type_text.count("x")
            piece.arguments[index] = (f"{name}_parts", f"2x{type_text}",
                                      sharding_text(rank + 1, {0: ["a"]}, False))
            piece.values[index] = np.stack(parts_of(piece.values[index]))
            combine = f"%{name} = graph.reduce {kind} %{name}_parts over [0] : tensor<2x{type_text}>"
            piece.body.insert(0, combine)
            piece.title += f" // %{name} is a {kind} of parts"
            yield piece


def variants(case):
    """Yields (mesh, is it alone, cuts, are other dims open)."""
    types = case.argument_types + case.result_types
    places = [(tensor, dim) for tensor, type_text in enumerate(types)
              for dim in range(type_text.count("x"))]
    for place, mesh in itertools.product(places, ["2", "3"]):
        yield mesh, True, [(place, "a")], mesh == "3"
    for first, second in itertools.product(places, places):
        for mesh in ["2x2", "3x2"]:
            yield mesh, False, [(first, "a"), (second, "b")], True
    for first, second in itertools.combinations(places, 2):
        if first[0] != second[0]:
            for mesh in ["2", "3"]:
                yield mesh, False, [(first, "a"), (second, "a")], mesh == "3"


def unsharded(cases, tools):
    """[(case, its results on one device)], and the texts of the cases that have none."""
    known, problems = [], []

    def run(part):
        pieces = [variant(case, [], False) for case in part]
        try:
            expect_unsharded_results(_MESHES["2"], pieces, tools)
        except Failed as problem:
            if len(part) == 1:
                problems.append(f"{problem}\n{part[0].text}")
                return
            run(part[:len(part) // 2])
            run(part[len(part) // 2:])
        else:
            known.extend((case, piece.expected) for case, piece in zip(part, pieces))

    for first in range(0, len(cases), _PIECES_PER_MODULE):
        run(cases[first:first + _PIECES_PER_MODULE])
    return known, problems


def chosen_variants(cases, num_pairs):
    """{mesh: [pieces]}: all that are alone, and of the others `num_pairs`, or all if None."""
    alone, others = [], []
    for case, expected in cases:
        for mesh, is_alone, cuts, is_open in variants(case):
            (alone if is_alone else others).append((mesh, case, cuts, is_open, expected))
    if num_pairs is not None:
        others = random.Random(0).sample(others, min(num_pairs, len(others)))
    by_mesh = defaultdict(list)
    for mesh, *parts in alone + others:
        by_mesh[mesh].append(variant(*parts))
    for case, expected in cases:
        by_mesh["2"].extend(parts_variants(case, expected))
    return by_mesh


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=800, help="how many of the pairs and clashes")
    parser.add_argument("--all", action="store_true", help="all pairs and clashes")
    parser.add_argument("--only", default="", help="only ops whose text holds this")
    add_bin_option(parser)
    arguments = parser.parse_args()
    tools = Toolchain(find_bin_dir(arguments.bin))
    if missing := missing_ops():
        print(f"no case of {', '.join(sorted(missing))}")
        sys.exit(1)
    infer_result_types(tools, CASES)
    cases, problems = unsharded([case for case in CASES if arguments.only in case.text], tools)
    for problem in problems:
        print(problem, flush=True)
    num_variants, num_wrong = 0, len(problems)
    for mesh, pieces in chosen_variants(cases, None if arguments.all else arguments.pairs).items():
        for first in range(0, len(pieces), _PIECES_PER_MODULE):
            batch = pieces[first:first + _PIECES_PER_MODULE]
            num_variants += len(batch)
            for failing, problem in failures(_MESHES[mesh], batch, tools):
                num_wrong += 1
                print(f"{problem}\n{module_text(_MESHES[mesh], failing)}", flush=True)
    print(f"{num_variants} shardings of {len(cases)} ops, {num_wrong} wrong")
    sys.exit(1 if num_wrong or not num_variants else 0)


if __name__ == "__main__":
    main()
