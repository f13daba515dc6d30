"""Runs random graphs with random shardings on random meshes and compares them with one device.

Usage: random_sharding.py [--count N] [--seed S] [--first K] [--loops] [--save DIR]

Case `K` of a seed is the same in every run: `--first K --count 1` repeats it. A case that fails is
made smaller; its text is printed, and written to a file of DIR. With --loops graphs go through the sharding passes with
their loops, which the compiler else repeats first.
"""

import argparse
import random
import sys
from pathlib import Path

from driver.tools import Toolchain, add_bin_option, find_bin_dir
from equivalence.manual_form import manual_form
from equivalence.random_graph import piece_of, random_graph
from equivalence.random_mesh import random_mesh
from equivalence.sharded_module import failures, module_text
from equivalence.shrink_graph import shrunk

_CASES_PER_MODULE = 20


def cases_of(seed, first, count):
    """Yields (mesh, {piece title: graph}, pieces) for cases that share a mesh."""
    for start in range(first - first % _CASES_PER_MODULE, first + count, _CASES_PER_MODULE):
        mesh = random_mesh(random.Random(f"mesh {seed} {start}"))
        graphs = {}
        for index in range(max(start, first), min(start + _CASES_PER_MODULE, first + count)):
            title = f"seed {seed} case {index}"
            graphs[title] = random_graph(title, random.Random(title), mesh)
        yield mesh, graphs, [piece_of(graph, mesh) for graph in graphs.values()]


def report(mesh, pieces, problem, graphs, arguments, tools, form):
    """Prints a failure, smaller where it is one graph's, and saves it."""
    titles = ", ".join(piece.title for piece in pieces)
    if len(pieces) == 1:
        mesh, graph, problem = shrunk(mesh, graphs[pieces[0].title], problem, tools,
                                      arguments.shrink_seconds, form)
        pieces = [piece_of(graph, mesh)]
    comment = problem.replace("\n", "\n// ")
    text = f"// {titles}\n// {comment}\n{module_text(str(mesh), pieces)}"
    print(text, flush=True)
    if arguments.save:
        arguments.save.mkdir(parents=True, exist_ok=True)
        (arguments.save / f"{pieces[0].title.replace(' ', '_')}.mlir").write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("--save", type=Path, metavar="DIR", help="where to write failing cases")
    parser.add_argument("--shrink-seconds", type=float, default=120,
                        help="how long to make one failing case smaller")
    add_bin_option(parser)
    arguments = parser.parse_args()
    tools = Toolchain(find_bin_dir(arguments.bin))
    form = manual_form if arguments.loops else None
    num_cases = num_failed = 0
    for mesh, graphs, pieces in cases_of(arguments.seed, arguments.first, arguments.count):
        num_cases += len(pieces)
        for failing, problem in failures(str(mesh), pieces, tools, form):
            num_failed += 1
            report(mesh, failing, problem, graphs, arguments, tools, form)
    print(f"{num_cases} random cases of seed {arguments.seed}, {num_failed} failed")
    sys.exit(1 if num_failed or not num_cases else 0)


if __name__ == "__main__":
    main()
