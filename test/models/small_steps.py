"""Training steps written by hand, as .mlir text: `python -m models.small_steps linear|tokens|nan [axes]`.

linear: regression by gradient descent, y = x w, on 2 micro-batches of 4 samples of 3 numbers; validation of 4.
tokens: changes nothing and tells sums of what it was fed: windows of 6 tokens with labels whose padding is -100;
        2 micro-batches of 2 windows, validation of 4.
nan:    its loss is 1 divided by the sum of the numbers it is fed: 2 samples of one number.

`axes`, such as "data=2" or "data=2,seq=2", cut the samples over the first and the rest of a sample over the second.
"""

import sys


def sharding(axes, rank):
    """The attribute of an input of so many dims."""
    if not axes:
        return ""
    cuts = ["{}", f'{{"{axes[0][0]}"}}', f'{{"{axes[1][0]}"}}' if len(axes) > 1 else "{}"]
    return f", dist.sharding = #dist.sharding<@mesh, [{', '.join(cuts[:rank])}]>"


def linear_program(name, axes, batches, samples):
    """The loss, and in a training step what becomes of w."""
    x, y = f"tensor<{batches}x{samples}x3xf32>", f"tensor<{batches}x{samples}xf32>"
    w = "tensor<3xf32>"
    is_step = name == "train_step"
    return f"""
func.func @{name}(%x: {x} {{graph.input = "x"{sharding(axes[:1], 3)}}},
    %y: {y} {{graph.input = "y"{sharding(axes, 2)}}},
    %w: {w} {{graph.parameter = "w", graph.kept, graph.source = dense<0.0> : {w}}})
    -> (tensor<f32> {{graph.output = "loss"}}, {w + ' {graph.update = "w"}' if is_step else
        'tensor<f32> {graph.output = "count"}'})
    attributes {{graph.program = "{name}", graph.micro_batches = {batches} : i64}} {{
  %p = graph.contract %x, %w batch [] x [] over [2] x [0] : ({x}, {w}) -> {y}
  %e = graph.binary sub %p, %y : {y}
  %q = graph.binary mul %e, %e : {y}
  %s = graph.reduce sum %q over [0, 1] : {y}
  %n = graph.constant dense<{1 / (batches * samples)}> : tensor<f32>
  %loss = graph.binary mul %s, %n : tensor<f32>
  %g = graph.contract %x, %e batch [] x [] over [0, 1] x [0, 1] : ({x}, {y}) -> {w}
  %rate = graph.constant dense<0.025> : {w}
  %d = graph.binary mul %g, %rate : {w}
  %v = graph.binary sub %w, %d : {w}
  %c = graph.constant dense<{batches * samples}.0> : tensor<f32>
  return %loss, {f"%v : tensor<f32>, {w}" if is_step else "%c : tensor<f32>, tensor<f32>"}
}}"""


def tokens_program(name, axes, batches, samples):
    """Sums over labels that count: how many, the mean of token times label, and of tokens."""
    ids, floats = f"tensor<{batches}x{samples}x6xi64>", f"tensor<{batches}x{samples}x6xf32>"
    cut = sharding(axes, 3)
    count = "tokens" if name == "train_step" else "count"
    return f"""
func.func @{name}(%ids: {ids} {{graph.input = "input_ids"{cut}}},
    %labels: {ids} {{graph.input = "labels", graph.padding = -100 : i64{cut}}})
    -> (tensor<f32> {{graph.output = "loss"}}, tensor<f32> {{graph.output = "{count}"}},
        tensor<f32> {{graph.output = "correct"}})
    attributes {{graph.program = "{name}", graph.micro_batches = {batches} : i64}} {{
  %padding = graph.constant dense<-100> : {ids}
  %counts = graph.compare ne %labels, %padding : {ids}
  %one = graph.cast %counts : tensor<{batches}x{samples}x6xi1> -> {floats}
  %count = graph.reduce sum %one over [0, 1, 2] : {floats}
  %f = graph.cast %ids : {ids} -> {floats}
  %l = graph.cast %labels : {ids} -> {floats}
  %a = graph.binary mul %f, %one : {floats}
  %b = graph.binary mul %a, %l : {floats}
  %products = graph.reduce sum %b over [0, 1, 2] : {floats}
  %sum = graph.reduce sum %a over [0, 1, 2] : {floats}
  %loss = graph.binary div %products, %count : tensor<f32>
  return %loss, %count, %sum : tensor<f32>, tensor<f32>, tensor<f32>
}}"""


def nan_program(axes):
    """Divides by what it is fed."""
    x = "tensor<1x2xf32>"
    return f"""
func.func @step(%x: {x} {{graph.input = "x"{sharding(axes, 2)}}}) -> (tensor<f32> {{graph.output = "loss"}})
    attributes {{graph.program = "train_step", graph.micro_batches = 1 : i64}} {{
  %sum = graph.reduce sum %x over [0, 1] : {x}
  %one = graph.constant dense<1.0> : tensor<f32>
  %loss = graph.binary div %one, %sum : tensor<f32>
  return %loss : tensor<f32>
}}"""


def text(kind, axes=""):
    """The whole file."""
    axes = [axis.split("=") for axis in axes.split(",") if axis]
    mesh = ", ".join(f'"{name}"={size}' for name, size in axes)
    lines = [f"dist.mesh @mesh <[{mesh}]>"] if axes else []
    if kind == "linear":
        lines += [linear_program("train_step", axes, 2, 4), linear_program("eval", axes, 1, 4)]
    elif kind == "tokens":
        lines += [tokens_program("train_step", axes, 2, 2), tokens_program("eval", axes, 1, 4)]
    else:
        lines += [nan_program(axes)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(text(*sys.argv[1:]))
