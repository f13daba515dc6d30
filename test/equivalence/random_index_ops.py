"""More random ops, as in random_ops.py: those with indices, windows, attention and loops."""

from equivalence.random_ops import EXTENTS
from equivalence.random_values import Need, Value, combined, is_tame, moved, require, rough


def _index(shape, extent, c):
    """Indices into a dim, negative ones too."""
    require(extent > 0)
    return Need(tuple(shape), c.pick(["i64", "i32"]), -extent, extent - 1)


def gather(x, c):
    require(x.rank)
    dim = c.below(x.rank)
    batch = c.below(min(dim, 1) + 1)
    tail = [c.pick(EXTENTS) for _ in range(c.below(3))]
    i = yield _index([*x.shape[:batch], *tail], x.shape[dim], c)
    result = moved(x, [*x.shape[:dim], *tail, *x.shape[dim + 1:]])
    require(result.rank <= 4)
    return [result], f"graph.gather {{0}}, {{1}} dim {dim} batch {batch}{{a}} : {x.type}, {i.type}"


def _element_indices(x, dim, c):
    shape = [max(extent - c.below(3) // 2, 0) for extent in x.shape]
    shape[dim] = c.pick(EXTENTS)
    return _index(shape, x.shape[dim], c)


def gather_elements(x, c):
    require(x.rank)
    dim = c.below(x.rank)
    i = yield _element_indices(x, dim, c)
    return [moved(x, i.shape)], f"graph.gather_elements {{0}}, {{1}} dim {dim}{{a}} : {x.type}, {i.type}"


def gather_nd(x, c):
    require(x.rank)
    head = [c.pick(EXTENTS) for _ in range(c.below(3))]
    i = yield _index([*head, 1], x.shape[0], c)
    return [moved(x, [*head, *x.shape[1:]])], f"graph.gather_nd {{0}}, {{1}} batch 0{{a}} : {x.type}, {i.type}"


def _scattered(x, u, kind):
    """Adding: as if all updates met in one place."""
    if kind != "add":
        return Value(x.shape, x.element, max(x.bound, u.bound), x.is_exact and u.is_exact)
    require(is_tame(x, u))
    count = 1
    for extent in u.shape:
        count *= max(extent, 1)
    return combined(x.shape, x.element, x.bound + count * u.bound, x, u)


def scatter_elements(x, c):
    require(x.rank and x.element != "i1")
    dim, kind = c.below(x.rank), c.pick(["set", "add", "max", "min"])
    i = yield _element_indices(x, dim, c)
    u = yield Need(i.shape, x.element)
    return [_scattered(x, u, kind)], (f"graph.scatter_elements {kind} {{0}}, {{1}}, {{2}} dim {dim}{{a}} "
                                      f": {x.type}, {i.type}, {u.type}")


def scatter_nd(x, c):
    require(x.rank and x.element != "i1")
    kind = c.pick(["set", "add", "max", "min"])
    head = [c.pick(EXTENTS)]
    i = yield _index([*head, 1], x.shape[0], c)
    u = yield Need((*head, *x.shape[1:]), x.element)
    return [_scattered(x, u, kind)], (f"graph.scatter_nd {kind} {{0}}, {{1}}, {{2}}{{a}} "
                                      f": {x.type}, {i.type}, {u.type}")


def conv(x, c):
    """Over all dims after the second; an output extent is at least 1."""
    require(x.rank in (3, 4) and x.element == "f32" and is_tame(x) and min(x.shape) > 0)
    groups = c.pick([n for n in (1, 2, 3, x.shape[1]) if x.shape[1] % n == 0])
    window, stride, padding, dilation = 1 + c.below(3), 1 + c.below(2), c.below(3), 1 + c.below(2)
    reach = dilation * (window - 1) + 1
    space = [(n + 2 * padding - reach) // stride + 1 for n in x.shape[2:]]
    require(min(n + 2 * padding - reach for n in x.shape[2:]) >= 0)
    outputs = groups * (1 + c.below(3))
    f = yield Need((outputs, x.shape[1] // groups, *[window] * len(space)), x.element)
    terms = x.shape[1] // groups * window**len(space)
    result = combined((x.shape[0], outputs, *space), x.element, terms * x.bound * f.bound, x, f)
    n = len(space)
    return [result], (f"graph.conv {{0}}, {{1}} strides {[stride] * n} pad {[padding] * n} to {[padding] * n} "
                      f"dilations {[dilation] * n} groups {groups}{{a}} : {x.type}, {f.type}")


def conv_input_grad(x, c):
    """Over all dims after the second; a few places of the input may have been seen by none."""
    require(x.rank in (3, 4) and x.element == "f32" and is_tame(x) and min(x.shape) > 0)
    groups = c.pick([n for n in (1, 2, 3, x.shape[1]) if x.shape[1] % n == 0])
    window, stride, padding = 1 + c.below(3), 1 + c.below(3), c.below(2)
    space = [(n - 1) * stride + window - 2 * padding + c.below(stride) for n in x.shape[2:]]
    require(min(space) > 0)
    inputs = 1 + c.below(3)
    f = yield Need((x.shape[1], inputs, *[window] * len(space)), x.element)
    terms = x.shape[1] // groups * window**len(space)
    result = combined((x.shape[0], groups * inputs, *space), x.element, terms * x.bound * f.bound, x, f)
    n = len(space)
    return [result], (f"graph.conv_input_grad {{0}}, {{1}} strides {[stride] * n} pad {[padding] * n} "
                      f"to {[padding] * n} dilations {[1] * n} groups {groups}{{a}} "
                      f": ({x.type}, {f.type}) -> {result.type}")


def pool(x, c):
    require(x.rank in (3, 4) and x.element == "f32" and min(x.shape) > 0)
    kind = c.pick(["max", "sum", "avg_include", "avg_exclude"])
    window, stride = 1 + c.below(3), 1 + c.below(3)
    padding = c.below(2) if window > 1 else 0
    space = [(n + 2 * padding - window) // stride + 1 for n in x.shape[2:]]
    require(min(n + 2 * padding - window for n in x.shape[2:]) >= 0)
    shape, n = (*x.shape[:2], *space), len(space)
    if kind == "max":
        result = moved(x, shape)
    elif kind == "sum":
        require(is_tame(x))
        result = combined(shape, x.element, window**n * x.bound, x)
    else:
        result = rough(shape, x.element, x.bound, x)
    return [result], (f"graph.pool {kind} {{0}} window {[window] * n} strides {[stride] * n} "
                      f"pad {[padding] * n} to {[padding] * n} dilations {[1] * n}{{a}} : {x.type}")
    yield


def attention(x, c):
    require(x.rank == 4 and x.element == "f32" and min(x.shape) > 0)
    batch, heads, _, size = x.shape
    groups = c.pick([n for n in (heads, 1, 2) if heads % n == 0])
    keys, width = c.pick(EXTENTS[:6]), c.pick(EXTENTS[:6])
    k = yield Need((batch, groups, keys, size), x.element)
    v = yield Need((batch, groups, keys, width), x.element)
    require(is_tame(x, k))
    result = rough((*x.shape[:3], width), x.element, v.bound, v)
    causal = " causal" if c.below(2) else ""
    return [result], (f"graph.attention {{0}}, {{1}}, {{2}} scale 0.125{causal}{{a}} "
                      f": {x.type}, {k.type}, {v.type}")


def cross_entropy(x, c):
    require(x.rank and x.element in ("f32", "f64") and x.shape[-1] > 0)
    t = yield Need(x.shape[:-1], "i64", 0, x.shape[-1] - 1)
    result = rough(x.shape[:-1], x.element, 2 * x.bound + 3, x)
    return [result], f"graph.cross_entropy {{0}}, {{1}} ignore 1{{a}} : {x.type}, {t.type}"


def barrier(x, c):
    return [x], f"dist.barrier {{0}} allow {c.pick(['none', 'forward', 'backward'])}{{a}} : {x.type}"
    yield


def loop(x, c):
    """Carries a value through a few trips that add, keep the larger, or multiply by a matrix."""
    kind, trips = c.pick(["add", "max", "count", "contract", "sum"]), c.below(4)
    require(x.element != "i1")
    lines = []
    if kind in ("contract", "sum"):
        require(x.rank and x.element == "f32" and is_tame(x))
        n = x.shape[-1]
        w = yield Need((n, n), x.element)
        require(is_tame(w) and n * w.bound <= 64)
        result = rough(x.shape, x.element, max(x.bound, 1), x)
        dims = [x.rank - 1]
        lines = [f"%c = graph.contract %v, {{1}} batch [] x [] over {dims} x [0] "
                 f": ({x.type}, {w.type}) -> {x.type}"]
        if kind == "sum":  # In another loop, which carries it alone.
            lines = [f"%z = graph.constant dense<0.0> : {x.type}",
                     f"%c = graph.loop 2(%z) : ({x.type}) -> {x.type} {{{{", f"^bb1(%k: tensor<i64>, %s: {x.type}):",
                     lines[0].replace("%c", "%p"), f"%t = graph.binary add %s, %p : {x.type}",
                     f"graph.yield %t : {x.type}", "}}"]
        lines.append(f"%n = graph.unary tanh %c : {x.type}")
    elif kind == "count":
        result = combined(x.shape, x.element, x.bound + 6, x)
        scalar = f"tensor<{x.element}>"
        cast = [] if x.element == "i64" else [f"%j = graph.cast %i : tensor<i64> -> {scalar}"]
        lines = [*cast, f"%b = graph.broadcast {'%i' if not cast else '%j'} to [] : {scalar} -> {x.type}",
                 f"%n = graph.binary add %v, %b : {x.type}"]
    else:
        w = yield Need(x.shape, x.element)
        result = (combined(x.shape, x.element, x.bound + 3 * w.bound, x, w) if kind == "add" else
                  Value(x.shape, x.element, max(x.bound, w.bound), x.is_exact and w.is_exact))
        lines = [f"%n = graph.binary {kind} %v, {{1}} : {x.type}"]
    body = "\n    ".join(lines)
    return [result], (f"graph.loop {trips}({{0}}) : ({x.type}) -> {x.type} {{{{\n  ^bb0(%i: tensor<i64>, "
                      f"%v: {x.type}):\n    {body}\n    graph.yield %n : {x.type}\n  }}}}{{a}}")
