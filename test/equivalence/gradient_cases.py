"""Ops whose gradients have more paths than the cases of all ops show: kinds, zeros, duplicates, odd windows.

Inputs stay away from places without a derivative; where zeros matter, the op is smooth there.
"""

from equivalence.op_cases import make_case

CASES = []


def case(text, types=None, **formulas):
    """Adds a case in f64."""
    CASES.append(make_case(text, types, **formulas))


_POSITIVE = "rng.uniform(0.5, 2, (3, 5))"
_DOMAINS = {
    "log": _POSITIVE, "log1p": _POSITIVE, "sqrt": _POSITIVE, "rsqrt": _POSITIVE,
    "reciprocal": _POSITIVE, "acosh": "rng.uniform(1.2, 3, (3, 5))",
    "tan": "rng.uniform(-1, 1, (3, 5))", "asin": "rng.uniform(-0.9, 0.9, (3, 5))",
    "acos": "rng.uniform(-0.9, 0.9, (3, 5))", "atanh": "rng.uniform(-0.9, 0.9, (3, 5))",
}
for _kind in ["abs", "neg", "exp", "log", "log1p", "expm1", "sqrt", "rsqrt", "reciprocal", "sin",
              "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
              "atanh", "erf", "relu", "sigmoid", "silu", "gelu_erf", "gelu_tanh", "softplus",
              "mish"]:
    _x = _DOMAINS.get(_kind, "2 * rng.standard_normal((3, 5))")
    case(f"%r = graph.unary {_kind} %x : tensor<3x5xf64>", x=_x)
for _kind in ["add", "sub", "mul", "div", "max", "min", "mod", "rem", "atan2"]:
    case(f"%r = graph.binary {_kind} %a, %b : tensor<3x5xf64>", types=[0, 0],
         b=f"rng.choice([-1, 1], (3, 5)) * {_POSITIVE}")
case("%r = graph.binary pow %a, %b : tensor<3x5xf64>", types=[0, 0], a=_POSITIVE)
case("%r = graph.binary mul %a, %a : tensor<3x5xf64>", types=[0, 0])

case("%r = graph.slice %x from [1, 0, 2] to [8, 5, 3] by [3, 2, 9] : tensor<8x5x4xf64>")
case("%r = graph.slice %x from [1, 5] to [6, 5] by [5, 2] : tensor<6x5xf64>")
case("%r = graph.pad %x, %v low [2, 0, 1] high [0, 3, 1] : tensor<2x3x1xf64>, tensor<f64>")
case("%r = graph.broadcast %x to [1, 2] : tensor<1x1xf64> -> tensor<2x1x3xf64>")
case("%r = graph.broadcast %x to [] : tensor<f64> -> tensor<2x3xf64>")
case("%r = graph.concat %a, %a dim 1 : tensor<3x2xf64>, tensor<3x2xf64>")

_ZEROS = "rng.standard_normal((4, 3, 5)) * (rng.random((4, 3, 5)) < 0.8)"
case("%r = graph.reduce prod %x over [0, 2] : tensor<4x3x5xf64>", x=_ZEROS)
case("%r = graph.reduce prod %x over [1] : tensor<4x3x5xf64>", x=_ZEROS)
case("%r = graph.reduce max %x over [0, 1] : tensor<4x3xf64>")
case("%r = graph.reduce sum %x over [] : tensor<4x3xf64>")
for _kind in ["sum", "prod"]:
    for _flags in ["", " {exclusive}", " {reverse}", " {exclusive, reverse}"]:
        case(f"%r = graph.cumulative {_kind} %x dim 2{_flags} : tensor<4x3x5xf64>", x=_ZEROS)
    case(f"%r = graph.cumulative {_kind} %x dim 0 : tensor<1x3xf64>")
    case(f"%r = graph.cumulative {_kind} %x dim 0 {{exclusive}} : tensor<0x3xf64>")
case("%r, %s = graph.topk %x dim 0 k 2 {smallest} : tensor<5x3xf64>")

_TWICE = "[[0, 2, 2], [1, 1, 1], [-1, 0, 2]]"
_UPDATES = "rng.standard_normal((3, 3)) * [[0, 1, 1], [0, 0, 1], [1, 1, 0]]"
for _kind in ["set", "add", "mul", "max", "min"]:
    case(f"%r = graph.scatter_elements {_kind} %x, %i, %u dim 1 : tensor<3x4xf64>, tensor<3x3xi64>, tensor<3x3xf64>",
         i=_TWICE, **({"u": _UPDATES} if _kind == "mul" else {}))
    case(f"%r = graph.scatter_nd {_kind} %x, %i, %u : tensor<4x2xf64>, tensor<5x1xi64>, tensor<5x2xf64>",
         i="[[3], [0], [3], [-1], [0]]")
case("%r = graph.scatter_nd add %x, %i, %u : tensor<f64>, tensor<3x0xi64>, tensor<3xf64>")

case("%r = graph.softmax %x dim 0 : tensor<4x3xf64>")
case("%r = graph.rms_norm %x axis 1 epsilon 1.0e-5 : tensor<5x7xf64>")
case("%r = graph.layer_norm %x scale %s axis 1 epsilon 1.0e-3 : tensor<2x3x4xf64>, tensor<3x4xf64>")
case("%r = graph.group_norm %x, %s, %b groups 1 epsilon 1.0e-5 : tensor<2x3x2x2xf64>, tensor<3xf64>", types=[0, 1, 1])
case("%r = graph.cross_entropy %x, %t ignore 1 {labelSmoothing = 0.2 : f64} : tensor<4x5xf64>, tensor<4xi32>",
     t="[1, 3, 4, 0]")

_QUERY, _KEY = "tensor<2x4x5x3xf64>", "tensor<2x2x4x3xf64>"
case(f"%r = graph.attention %q, %k, %v scale 0.7 {{softcap = 1.5 : f64}} : {_QUERY}, {_KEY}, {_KEY}")
# The first query sees no key.
case(f"%r = graph.attention %q, %k, %v scale 0.7 causal : {_QUERY}, {_KEY}, {_KEY}")
case(f"%r = graph.attention %q, %k, %v mask %m scale 0.7 causal {{softcap = 2.0 : f64}} "
     f": {_QUERY}, {_KEY}, {_KEY}, tensor<1x4x1x4xf64>")
# Several tiles of queries and of keys, heads of other sizes than a vector, parts of the queries of a group.
case("%r = graph.attention %q, %k, %v scale 0.3 causal "
     ": tensor<2x3x70x5xf64>, tensor<2x1x67x5xf64>, tensor<2x1x67x19xf64>")
case("%r = graph.attention %q, %k, %v scale 0.3 {softcap = 0.8 : f64} "
     ": tensor<1x2x3x9xf64>, tensor<1x2x130x9xf64>, tensor<1x2x130x2xf64>")
case("%r = graph.rotary %x, %c, %s interleaved : tensor<2x3x7xf64>, tensor<1x3x2xf64>", types=[0, 1, 1])


def _conv(dims, strides, low, high, dilations, groups):
    x, f, y = (f"tensor<{text}xf64>" for text in dims)
    attributes = f"strides {strides} pad {low} to {high} dilations {dilations} groups {groups}"
    case(f"%r = graph.conv %x, %f {attributes} : {x}, {f}")
    case(f"%r = graph.conv_input_grad %g, %f {attributes} : ({y}, {f}) -> {x}")
    case(f"%r = graph.conv_filter_grad %x, %g {attributes} : ({x}, {y}) -> {f}")


_conv(("2x4x7x6", "6x2x3x2", "2x6x3x4"), [2, 1], [0, 1], [1, -2], [1, 1], 2)
_conv(("1x2x5x4x3", "3x2x2x1x2", "1x3x3x2x4"), [1, 2, 1], [0, 0, 1], [0, 0, 1], [2, 1, 1], 1)
_conv(("2x3x8", "3x1x3", "2x3x4"), [3], [2], [3], [1], 3)

for _kind in ["max", "sum", "avg_include", "avg_exclude"]:
    case(f"%r = graph.pool {_kind} %x window [3, 2] strides [2, 1] pad [1, 0] to [2, 1] dilations [1, 2] "
         ": tensor<2x3x5x4xf64>")
case("%r, %s = graph.pool_argmax %x window [2, 2] strides [1, 2] pad [1, 0] to [0, 0] dilations [1, 1] "
     "{columnMajor} : tensor<2x3x4x5xf64>")
_SIZES = "tensor<2x1x4x5xf64> -> tensor<2x1x7x3xf64>"
_SCALES = "scales [1.0, 1.0, 1.75, 0.6]"
for _mode, _place, _flags in [
        ("nearest", "asymmetric", ""), ("nearest", "half_pixel_symmetric", ""),
        ("linear", "half_pixel", ""), ("linear", "align_corners", ""),
        ("linear", "pytorch_half_pixel", " {antialias}"), ("cubic", "half_pixel", ""),
        ("cubic", "asymmetric", " {excludeOutside}"), ("cubic", "half_pixel", " {antialias}")]:
    case(f"%r = graph.resize {_mode} {_place} round_prefer_floor %x {_SCALES} region []{_flags} : {_SIZES}")
case("%r = graph.resize linear tf_crop_and_resize floor %x scales [1.0, 1.0, 1.75, 0.6] "
     f"region [0.0, 0.0, 0.2, -0.4, 1.0, 1.0, 0.9, 1.3] {{extrapolation = 3.0 : f64}} : {_SIZES}")
