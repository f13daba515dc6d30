"""Every op of the graph dialect with shapes that sharding finds hard, and inputs that are valid.

Extents are mostly uneven; those that a rule has to cut with care (reshapes, windows, groups) come
in several forms.
"""

import re
import subprocess
from dataclasses import dataclass

import numpy as np

from equivalence.agree import random_tensor

_TENSOR = re.compile(r"tensor<([^>]*)>")
CASES = []


@dataclass
class OpCase:
    """One op: its text, the values that are not random, and its types, once they are known."""

    text: str
    formulas: dict
    argument_types: list
    result_types: list

    @property
    def op(self):
        return re.search(r"graph\.(\w+)", self.text)[1]

    @property
    def arguments(self):
        return re.findall(r"%(\w+)", self.text.split(" = ", 1)[1])

    @property
    def results(self):
        return re.findall(r"%(\w+)", self.text.split(" = ", 1)[0])

    def values(self):
        """The arguments: random, but for those that have a formula."""
        rng = np.random.default_rng(0)
        values = []
        for name, type_text in zip(self.arguments, self.argument_types):
            value = random_tensor(rng, type_text)
            if name in self.formulas:
                scope = {"np": np, "rng": rng}
                value = np.asarray(eval(self.formulas[name], scope), value.dtype)  # noqa: S307
            values.append(value)
        return values


def make_case(text, types=None, **formulas):
    """A case. `types` says which written type each argument has, where they share some; a text is one not written."""
    written = _TENSOR.findall(text.rsplit(" -> ", 1)[0]) if "%" in text.split(" = ")[1] else []
    return OpCase(text, formulas, [i if isinstance(i, str) else written[i] for i in types] if types else written, [])


def case(text, types=None, **formulas):
    """Adds a case to those of all ops."""
    CASES.append(make_case(text, types, **formulas))


def infer_result_types(tools, cases):
    """Asks shard-opt for the types of all results."""
    functions = []
    for index, one in enumerate(cases):
        arguments = ", ".join(f"%{name}: tensor<{type_text}>"
                              for name, type_text in zip(one.arguments, one.argument_types))
        functions.append(f"func.func @case{index}({arguments}) {{\n  {one.text}\n  return\n}}")
    done = subprocess.run([tools.bin_dir / "shard-opt", "--mlir-print-op-generic", "-"],
                          input="\n".join(functions), text=True, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    ops = [line for line in done.stdout.splitlines() if re.search(r'= "graph\.', line)]
    assert len(ops) == len(cases)
    for one, line in zip(cases, ops):
        one.result_types = _TENSOR.findall(line.rsplit(" -> ", 1)[1])


def _index(shape, extent, dtype="int64"):
    """Valid indices, those that count from the end among them."""
    return f"rng.integers(-{extent}, {extent}, {shape}).astype(np.{dtype})"


def _conv(batch, channels, outputs, groups, space, window, stride=1, padding=0, dilation=1):
    """A convolution and both of its gradients."""
    rank = len(space)
    moved = [(x + 2 * padding - dilation * (window - 1) - 1) // stride + 1 for x in space]
    dims = lambda *parts: f"tensor<{'x'.join(map(str, parts))}xf32>"  # noqa: E731
    x, y = dims(batch, channels, *space), dims(batch, outputs, *moved)
    f = dims(outputs, channels // groups, *[window] * rank)
    attributes = (f"strides {[stride] * rank} pad {[padding] * rank} to {[padding] * rank} "
                  f"dilations {[dilation] * rank} groups {groups}")
    case(f"%r = graph.conv %x, %f {attributes} : {x}, {f}")
    case(f"%r = graph.conv_input_grad %g, %f {attributes} : ({y}, {f}) -> {x}")
    case(f"%r = graph.conv_filter_grad %x, %g {attributes} : ({x}, {y}) -> {f}")


_conv(5, 6, 4, 1, [6, 5], 3, padding=1)
_conv(4, 6, 3, 3, [4, 4], 1)
_conv(2, 6, 6, 6, [8, 6], 2, stride=2)
_conv(3, 8, 4, 2, [7], 2, stride=2)
_conv(3, 8, 12, 4, [6], 3, padding=1)
_conv(3, 5, 7, 1, [9], 3, stride=3)
_conv(2, 3, 5, 1, [8], 3, padding=2, dilation=2)

for _shape in ["5x7", "4x6", "3"]:
    case(f"%r = graph.unary tanh %x : tensor<{_shape}xf32>")
    case(f"%r = graph.binary sub %a, %b : tensor<{_shape}xf32>", types=[0, 0])
    case(f"%r = graph.constant dense<2.5> : tensor<{_shape}xf32>")
    for _element in ["f32", "i64", "i32", "i8"]:
        case(f"%r = graph.iota dim 0 : tensor<{_shape}x{_element}>")
    case(f"%r = graph.random uniform seed 7 (0.0, 1.0) : tensor<{_shape}xf32>")
    case(f"%r = graph.random bernoulli seed 7 counter %n (0.3, 0.0) : tensor<{_shape}xi1>", types=["i64"], n="5")
    case(f"%r = graph.dropout %x ratio 0.25 seed 7 active counter %n : tensor<{_shape}xf32>", types=[0, "i64"], n="5")
case("%r = graph.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12], [13, 14, 15]]> : tensor<5x3xi64>")
case("%r = graph.iota dim 1 : tensor<5x6xf16>")
case("%r = graph.iota dim 0 : tensor<700xbf16>")
case("%r = graph.random normal seed 3 (1.0, 2.0) : tensor<3x5xf64>")
case("%r = graph.random uniform seed 3 (0.0, 1.0) at %n of [9, 11] : tensor<3x5xf32>", types=["i64"], n="24")
case("%r = graph.dropout %x ratio 0.5 seed 3 active : tensor<5x6xbf16>")
case("%r = graph.dropout %x ratio 0.5 seed 3 : tensor<5x6xf16>")
case("%r = graph.unary not %x : tensor<5x3xi1>")
case("%r = graph.binary max %a, %b : tensor<7xi8>", types=[0, 0])
case("%r = graph.compare le %a, %b : tensor<5x6xi32>", types=[0, 0])
case("%r = graph.select %p, %a, %b : tensor<5x6xi1>, tensor<5x6xbf16>", types=[0, 1, 1])
case("%r = graph.cast %x : tensor<5x6xf32> -> tensor<5x6xf16>")
case("%r = graph.cast %x : tensor<7xi1> -> tensor<7xi64>")

case("%r = graph.contract %a, %b batch [0] x [0] over [2] x [1] "
     ": (tensor<3x4x7xf32>, tensor<3x7x5xf32>) -> tensor<3x4x5xf32>")
case("%r = graph.contract %a, %b batch [] x [] over [0] x [1] : (tensor<7x6xf32>, tensor<5x7xf32>) -> tensor<6x5xf32>")
case("%r = graph.contract %a, %b batch [] x [] over [0, 1] x [1, 0] "
     ": (tensor<3x5xf32>, tensor<5x3xf32>) -> tensor<f32>")
case("%r = graph.contract %a, %b batch [1] x [2] over [] x [] "
     ": (tensor<4x3xf16>, tensor<2x5x3xf16>) -> tensor<3x4x2x5xf32>")
case("%r = graph.contract %a, %b batch [] x [] over [1] x [0] : (tensor<5x6xi32>, tensor<6x4xi32>) -> tensor<5x4xi32>")
case("%r = graph.transpose %x by [2, 0, 1] : tensor<4x5x3xf32>")
case("%r = graph.broadcast %x to [0, 2] : tensor<4x1xf32> -> tensor<4x5x3xf32>")
case("%r = graph.slice %x from [0, 1, 0] to [5, 5, 4] by [1, 2, 1] : tensor<5x6x4xf32>")
case("%r = graph.slice %x from [0, 0] to [1, 7] by [3, 1] : tensor<1x7xf32>")
case("%r = graph.slice %x from [2, 3] to [5, 3] by [1, 1] : tensor<6x5xf32>")
case("%r = graph.slice %x from [3, 1] to [12, 8] by [2, 3] : tensor<13x9xi64>")
case("%r = graph.slice %x from [7] to [8] by [1] : tensor<8xi1>")
case("%r = graph.pad %x, %v low [0, 1] high [0, 1] : tensor<5x8xf32>, tensor<f32>")
case("%r = graph.pad %x, %v low [7, 0] high [2, 3] : tensor<5x4xi64>, tensor<i64>")
case("%r = graph.pad %x, %v low [2] high [0] : tensor<0xf32>, tensor<f32>")
case("%r = graph.reverse %x dims [0] : tensor<5x7xf32>")
case("%r = graph.reverse %x dims [0, 1] : tensor<8x5xi1>")
case("%r = graph.concat %a, %b dim 1 : tensor<5x8xf32>, tensor<5x2xf32>")
case("%r = graph.concat %a, %b, %c dim 0 : tensor<2x3xi64>, tensor<0x3xi64>, tensor<5x3xi64>")
for _from, _to in [("6x4", "4x6"), ("2x4", "8"), ("12", "3x4"), ("8x4", "2x16"), ("6x35x4", "2x15x28"),
                   ("6x2", "4x3"), ("3x4x5", "3x20"), ("1x7x1", "7x1"), ("12x10", "6x4x5"), ("4x6", "24"),
                   ("6x10x4", "4x6x10"), ("8x9", "12x6"), ("0x4", "2x0"), ("1", "1x1")]:
    case(f"%r = graph.reshape %x : tensor<{_from}xf32> -> tensor<{_to}xf32>")

case("%r = graph.gather %t, %i dim 0 batch 0 : tensor<11x6xf32>, tensor<3x5xi64>", i=_index((3, 5), 11))
case("%r = graph.gather %t, %i dim 0 batch 0 : tensor<11xi64>, tensor<7xi32>", i=_index((7,), 11, "int32"))
case("%r = graph.gather %t, %i dim 0 batch 0 : tensor<11xi1>, tensor<7xi32>", i=_index((7,), 11, "int32"))
case("%r = graph.gather %t, %i dim 1 batch 1 : tensor<5x7x3xf32>, tensor<5x4xi64>", i=_index((5, 4), 7))
case("%r = graph.gather %t, %i dim 2 batch 1 : tensor<5x3x7xf32>, tensor<5x4xi64>", i=_index((5, 4), 7))
case("%r = graph.gather %t, %i dim 0 batch 0 : tensor<3x4xf32>, tensor<i64>", i="-1")
case("%r = graph.gather_elements %x, %i dim 1 : tensor<5x8xf32>, tensor<5x3xi64>", i=_index((5, 3), 8))
case("%r = graph.gather_elements %x, %i dim 0 : tensor<5x7xf32>, tensor<6x3xi64>", i=_index((6, 3), 5))
case("%r = graph.gather_nd %x, %i batch 0 : tensor<5x4x3xf32>, tensor<7x2xi64>",
     i="np.stack([rng.integers(-5, 5, 7), rng.integers(-4, 4, 7)], -1)")
case("%r = graph.gather_nd %x, %i batch 1 : tensor<5x4x3xf32>, tensor<5x6x1xi64>", i=_index((5, 6, 1), 4))
case("%r = graph.gather_nd %x, %i batch 0 : tensor<5x4xf32>, tensor<2x7x2xi32>",
     i="np.stack([rng.integers(-5, 5, (2, 7)), rng.integers(-4, 4, (2, 7))], -1)")
for _kind in ["set", "add", "mul", "max", "min"]:
    case(f"%r = graph.scatter_elements {_kind} %x, %i, %u dim 1 : tensor<5x7xf32>, tensor<5x6xi64>, tensor<5x6xf32>",
         i=_index((5, 6), 7))
    case(f"%r = graph.scatter_elements {_kind} %x, %i, %u dim 0 : tensor<5x7xi64>, tensor<4x6xi64>, tensor<4x6xi64>",
         i=_index((4, 6), 5))
    case(f"%r = graph.scatter_elements {_kind} %x, %i, %u dim 0 : tensor<1x3xf32>, tensor<4x3xi64>, tensor<4x3xf32>",
         i=_index((4, 3), 1))
    case(f"%r = graph.scatter_nd {_kind} %x, %i, %u : tensor<9x4xf32>, tensor<7x1xi64>, tensor<7x4xf32>",
         i=_index((7, 1), 9))
    case(f"%r = graph.scatter_nd {_kind} %x, %i, %u : tensor<3x4x2xf32>, tensor<3x5x2xi64>, tensor<3x5x2xf32>",
         i="np.stack([rng.integers(-3, 3, (3, 5)), rng.integers(-4, 4, (3, 5))], -1)")

_WINDOWS = "window [2, 2] strides [2, 2] pad [0, 0] to [0, 0] dilations [1, 1]"
for _kind in ["max", "sum", "avg_include", "avg_exclude"]:
    case(f"%r = graph.pool {_kind} %x {_WINDOWS} : tensor<3x5x8x9xf32>")
    case(f"%r = graph.pool {_kind} %x window [3] strides [1] pad [1] to [1] dilations [1] : tensor<2x3x7xf32>")
    case(f"%r = graph.pool {_kind} %x window [3, 2] strides [2, 1] pad [1, 0] to [2, 1] dilations [1, 2] "
         ": tensor<2x3x9x8xf32>", x="rng.permutation(432).reshape(2, 3, 9, 8) / 64")  # No two are nearly equal.
    case(f"%r = graph.pool {_kind} %x window [2] strides [3] pad [0] to [1] dilations [1] : tensor<2x3x11xf16>")
case("%r = graph.pool max %x window [3] strides [1] pad [1] to [1] dilations [1] : tensor<2x3x7xi8>")
case(f"%r, %s = graph.pool_argmax %x {_WINDOWS} : tensor<3x5x8x9xf32>")
case("%r, %s = graph.pool_argmax %x window [3] strides [2] pad [1] to [1] dilations [1] : tensor<4x6x9xf32>")
for _mode in ["nearest", "linear", "cubic"]:
    for _place in ["half_pixel", "align_corners"]:
        case(f"%r = graph.resize {_mode} {_place} floor %x scales [1.0, 1.0, 2.0, 1.0] region [] "
             ": tensor<3x5x4x6xf32> -> tensor<3x5x8x6xf32>")

for _kind in ["sum", "max", "min", "prod"]:
    case(f"%r = graph.reduce {_kind} %x over [0, 2] : tensor<3x5x7xf32>")
    case(f"%r = graph.reduce {_kind} %x over [1] : tensor<3x5x7xi64>")
    case(f"%r = graph.reduce {_kind} %x over [0] : tensor<0x3xf32>")
for _kind in ["any", "all"]:
    case(f"%r = graph.reduce {_kind} %x over [1] : tensor<5x3x2xi1>")
case("%r = graph.arg_reduce max %x dim 1 : tensor<5x8x3xf32>")
case("%r = graph.arg_reduce min %x dim 0 {last} : tensor<7x3xi32>")
case("%r = graph.cumulative sum %x dim 1 : tensor<5x8x3xf32>")
case("%r = graph.cumulative prod %x dim 0 {exclusive, reverse} : tensor<5x3xf32>")
case("%r, %s = graph.sort %x dim 1 : tensor<5x8x3xf32>")
case("%r, %s = graph.sort %x dim 0 {descending} : tensor<7x3xi8>")
case("%r, %s = graph.topk %x dim 1 k 3 : tensor<5x8x3xf32>")

case("%r = graph.softmax %x dim 2 : tensor<5x3x4xf32>")
case("%r = graph.softmax %x dim 0 : tensor<5x3xf32>")
case("%r = graph.log_softmax %x dim 0 : tensor<5x3x4xf32>")
case("%r = graph.layer_norm %x scale %s bias %b axis 1 epsilon 1.0e-5 : tensor<5x8xf32>, tensor<8xf32>, tensor<8xf32>")
case("%r = graph.layer_norm %x axis 1 epsilon 1.0e-5 : tensor<5x7xf32>")
case("%r = graph.layer_norm %x axis 1 epsilon 1.0e-5 : tensor<5x3x7xf32>")
case("%r = graph.rms_norm %x scale %s axis 2 epsilon 1.0e-5 : tensor<5x3x8xf32>, tensor<8xf32>")
case("%r = graph.batch_norm %x, %s, %b, %m, %v epsilon 1.0e-5 : tensor<3x7x4xf32>, tensor<7xf32>, tensor<7xf32>",
     types=[0, 1, 1, 2, 2], v="np.abs(rng.standard_normal(7))")
case("%r = graph.group_norm %x, %s, %b groups 4 epsilon 1.0e-5 : tensor<3x8x4xf32>, tensor<8xf32>", types=[0, 1, 1])
case("%r = graph.group_norm %x, %s, %b groups 7 epsilon 1.0e-5 : tensor<3x7x4xf32>, tensor<7xf32>", types=[0, 1, 1])
case("%r = graph.cross_entropy %x, %t : tensor<3x5x8xf32>, tensor<3x5xi64>", t="rng.integers(0, 8, (3, 5))")
case("%r = graph.cross_entropy %x, %t ignore -100 : tensor<5x8xf32>, tensor<5xi64>", t="[1, -100, 2, 7, -100]")
case("%r = graph.cross_entropy %x, %t {labelSmoothing = 0.1 : f64} : tensor<5x7xf32>, tensor<5xi64>",
     t="rng.integers(0, 7, 5)")
case("%r = graph.attention %q, %k, %v scale 0.5 causal "
     ": tensor<3x4x5x8xf32>, tensor<3x2x7x8xf32>, tensor<3x2x7x6xf32>")
case("%r = graph.attention %q, %k, %v scale 0.5 : tensor<3x4x5x8xf32>, tensor<3x4x7x8xf32>, tensor<3x4x7x6xf32>")
case("%r = graph.attention %q, %k, %v mask %m scale 0.5 "
     ": tensor<2x6x5x8xf32>, tensor<2x1x7x8xf32>, tensor<2x1x7x6xf32>, tensor<1x6x5x7xf32>")
case("%r = graph.attention %q, %k, %v mask %m scale 0.5 "
     ": tensor<2x8x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x6xf32>, tensor<2x1x5x7xf32>")
case("%r, %s, %u = graph.attention_grad %q, %k, %v, %g scale 0.5 causal "
     ": tensor<3x4x5x8xf32>, tensor<3x2x7x8xf32>, tensor<3x2x7x6xf32>, tensor<3x4x5x6xf32>")
case("%r, %s, %u = graph.attention_grad %q, %k, %v, %g scale 0.5 "
     ": tensor<3x4x5x8xf32>, tensor<3x4x7x8xf32>, tensor<3x4x7x6xf32>, tensor<3x4x5x6xf32>")
case("%r, %s, %u = graph.attention_grad %q, %k, %v, %g mask %m scale 0.5 {softcap = 1.5 : f64} "
     ": tensor<2x6x5x8xf32>, tensor<2x1x7x8xf32>, tensor<2x1x7x6xf32>, tensor<2x6x5x6xf32>, tensor<1x6x5x7xf32>")
case("%r, %s, %u, %w = graph.attention_grad %q, %k, %v, %g mask %m scale 0.5 mask_gradient "
     ": tensor<2x8x5x8xf32>, tensor<2x2x7x8xf32>, tensor<2x2x7x6xf32>, tensor<2x8x5x6xf32>, tensor<2x1x5x7xf32>")
case("%r = graph.rotary %x, %c, %s : tensor<2x3x5x8xf32>, tensor<1x1x5x4xf32>", types=[0, 1, 1])
case("%r = graph.rotary %x, %c, %s interleaved : tensor<2x3x5x8xf32>, tensor<2x1x5x3xf32>", types=[0, 1, 1])
