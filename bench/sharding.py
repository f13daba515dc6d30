"""Time to propagate, place and partition a Llama-8B-shaped graph, on meshes of 8 and 16384 devices.

The graph has no weights: only shapes matter. Times are those of the passes themselves
(`shard-opt --mlir-timing`), in blocks that alternate between the meshes; medians are printed, and the
ratio of the two, which says how little the number of devices matters.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]
LAYERS, WIDTH, HIDDEN, HEADS, KV_HEADS, HEAD, VOCABULARY = 32, 4096, 14336, 32, 8, 128, 128256
BATCH, SEQUENCE = 2048, 4096
MESHES = {8: (2, 4), 16384: (2048, 8)}  # Both have two axes that cut: only their sizes differ.
PASSES = ("ShardingPropagatePass", "ShardingInsertReshardsPass", "ShardingPartitionPass",
          "ShardingSimplifyPass")


class Graph:
    """Text of a function, op by op."""

    def __init__(self):
        self.arguments, self.lines = [], []

    def parameter(self, name, dims, sharding=None):
        given = f", dist.sharding = #dist.sharding<@m, {sharding}>" if sharding else ""
        value = f"%p{len(self.arguments)}"
        self.arguments.append(f'{value}: tensor<{dims}xf32> {{graph.parameter = "{name}"{given}}}')
        return value

    def op(self, text):
        value = f"%{len(self.lines)}"
        self.lines.append(f"  {value} = graph.{text}")
        return value

    def contract(self, x, w, x_dims, w_dims, dim):
        out = "x".join(x_dims.split("x")[:dim] + w_dims.split("x")[1:])
        return self.op(f"contract {x}, {w} batch [] x [] over [{dim}] x [0] : "
                       f"(tensor<{x_dims}xf32>, tensor<{w_dims}xf32>) -> tensor<{out}xf32>")


def layer(graph, x, index):
    """One decoder layer: attention with grouped heads, gated feed-forward."""
    stream = f"{BATCH}x{SEQUENCE}x{WIDTH}"

    def norm(value, name):
        scale = graph.parameter(f"layers.{index}.{name}", str(WIDTH))
        return graph.op(f"rms_norm {value} scale {scale} axis 2 epsilon 1.0e-5 : "
                        f"tensor<{stream}xf32>, tensor<{WIDTH}xf32>")

    def project(value, name, out, sharding='[{}, {"tensor"}]'):
        weight = graph.parameter(f"layers.{index}.{name}", f"{WIDTH}x{out}", sharding)
        return graph.contract(value, weight, stream, f"{WIDTH}x{out}", 2)

    def heads(value, count):
        split = f"{BATCH}x{SEQUENCE}x{count}x{HEAD}"
        value = graph.op(f"reshape {value} : tensor<{BATCH}x{SEQUENCE}x{count * HEAD}xf32> -> "
                         f"tensor<{split}xf32>")
        return graph.op(f"transpose {value} by [0, 2, 1, 3] : tensor<{split}xf32>")

    def add(value, other):
        return graph.op(f"binary add {value}, {other} : tensor<{stream}xf32>")

    h = norm(x, "input_norm")
    q = heads(project(h, "q_proj", HEADS * HEAD), HEADS)
    k = heads(project(h, "k_proj", KV_HEADS * HEAD), KV_HEADS)
    v = heads(project(h, "v_proj", KV_HEADS * HEAD), KV_HEADS)
    q_dims, k_dims = (f"tensor<{BATCH}x{n}x{SEQUENCE}x{HEAD}xf32>" for n in (HEADS, KV_HEADS))
    a = graph.op(f"attention {q}, {k}, {v} scale 0.0883 causal : {q_dims}, {k_dims}, {k_dims}")
    a = graph.op(f"transpose {a} by [0, 2, 1, 3] : {q_dims}")
    a = graph.op(f"reshape {a} : tensor<{BATCH}x{SEQUENCE}x{HEADS}x{HEAD}xf32> -> "
                 f"tensor<{stream}xf32>")
    x = add(x, project(a, "o_proj", WIDTH, '[{"tensor"}, {}]'))
    h = norm(x, "post_norm")
    gate, up = project(h, "gate_proj", HIDDEN), project(h, "up_proj", HIDDEN)
    hidden = f"{BATCH}x{SEQUENCE}x{HIDDEN}"
    gate = graph.op(f"unary silu {gate} : tensor<{hidden}xf32>")
    gate = graph.op(f"binary mul {gate}, {up} : tensor<{hidden}xf32>")
    down = graph.parameter(f"layers.{index}.down_proj", f"{HIDDEN}x{WIDTH}", '[{"tensor"}, {}]')
    return add(x, graph.contract(gate, down, hidden, f"{HIDDEN}x{WIDTH}", 2))


def text(data, tensor):
    """The whole model on a mesh."""
    graph = Graph()
    table = graph.parameter("embed_tokens", f"{VOCABULARY}x{WIDTH}", '[{"tensor"}, {}]')
    x = graph.op(f"gather {table}, %ids dim 0 batch 0 : tensor<{VOCABULARY}x{WIDTH}xf32>, "
                 f"tensor<{BATCH}x{SEQUENCE}xi64>")
    for index in range(LAYERS):
        x = layer(graph, x, index)
    head = graph.parameter("lm_head", f"{WIDTH}x{VOCABULARY}", '[{}, {"tensor"}]')
    x = graph.contract(x, head, f"{BATCH}x{SEQUENCE}x{WIDTH}", f"{WIDTH}x{VOCABULARY}", 2)
    ids = (f'%ids: tensor<{BATCH}x{SEQUENCE}xi64> {{graph.input = "input_ids", '
           'dist.sharding = #dist.sharding<@m, [{"data"}, {}]>}')
    result = f"tensor<{BATCH}x{SEQUENCE}x{VOCABULARY}xf32>"
    return (f'dist.mesh @m <["data"={data}, "tensor"={tensor}]>\n'
            f"func.func @forward({', '.join([ids] + graph.arguments)}) -> {result} {{\n"
            + "\n".join(graph.lines) + f"\n  return {x} : {result}\n}}\n")


def measure(tool, path):
    """Milliseconds of the sharding passes, and how many of each collective they made."""
    flags = ["--sharding-propagate", "--sharding-insert-reshards", "--sharding-partition",
             "--mlir-timing", "--mlir-timing-display=list"]
    done = subprocess.run([tool, path, *flags], capture_output=True, text=True, check=True,
                          preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    seconds = sum(float(time) for time, name in
                  re.findall(r"^\s*([\d.]+) .*?(\w+Pass)$", done.stderr, re.M) if name in PASSES)
    counts = {}
    for name in re.findall(r"dist\.(all_\w+|reduce_scatter|permute|slice)\b", done.stdout):
        counts[name] = counts.get(name, 0) + 1
    return seconds * 1000, counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=REPO / "build" / "release")
    parser.add_argument("--blocks", type=int, default=7)
    arguments = parser.parse_args()
    times, counts = {n: [] for n in MESHES}, {}
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for devices, mesh in MESHES.items():
            paths[devices] = Path(folder) / f"llama_{devices}.mlir"
            paths[devices].write_text(text(*mesh), encoding="utf-8")
        for _ in range(arguments.blocks):
            for devices, path in paths.items():
                milliseconds, counts[devices] = measure(arguments.build / "bin" / "shard-opt", path)
                times[devices].append(milliseconds)
    medians = {devices: statistics.median(values) for devices, values in times.items()}
    for devices, median in medians.items():
        print(f"{devices:6} devices: {median:7.1f} ms  {counts[devices]}")
    small, large = (medians[devices] for devices in MESHES)
    print(f"ratio {large / small:.2f}")
    sys.exit(0)


if __name__ == "__main__":
    main()
