"""A random graph: how one is drawn, changed and written."""

from dataclasses import dataclass, field

import numpy as np

from equivalence import random_index_ops, random_ops
from equivalence.agree import TYPES
from equivalence.random_mesh import random_sharding
from equivalence.random_ops import EXTENTS, Choices
from equivalence.random_values import ELEMENTS, CannotBuild, Need, Value, require
from equivalence.sharded_module import Piece

_LOW, _HIGH = -3, 3
_NUM_CHOICES = 16
_O, _I = random_ops, random_index_ops
# What ops are made of, the frequent ones more than once.
KINDS = (_O.unary, _O.unary, _O.binary, _O.binary, _O.binary, _O.contract, _O.contract, _O.contract,
         _O.transpose, _O.reshape, _O.reshape, _O.reshape, _O.broadcast, _O.slice_, _O.pad, _O.concat,
         _O.reverse, _O.reduce, _O.reduce, _O.compare, _O.select, _O.cast, _O.arg_reduce, _O.cumulative,
         _O.order, _O.softmax, _O.norm, _O.iota, _O.constant, _O.random, _I.gather, _I.gather_elements,
         _I.gather_nd, _I.scatter_elements, _I.scatter_nd, _I.conv, _I.conv_input_grad, _I.pool, _I.attention,
         _I.cross_entropy, _I.barrier, _I.loop)
# Ops that few values fit: the ranks of floats that they take.
_RANKS = {_I.conv: (3, 4), _I.conv_input_grad: (3, 4), _I.pool: (3, 4), _I.attention: (4,), _I.cross_entropy: (2, 3)}


@dataclass
class Op:
    """An op of a kind, made of operands by choices; a constraint has no kind."""

    kind: object
    operands: list
    results: list
    choices: list
    shardings: list = None

    def copy(self):
        return Op(self.kind, list(self.operands), list(self.results), self.choices, self.shardings)


@dataclass
class Graph:
    """Arguments and ops by name, in order. `arguments` are the needs that they meet."""

    seed: str
    arguments: dict = field(default_factory=dict)
    ops: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    shardings: dict = field(default_factory=dict)  # Of arguments.
    output_shardings: dict = field(default_factory=dict)

    def copy(self):
        return Graph(self.seed, dict(self.arguments), [op.copy() for op in self.ops], list(self.outputs),
                     dict(self.shardings), dict(self.output_shardings))


def argument_value(need):
    """What an argument that meets the need may hold."""
    if need.low is not None:
        return Value(need.shape, need.element, max(abs(need.low), abs(need.high)))
    return Value(need.shape, need.element, 1 if need.element == "i1" else _HIGH)


def built(op, values, operand_for):
    """(results, text) of the op; `operand_for(index, need)` names all operands but the first."""
    if op.kind is None:
        value = values[op.operands[0]]
        return [value], f"dist.constraint {{0}} {{s}} : {value.type}"
    names = op.operands[:1]
    maker = op.kind(values[names[0]], Choices(op.choices))
    try:
        need = next(maker)
        while True:
            names.append(operand_for(len(names), need))
            need = maker.send(values[names[-1]])
    except StopIteration as done:
        op.operands = names
        results, text = done.value
    require(all(value.rank <= 4 and np.prod(value.shape, dtype=int) <= 4096 for value in results))
    return results, text


def rebuilt(graph):
    """(values by name, text of each op) for the graph as it is now, its unused arguments changed to
    what ops need; raises CannotBuild."""
    values = {name: argument_value(need) for name, need in graph.arguments.items()}
    used, texts = set(), []
    for op in graph.ops:
        given = list(op.operands)

        def operand_for(index, need, given=given):
            require(index < len(given))
            name = given[index]
            if not need.accepts(values[name]) or need.low is not None:
                require(name in graph.arguments and
                        (name not in used or graph.arguments[name] == need))
                graph.arguments[name] = need
                values[name] = argument_value(need)
            return name

        used.add(given[0])
        results, text = built(op, values, operand_for)
        used.update(op.operands)
        texts.append(text)
        for name, value in zip(op.results, results):
            values[name] = value
    return values, texts


def random_graph(seed, rng, mesh):
    """One to eight ops on values that fit, and shardings for some."""
    graph = Graph(seed)
    values = {}

    def new_argument(need):
        name = f"a{len(graph.arguments)}"
        graph.arguments[name] = need
        values[name] = argument_value(need)
        return name

    def random_need(ranks=(1, 2, 2, 2, 3, 3, 4), elements=("f32",) * 6 + ELEMENTS):
        rank = rng.choice(ranks)
        extents = EXTENTS if rng.random() < 0.2 else EXTENTS[:-2]
        extents = extents[:4] if rank == 4 else extents
        return Need(tuple(rng.choice(extents) for _ in range(rank)), rng.choice(elements))

    def first_for(kind):
        """An operand that the kind takes, where only some fit, or else any, late ones more often."""
        if kind in _RANKS:
            fitting = [name for name, value in values.items()
                       if value.rank in _RANKS[kind] and value.element == "f32"]
            return rng.choice(fitting) if fitting else new_argument(random_need(_RANKS[kind], ("f32",)))
        return rng.choice(list(values)[-4:]) if rng.random() < 0.8 else new_argument(random_need())

    def operand_for(_, need):
        fitting = [name for name, value in values.items()
                   if need.low is None and need.accepts(value)]
        return rng.choice(fitting) if fitting and rng.random() < 0.7 else new_argument(need)

    new_argument(random_need())
    target = rng.randint(1, 8)
    for _ in range(4 * target):
        if len(graph.ops) == target:
            break
        kind = rng.choice(KINDS)
        first = first_for(kind)
        op = Op(kind, [first], [], [rng.randrange(840) for _ in range(_NUM_CHOICES)])
        if rng.random() < 0.06:
            op.kind, op.shardings = None, [random_sharding(rng, values[first].rank, mesh)]
        num_arguments = len(graph.arguments)
        try:
            results, _ = built(op, values, operand_for)
        except CannotBuild:
            for name in list(graph.arguments)[num_arguments:]:
                del graph.arguments[name], values[name]
            continue
        op.results = [f"v{len(graph.ops)}_{index}" for index in range(len(results))]
        values.update(zip(op.results, results))
        if op.kind and rng.random() < 0.2:
            op.shardings = [random_sharding(rng, value.rank, mesh) for value in results]
        graph.ops.append(op)
    consumed = {name for op in graph.ops for name in op.operands}
    made = [name for op in graph.ops for name in op.results]
    graph.outputs = [name for name in made if name not in consumed or rng.random() < 0.15]
    graph.outputs = graph.outputs or [next(iter(values))]
    graph.shardings = {name: random_sharding(rng, values[name].rank, mesh)
                       for name in graph.arguments if rng.random() < 0.6}
    graph.output_shardings = {name: random_sharding(rng, values[name].rank, mesh)
                              for name in graph.outputs if rng.random() < 0.4}
    return pruned(graph)


def pruned(graph):
    """The graph without ops, arguments and shardings that no output needs."""
    needed, ops = set(graph.outputs), []
    for op in reversed(graph.ops):
        if needed & set(op.results):
            ops.insert(0, op)
            needed |= set(op.operands)
    graph.ops = ops
    graph.arguments = {name: need for name, need in graph.arguments.items() if name in needed}
    graph.shardings = {name: sharding for name, sharding in graph.shardings.items()
                       if name in graph.arguments}
    graph.output_shardings = {name: sharding for name, sharding in graph.output_shardings.items()
                              if name in graph.outputs}
    return graph


def argument_array(name, need, seed):
    """Integers in the range of the need; the same whatever else the graph holds."""
    rng = np.random.default_rng([*name.encode(), *seed.encode()])
    low, high = (need.low, need.high) if need.low is not None else (_LOW, _HIGH)
    if need.element == "i1":
        low, high = 0, 1
    return rng.integers(low, high + 1, need.shape).astype(TYPES[need.element])


def piece_of(graph, mesh):
    """The graph as text and values; raises CannotBuild."""
    values, texts = rebuilt(graph)

    def sharding_text(sharding):
        return f"#dist.sharding{sharding.text(mesh)}" if sharding else None

    body = []
    for op, text in zip(graph.ops, texts):
        attributes = ""
        if op.kind and op.shardings:
            attributes = f" {{dist.shardings = [{', '.join(map(sharding_text, op.shardings))}]}}"
        sharding = op.shardings[0].text(mesh) if op.shardings else ""
        body.append(f"{', '.join('%' + name for name in op.results)} = " +
                    text.format(*("%" + name for name in op.operands), a=attributes, s=sharding))
    return Piece(
        graph.seed,
        [(name, values[name].type_text, sharding_text(graph.shardings.get(name)))
         for name in graph.arguments], body,
        [(name, values[name].type_text, sharding_text(graph.output_shardings.get(name)))
         for name in graph.outputs],
        [argument_array(name, need, graph.seed) for name, need in graph.arguments.items()],
        [values[name].tolerance for name in graph.outputs])
