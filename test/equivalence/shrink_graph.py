"""Makes a failing graph smaller while it fails in the same way."""

import time
from dataclasses import replace

from equivalence.random_graph import piece_of, pruned, rebuilt
from equivalence.random_mesh import Mesh
from equivalence.random_values import CannotBuild, Need
from equivalence.sharded_module import failure, kind_of


def shrunk(mesh, graph, problem, tools, seconds, form=None):
    """(mesh, graph, what goes wrong) that no single step makes smaller, or what is reached in time."""
    kind, end = kind_of(problem), time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for smaller_mesh, smaller in _steps(mesh, graph):
            if time.monotonic() > end:
                return mesh, graph, problem
            try:
                again = failure(str(smaller_mesh), [piece_of(smaller, smaller_mesh)], tools, form)
            except CannotBuild:
                continue
            if again and kind_of(again) == kind:
                mesh, graph, problem, progress = smaller_mesh, smaller, again, True
                break
    return mesh, graph, problem


def _steps(mesh, graph):
    """Yields (mesh, graph), each one step smaller, those first that remove most."""
    for change in (_fewer_outputs, _fewer_ops, _fewer_shardings, _simpler_shardings, _smaller_extents):
        if change is _simpler_shardings:
            yield from ((smaller, graph) for smaller in _smaller_meshes(mesh))
        yield from ((mesh, smaller) for smaller in change(graph))


def _fewer_outputs(graph):
    for name in graph.outputs if len(graph.outputs) > 1 else []:
        smaller = graph.copy()
        smaller.outputs = [name]
        yield pruned(smaller)


def _fewer_ops(graph):
    """Takes an op away: its results become arguments, its first operand, or its operands outputs."""
    values, _ = rebuilt(graph.copy())
    for index in reversed(range(len(graph.ops))):
        op = graph.ops[index]
        smaller = graph.copy()
        del smaller.ops[index]
        for name in op.results:
            smaller.arguments[name] = Need(values[name].shape, values[name].element)
        smaller.outputs = [name for name in graph.outputs if name not in op.results]
        if smaller.outputs:
            yield pruned(smaller)
        smaller = graph.copy()
        del smaller.ops[index]
        rename = {name: op.operands[0] for name in op.results}
        for other in smaller.ops:
            other.operands = [rename.get(name, name) for name in other.operands]
        smaller.outputs = list(dict.fromkeys(rename.get(name, name) for name in graph.outputs))
        smaller.output_shardings = {rename.get(name, name): sharding
                                    for name, sharding in graph.output_shardings.items()
                                    if len(sharding.dims) == values[rename.get(name, name)].rank}
        yield pruned(smaller)


def _fewer_shardings(graph):
    for table in ("shardings", "output_shardings"):
        for name in getattr(graph, table):
            smaller = graph.copy()
            del getattr(smaller, table)[name]
            yield smaller
    for index, op in enumerate(graph.ops):
        if op.kind and op.shardings:
            smaller = graph.copy()
            smaller.ops[index].shardings = None
            yield smaller


def _smaller_meshes(mesh):
    if mesh.devices:
        yield Mesh(mesh.axes)
    for index, (name, extent) in enumerate(mesh.axes):
        if len(mesh.axes) > 1:
            yield Mesh(mesh.axes[:index] + mesh.axes[index + 1:])
        for less in range(2, extent):
            yield Mesh((*mesh.axes[:index], (name, less), *mesh.axes[index + 1:]))


def _simpler_shardings(graph):
    for table in ("shardings", "output_shardings"):
        for name, sharding in getattr(graph, table).items():
            for simpler in sharding.simpler():
                smaller = graph.copy()
                getattr(smaller, table)[name] = simpler
                yield smaller
    for index, op in enumerate(graph.ops):
        for place, sharding in enumerate(op.shardings or []):
            for simpler in sharding.simpler():
                smaller = graph.copy()
                smaller.ops[index].shardings = [*op.shardings]
                smaller.ops[index].shardings[place] = simpler
                yield smaller


def _smaller_extents(graph):
    """Changes an extent everywhere at once, then in one argument."""
    extents = sorted({extent for need in graph.arguments.values() for extent in need.shape})
    for extent in reversed(extents):
        for less in range(1, extent):
            smaller = graph.copy()
            smaller.arguments = {
                name: replace(need, shape=tuple(less if n == extent else n for n in need.shape))
                for name, need in graph.arguments.items()}
            yield smaller
    for name, need in graph.arguments.items():
        for dim, extent in enumerate(need.shape):
            for less in range(1, extent):
                smaller = graph.copy()
                smaller.arguments[name] = replace(
                    need, shape=(*need.shape[:dim], less, *need.shape[dim + 1:]))
                yield smaller
