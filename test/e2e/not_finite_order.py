"""NaN through what orders numbers: max, min and clips of elements, and the largest and smallest of dims.

Usage: not_finite_order.py

NaN wins everywhere, as in NumPy, on one rank and where ranks combine what they found. ONNX Runtime agrees for elements;
in its reductions, whether NaN wins depends on where it stands, so they are compared without NaN only.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402

_ROWS, _COLUMNS = 8, 70
_LAYOUTS = {"one": [], "rows": ["--mesh", "d=2", "--rules", '[{glob: "[xy]", axes: [d, []]}]'],
            "columns": ["--mesh", "d=2", "--rules", '[{glob: "[xy]", axes: [[], d]}]'],
            "uneven": ["--mesh", "d=3", "--rules", '[{glob: "[xy]", axes: [[], d]}]']}
_TYPES = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16}


def inputs(has_nan):
    """Two arrays; each row of the first has one NaN or infinity, at places in and at the ends of vectors."""
    generator = np.random.default_rng(7)
    x, y = (np.round(generator.uniform(-4, 4, (_ROWS, _COLUMNS)), 1).astype(np.float16).astype(np.float32)
            for _ in range(2))
    places = [0, 7, 8, 15, 31, 32, 63, 69]
    x[range(_ROWS), places] = [np.nan if has_nan else 3, np.inf, -np.inf, *[np.nan if has_nan else 3] * 5]
    y[0, 1] = y[3, 5] = np.nan if has_nan else 2
    return {"x": x, "y": y}


def model(element):
    """Casts x and y to the element type, and the results back."""
    nodes = [helper.make_node("Cast", [name], [f"{name}_"], to=_TYPES[element]) for name in "xy"]
    ops = {"max": ("Max", ["x_", "y_"], {}), "max_turned": ("Max", ["y_", "x_"], {}),
           "min": ("Min", ["x_", "y_"], {}), "min_turned": ("Min", ["y_", "x_"], {}),
           "clip": ("Clip", ["x_", "low", "high"], {}), "at_least": ("Clip", ["x_", "low"], {}),
           "at_most": ("Clip", ["x_", "", "high"], {}), "relu": ("Relu", ["x_"], {})}
    for op in ("Max", "Min"):
        for dims in ([0], [1], [0, 1]):
            name = f"reduce_{op.lower()}_{''.join(map(str, dims))}"
            ops[name] = (f"Reduce{op}", ["x_", name + "_dims"], {"keepdims": 0})
    consts = [helper.make_tensor(name, _TYPES[element], [], [value]) for name, value in (("low", -1), ("high", 2))]
    for name, (op, arguments, attributes) in ops.items():
        nodes += [helper.make_node(op, arguments, [name + "_"], **attributes),
                  helper.make_node("Cast", [name + "_"], [name], to=TensorProto.FLOAT)]
        if name.startswith("reduce"):
            dims = [int(dim) for dim in name.split("_")[2]]
            consts.append(helper.make_tensor(name + "_dims", TensorProto.INT64, [len(dims)], dims))
    shape = [_ROWS, _COLUMNS]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy"],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ops], consts)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def expected(x, y, element):
    """By NumPy, in which NaN wins."""
    if element == "bf16":  # Cut to 8 bits of a float, nearest even; NumPy has no such type.
        def rounded(a):
            bits = a.view(np.uint32)
            cut = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
            return np.where(np.isnan(a), a, cut)
        x, y = rounded(x), rounded(y)
    results = {"max": np.maximum(x, y), "max_turned": np.maximum(x, y), "min": np.minimum(x, y),
               "min_turned": np.minimum(x, y), "clip": np.minimum(np.maximum(x, -1), 2), "at_least": np.maximum(x, -1),
               "at_most": np.minimum(x, 2), "relu": np.maximum(x, 0)}
    for name, function in (("max", np.max), ("min", np.min)):
        results |= {f"reduce_{name}_0": function(x, axis=0), f"reduce_{name}_1": function(x, axis=1),
                    f"reduce_{name}_01": function(x)}
    return results


def peer(path, element, feeds):
    """What ONNX Runtime says, which has no such ops in bf16."""
    if element == "bf16":
        return {}
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    results = dict(zip(names, session.run(names, feeds)))
    # The bound that a clip lacks is the largest number for it, below infinity.
    left_out = ("at_", "reduce") if np.isnan(feeds["x"]).any() else ("at_",)
    return {name: value for name, value in results.items() if not name.startswith(left_out)}


def differences(found, wanted, who):
    for name, value in wanted.items():
        if not np.array_equal(found[name], value, equal_nan=True):
            place = tuple(np.argwhere(~((found[name] == value) | (np.isnan(found[name]) & np.isnan(value))))[0])
            yield f"{name} at {place} is {found[name][place]}, of {who} {value[place]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    problems, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for element in _TYPES:
            path = folder / "model.onnx"
            path.write_bytes(model(element).SerializeToString())
            for layout, flags in _LAYOUTS.items():
                tools.compile(path, folder / "a.sheaf", work_dir=folder, flags=flags)
                for has_nan in (False, True):
                    feeds = inputs(has_nan)
                    found = tools.execute(folder / "a.sheaf", feeds, folder)
                    wrong = [*differences(found, expected(**feeds, element=element), "NumPy"),
                             *differences(found, peer(path, element, feeds), "ONNX Runtime")]
                    problems += [f"{element} {layout}: {text}" for text in wrong]
                    count += 1
    print("\n".join([*problems, f"{count} runs, {len(problems)} things wrong"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
