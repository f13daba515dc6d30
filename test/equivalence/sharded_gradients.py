"""Executes the loss and gradients of a small decoder on the ranks of several layouts and on one.

Usage: sharded_gradients.py DECODER.mlir

Gradients are built first and sharded then, as everything is: the layouts say where parameters and
batch are, and what has to be added up between ranks follows. Where parameters are whole on all ranks, each
gradient is added up once, together with nothing else: one all_reduce per parameter, and the loss.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from driver.tools import Toolchain, add_bin_option, find_bin_dir
from equivalence.agree import random_tensor
from equivalence.sharded_module import failure_of

_DATA = {"ids": '{"data"}, {}', "labels": '{"data"}, {}'}
_WHOLE = {"table": "{}, {}", "scale": "{}", "wq": "{}, {}", "wk": "{}, {}", "wv": "{}, {}",
          "wo": "{}, {}", "up": "{}, {}", "down": "{}, {}"}
_COLUMNS, _ROWS = '{}, {"tensor"}', '{"tensor"}, {}'
_HEADS = {"table": _ROWS, "wq": _COLUMNS, "wk": _COLUMNS, "wv": _COLUMNS, "wo": _ROWS,
          "up": _COLUMNS, "down": _ROWS, "scale": "{}"}
_STORED = {name: text.replace("{}", '{"data"}', 1) for name, text in _WHOLE.items()}

# name -> (axes of the mesh, sharding of each argument)
LAYOUTS = {
    "batch": ('"data"=2', _DATA | _WHOLE),
    "uneven batch": ('"data"=3', _DATA | _WHOLE),
    "batch of four": ('"data"=4', _DATA | _WHOLE),
    "heads": ('"tensor"=2', _HEADS),
    "batch and heads": ('"data"=2, "tensor"=2', _DATA | _HEADS),
    "stored in parts": ('"data"=2', _DATA | _STORED),
    "stored in uneven parts": ('"data"=3', _DATA | _STORED),
}
_ARGUMENT = re.compile(r"%(\w+): tensor<([^>]*)>")
_IDS = np.arange(24).reshape(4, 6)
_VALUES = {"ids": _IDS * 7 % 11, "labels": np.where(_IDS % 5 == 1, -100, _IDS * 3 % 11)}


def shard_opt(tools, text, *flags):
    """The text after the passes."""
    done = subprocess.run([tools.bin_dir / "shard-opt", *flags, "-"], input=text, text=True,
                          capture_output=True, check=False, timeout=tools.timeout_s)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def sharded(text, mesh, shardings):
    """The function with its arguments sharded over a mesh."""
    def annotate(match):
        sharding = shardings.get(match[1])
        return match[0] + (f" {{dist.sharding = #dist.sharding<@m, [{sharding}]>}}" if sharding else "")
    head, body = text.split("{\n", 1)
    return f"dist.mesh @m <[{mesh}]>\n" + _ARGUMENT.sub(annotate, head) + "{\n" + body


def num_reductions(text, tools):
    """How many collectives combine values."""
    partitioned = shard_opt(tools, text, "--canonicalize", "--cse", "--sharding-propagate",
                            "--sharding-insert-reshards", "--sharding-partition", "--canonicalize",
                            "--cse", "--sharding-simplify")
    return len(re.findall(r"dist\.(?:all_reduce|reduce_scatter) ", partitioned))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    add_bin_option(parser)
    arguments = parser.parse_args()
    tools = Toolchain(find_bin_dir(arguments.bin))
    forward = arguments.file.read_text(encoding="utf-8")
    types = dict(_ARGUMENT.findall(forward.split("{\n", 1)[0]))
    rng = np.random.default_rng(0)
    inputs = {f"input{index}": _VALUES[name] if name in _VALUES else random_tensor(rng, type_text)
              for index, (name, type_text) in enumerate(types.items())}
    by = ",".join(str(index) for index, name in enumerate(types) if name not in _VALUES)
    num_wrong = 0
    for name, (mesh, shardings) in LAYOUTS.items():
        text = shard_opt(tools, sharded(forward, mesh, shardings),
                         f"--training-differentiate=arguments={by}")
        problem = failure_of(text, inputs, tools)
        if not problem and shardings.items() >= _WHOLE.items():
            found, wanted = num_reductions(text, tools), len(_WHOLE) + 1
            if found != wanted:
                problem = f"{found} reductions, not {wanted}"
        if problem:
            num_wrong += 1
            print(f"{name}: {problem}", flush=True)
    print(f"{len(LAYOUTS)} layouts, {num_wrong} wrong")
    sys.exit(1 if num_wrong else 0)


if __name__ == "__main__":
    main()
