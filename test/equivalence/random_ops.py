"""Makes one random op from its first operand and a list of numbers that decide all choices.

An op is a generator: it takes the first operand and the choices, yields a `Need` for every other
operand, gets the value for it, and returns results and text. The same choices with other operands
make the op for other extents, or raise CannotBuild; that is how a failing graph shrinks. In the text
`{0}`, `{1}`, .. are operands and `{a}` is the place of attributes.
"""

import math

from equivalence.random_values import (ELEMENTS, INTEGERS, Need, Value, combined, converted, is_tame, moved,
                                       require, rough)

EXTENTS = (2, 3, 4, 5, 6, 8, 12, 1, 0)
_EPSILON = "1.0e-1"


class Choices:
    """Numbers read one after another; a missing one is 0, the simplest choice."""

    def __init__(self, numbers):
        self._numbers = iter(numbers)

    def below(self, count):
        require(count > 0)
        return next(self._numbers, 0) % count

    def pick(self, options):
        return options[self.below(len(options))]


def _replaced(shape, dim, extent):
    return (*shape[:dim], extent, *shape[dim + 1:])


def _without(shape, *dims):
    return tuple(extent for dim, extent in enumerate(shape) if dim not in dims)


def unary(x, c):
    if x.element == "i1":
        return [x], f"graph.unary not {{0}}{{a}} : {x.type}"
    kinds = ["neg", "abs", "relu"]
    kinds += ["tanh", "sigmoid", "gelu_erf", "softplus"] if x.is_float else ["not"]
    kind = c.pick(kinds)
    result = x
    if kind in ("tanh", "sigmoid"):
        result = rough(x.shape, x.element, 1, x)
    elif kind in ("gelu_erf", "softplus"):
        result = rough(x.shape, x.element, x.bound + 1, x)
    elif kind == "not":
        result = combined(x.shape, x.element, x.bound + 1, x)
    return [result], f"graph.unary {kind} {{0}}{{a}} : {x.type}"
    yield


def binary(x, c):
    if x.element == "i1":
        kinds = ["and", "or", "xor"]
    else:
        kinds = ["add", "sub", "mul", "max", "min"] + (["and", "xor"] if x.element in INTEGERS else [])
    kind = c.pick(kinds)
    y = yield Need(x.shape, x.element)
    if kind in ("add", "sub"):
        result = combined(x.shape, x.element, x.bound + y.bound, x, y)
    elif kind == "mul":
        result = combined(x.shape, x.element, x.bound * y.bound, x, y)
    elif kind in ("max", "min"):
        result = Value(x.shape, x.element, max(x.bound, y.bound), x.is_exact and y.is_exact)
    else:
        result = combined(x.shape, x.element, 2 * max(x.bound, y.bound), x, y) if x.element != "i1" else x
    return [result], f"graph.binary {kind} {{0}}, {{1}}{{a}} : {x.type}"


def compare(x, c):
    y = yield Need(x.shape, x.element)
    require(x.is_exact and y.is_exact)
    kind = c.pick(["lt", "eq", "ge"])
    return [Value(x.shape, "i1", 1)], f"graph.compare {kind} {{0}}, {{1}}{{a}} : {x.type}"


def select(x, c):
    y = yield Need(x.shape, x.element)
    p = yield Need(x.shape, "i1")
    result = Value(x.shape, x.element, max(x.bound, y.bound), x.is_exact and y.is_exact)
    return [result], f"graph.select {{2}}, {{0}}, {{1}}{{a}} : {p.type}, {x.type}"


def cast(x, c):
    result = converted(x, c.pick([element for element in ELEMENTS if element != x.element]))
    return [result], f"graph.cast {{0}}{{a}} : {x.type} -> {result.type}"
    yield


def contract(x, c):
    """Contracts one dim, or two, beside a batch dim or none."""
    require(x.element != "i1" and x.rank and is_tame(x))
    dims = sorted(range(x.rank), key=lambda dim: (dim * 7 + c.below(5)) % 5)
    over = dims[:1 + (c.below(4) == 3 and x.rank > 1)]
    batch = dims[len(over):len(over) + c.below(2)]
    free = [c.pick(EXTENTS[:7]) for _ in range(c.below(2) + (c.below(8) < 7))]
    order = [("over", dim) for dim in over] + [("batch", dim) for dim in batch] + [("free", n) for n in free]
    turn = c.below(len(order))
    order = order[turn:] + order[:turn]
    y = yield Need(tuple(n if role == "free" else x.shape[n] for role, n in order), x.element)
    depth = math.prod(x.shape[dim] for dim in over)
    shape = ([x.shape[dim] for dim in batch] + [*_without(x.shape, *over, *batch)] +
             [n for role, n in order if role == "free"])
    result = combined(shape, x.element, max(depth, 1) * x.bound * y.bound, x, y)
    at = {(role, n): place for place, (role, n) in enumerate(order) if role != "free"}
    return [result], (f"graph.contract {{0}}, {{1}} batch {batch} x {[at['batch', d] for d in batch]} "
                      f"over {over} x {[at['over', d] for d in over]}{{a}} "
                      f": ({x.type}, {y.type}) -> {result.type}")


def transpose(x, c):
    require(x.rank > 1)
    order = list(range(x.rank))
    for last in range(x.rank - 1, 0, -1):
        other = c.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return [moved(x, [x.shape[dim] for dim in order])], f"graph.transpose {{0}} by {order}{{a}} : {x.type}"
    yield


def reshape(x, c):
    """Joins dims, splits one, or both."""
    shape = list(x.shape)
    for _ in range(1 + c.below(3)):
        dim = c.below(len(shape) + 1)
        if c.below(2) and dim + 1 < len(shape):
            shape[dim:dim + 2] = [shape[dim] * shape[dim + 1]]
        elif dim < len(shape):
            factors = [n for n in (2, 3, 4, 1) if shape[dim] % n == 0 and len(shape) < 4]
            factor = c.pick(factors or [1])
            split = [factor, shape[dim] // factor]
            shape[dim:dim + 1] = (split[::-1] if c.below(2) else split) if factors else [shape[dim]]
    result = moved(x, shape)
    return [result], f"graph.reshape {{0}}{{a}} : {x.type} -> {result.type}"
    yield


def broadcast(x, c):
    require(x.rank < 4)
    at = c.below(x.rank + 1)
    shape = [c.pick(EXTENTS) if extent == 1 and c.below(2) else extent for extent in x.shape]
    shape.insert(at, c.pick(EXTENTS[:7]))
    result = moved(x, shape)
    dims = [dim for dim in range(len(shape)) if dim != at]
    return [result], f"graph.broadcast {{0}} to {dims}{{a}} : {x.type} -> {result.type}"
    yield


def slice_(x, c):
    require(x.rank)
    starts, limits, strides = [0] * x.rank, list(x.shape), [1] * x.rank
    for _ in range(1 + c.below(2)):
        dim = c.below(x.rank)
        starts[dim] = c.below(x.shape[dim] + 1) // 2
        limits[dim] = max(starts[dim], x.shape[dim] - c.below(x.shape[dim] + 1) // 2)
        strides[dim] = 1 + c.below(6) // 4
    shape = [-(-(limit - start) // stride) for start, limit, stride in zip(starts, limits, strides)]
    return [moved(x, shape)], f"graph.slice {{0}} from {starts} to {limits} by {strides}{{a}} : {x.type}"
    yield


def pad(x, c):
    require(x.rank)
    low, high = [0] * x.rank, [0] * x.rank
    low[c.below(x.rank)] += c.below(4)
    high[c.below(x.rank)] += c.below(4)
    v = yield Need((), x.element)
    shape = [a + b + n for a, b, n in zip(low, high, x.shape)]
    result = Value(tuple(shape), x.element, max(x.bound, v.bound), x.is_exact and v.is_exact)
    return [result], f"graph.pad {{0}}, {{1}} low {low} high {high}{{a}} : {x.type}, {v.type}"


def concat(x, c):
    require(x.rank)
    dim, parts = c.below(x.rank), [x]
    for _ in range(1 + c.below(2)):
        parts.append((yield Need(_replaced(x.shape, dim, c.pick(EXTENTS)), x.element)))
    result = Value(_replaced(x.shape, dim, sum(part.shape[dim] for part in parts)), x.element,
                   max(part.bound for part in parts), all(part.is_exact for part in parts))
    operands = ", ".join(f"{{{index}}}" for index in range(len(parts)))
    return [result], f"graph.concat {operands} dim {dim}{{a}} : {', '.join(part.type for part in parts)}"


def reverse(x, c):
    require(x.rank)
    dims = [dim for dim in range(x.rank) if c.below(2)] or [x.rank - 1]
    return [x], f"graph.reverse {{0}} dims {dims}{{a}} : {x.type}"
    yield


def reduce(x, c):
    dims = [dim for dim in range(x.rank) if c.below(2)]
    require(dims)
    shape, count = _without(x.shape, *dims), math.prod(x.shape[dim] for dim in dims)
    kind = c.pick(["any", "all"] if x.element == "i1" else ["sum", "max", "min", "prod"])
    if kind == "sum":
        require(is_tame(x))
        result = combined(shape, x.element, max(count, 1) * x.bound, x)
    elif kind == "prod":
        result = combined(shape, x.element, float(max(x.bound, 1))**min(count, 64), x)
    else:
        lowest = math.inf if count == 0 and x.element != "i1" else x.bound
        result = Value(shape, x.element, max(x.bound, lowest), x.is_exact)
    return [result], f"graph.reduce {kind} {{0}} over {dims}{{a}} : {x.type}"
    yield


def arg_reduce(x, c):
    require(x.rank and x.is_exact and x.element != "i1")
    dim = c.below(x.rank)
    require(x.shape[dim] > 0)
    result = Value(_without(x.shape, dim), "i64", x.shape[dim])
    return [result], f"graph.arg_reduce {c.pick(['max', 'min'])} {{0}} dim {dim}{{a}} : {x.type}"
    yield


def cumulative(x, c):
    require(x.rank and x.element != "i1" and is_tame(x))
    dim = c.below(x.rank)
    result = combined(x.shape, x.element, max(x.shape[dim], 1) * x.bound, x)
    return [result], f"graph.cumulative sum {{0}} dim {dim}{{a}} : {x.type}"
    yield


def order(x, c):
    """A sort, or its beginning."""
    require(x.rank and x.is_exact and x.element != "i1")
    dim = c.below(x.rank)
    if c.below(2):
        k = c.below(x.shape[dim] + 1)
        shape = _replaced(x.shape, dim, k)
        return [moved(x, shape), Value(shape, "i64", 12)], f"graph.topk {{0}} dim {dim} k {k}{{a}} : {x.type}"
    return [x, Value(x.shape, "i64", 12)], f"graph.sort {{0}} dim {dim}{{a}} : {x.type}"
    yield


def softmax(x, c):
    require(x.rank and x.is_float)
    kind = c.pick(["softmax", "log_softmax"])
    bound = 1 if kind == "softmax" else 2 * x.bound + 3
    result = rough(x.shape, x.element, bound, x)
    return [result], f"graph.{kind} {{0}} dim {c.below(x.rank)}{{a}} : {x.type}"
    yield


def norm(x, c):
    require(x.rank and x.element in ("f32", "f64"))
    axis, form = c.below(x.rank), c.below(4)
    types, scale, bound = x.type, "", 4
    if form % 2:
        s = yield Need(x.shape[axis:], x.element)
        types, scale, bound = f"{x.type}, {s.type}", " scale {1}", 4 * s.bound
    result = rough(x.shape, x.element, bound, x)
    kind = "layer_norm" if form < 2 else "rms_norm"
    return [result], f"graph.{kind} {{0}}{scale} axis {axis} epsilon {_EPSILON}{{a}} : {types}"


def iota(x, c):
    require(x.rank)
    dim, element = c.below(x.rank), c.pick(["i64", "f32", "i32"])
    return [Value(x.shape, element, x.shape[dim])], f"graph.iota dim {dim}{{a}} : {Value(x.shape, element).type}"
    yield


def constant(x, c):
    require(x.element != "i1")
    number = c.below(4)
    return [Value(x.shape, x.element, number)], (
        f"graph.constant{{a}} dense<{f'{number}.0' if x.is_float else number}> : {x.type}")
    yield


def random(x, c):
    require(x.element in ("f32", "f64"))
    result = Value(x.shape, x.element, 1, False)
    return [result], f"graph.random uniform seed {c.below(9)} (0.0, 1.0){{a}} : {x.type}"
    yield
