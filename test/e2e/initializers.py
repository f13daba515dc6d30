"""Parameters that begin with random numbers: the same bits on every layout, of the distributions that were asked for.

Usage: initializers.py

A learning rate of 0 leaves them in the checkpoint of a step.
"""

import argparse
import json
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Refused, Toolchain, add_bin_option, find_bin_dir  # noqa: E402

_MODEL = """func.func @forward(%x: tensor<4x60xf32> {graph.input = "x"},
    %first: tensor<60x30xf32> {graph.parameter = "first"}, %second: tensor<50x30xf32> {graph.parameter = "second"},
    %third: tensor<50x50xf32> {graph.parameter = "third"}, %shift: tensor<50xf32> {graph.parameter = "shift"},
    %scale: tensor<50xf32> {graph.parameter = "scale"}) -> (tensor<4x50xf32> {graph.output = "y"}) {
  %0 = graph.contract %x, %first batch [] x [] over [1] x [0]
      : (tensor<4x60xf32>, tensor<60x30xf32>) -> tensor<4x30xf32>
  %1 = graph.transpose %second by [1, 0] : tensor<50x30xf32>
  %2 = graph.contract %0, %1 batch [] x [] over [1] x [0]
      : (tensor<4x30xf32>, tensor<30x50xf32>) -> tensor<4x50xf32>
  %3 = graph.contract %2, %third batch [] x [] over [1] x [0]
      : (tensor<4x50xf32>, tensor<50x50xf32>) -> tensor<4x50xf32>
  %4 = graph.broadcast %shift to [1] : tensor<50xf32> -> tensor<4x50xf32>
  %5 = graph.broadcast %scale to [1] : tensor<50xf32> -> tensor<4x50xf32>
  %6 = graph.binary mul %3, %5 : tensor<4x50xf32>
  %y = graph.binary add %6, %4 : tensor<4x50xf32>
  return %y : tensor<4x50xf32>
}
"""
_INIT = ["*=normal(0.02)", "first=xavier_uniform", "second=kaiming_normal", "shift=zeros", "scale=ones"]
_LAYOUTS = {
    "one": [],
    "zero3": ["--mesh", "data=2", "--strategy", "zero3"],
    "ddp": ["--mesh", "data=2", "--strategy", "ddp"],
    "uneven": ["--mesh", "data=4", "--strategy", "zero1"],
    "three": ["--mesh", "data=3", "--strategy", "zero3"],
    "hsdp": ["--mesh", "replica=2,shard=2", "--strategy", "hsdp"],
    "tensor": ["--mesh", "data=2,tensor=2", "--strategy", "zero3", "--rules", "RULES"],
}


def read_safetensors(path):
    """Arrays of f32 by name."""
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            arrays[name] = np.frombuffer(data[8 + length:][begin:end], "<f4").reshape(entry["shape"])
    return arrays


def initial(tools, folder, layout, *seed):
    """The parameters before the first step."""
    model, program = folder / "model.mlir", folder / "step.sheaf"
    model.write_text(_MODEL, encoding="utf-8")
    rules = folder / "rules.yaml"
    rules.write_text("- {name: 'first', columns: [tensor]}\n", encoding="utf-8")
    flags = [str(rules) if flag == "RULES" else flag for flag in _LAYOUTS[layout]]
    inits = [word for rule in _INIT for word in ("--init", rule)]
    tools.compile(model, program, flags=["--train", "--loss", "mse:y,t", "--optimizer", "sgd", "--lr", "0",
                                         *inits, *flags])
    np.savez(folder / "data.npz", x=np.ones((8, 60), "f"), t=np.ones((8, 50), "f"))
    saved, merged = folder / f"{layout}{len(seed)}", folder / f"{layout}{len(seed)}.safetensors"
    tools.run("shard-run", program, "--data", folder / "data.npz", "--steps", "1", "--checkpoint", saved, *seed)
    tools.run("shard-ckpt", "merge", saved, "--parameters-only", "-o", merged)
    return read_safetensors(merged)


def check_distributions(values):
    """Yields what is wrong."""
    expected = {"first": np.sqrt(6 / 90) / np.sqrt(3), "second": np.sqrt(2 / 30), "third": 0.02}
    for name, deviation in expected.items():
        found, mean = values[name].std(), values[name].mean()
        # Of 1500 numbers or more the deviation is good to some 2 %.
        if not abs(found / deviation - 1) < 0.08 or not abs(mean) < 0.1 * deviation:
            yield f"{name} has mean {mean} and deviation {found}, not {deviation}"
    bound = np.sqrt(6 / 90)
    if not 0.98 * bound < np.abs(values["first"]).max() <= bound:
        yield f"first reaches {np.abs(values['first']).max()}, not {bound}"
    if not np.abs(values["third"]).max() > 0.05:
        yield "third is not normal"
    if values["shift"].any() or not (values["scale"] == 1).all():
        yield "constants are wrong"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        values = initial(tools, folder, "one")
        problems = list(check_distributions(values))
        for layout in list(_LAYOUTS)[1:]:
            others = initial(tools, folder, layout)
            problems += [f"{layout}: {key} differs" for key in values
                         if values[key].tobytes() != others[key].tobytes()]
        other = initial(tools, folder, "one", "--seed", "1")
        problems += [f"{key} does not depend on the seed" for key in ("first", "second", "third")
                     if (values[key] == other[key]).any()]
        try:
            tools.run("shard-run", folder / "step.sheaf", "--program", "eval", "--random-inputs",
                      "--weights", folder / "one0.safetensors")
            problems.append("weights were given and not used")
        except Refused as refusal:
            if "compile it without --init" not in str(refusal):
                problems.append(str(refusal))
    print("\n".join([*problems, f"{len(_LAYOUTS)} layouts, {len(problems)} things wrong"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
