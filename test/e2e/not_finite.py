"""NaN, infinities and large numbers through every activation, as a cluster and within products, in f32 and bf16.

Usage: not_finite.py

NaN stays NaN everywhere; the rest is what the function's limit is, but that x times 0 may be NaN at -infinity.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, add_bin_option, find_bin_dir  # noqa: E402

_VALUES = np.array([np.nan, np.inf, -np.inf, -1e30, 1e30, -3, 0, 2], np.float32)
# The values at inf, -inf, -1e30 and 1e30.
_LIMITS = {"relu": (np.inf, 0, 0, 1e30), "gelu_erf": (np.inf, 0, 0, 1e30), "gelu_tanh": (np.inf, 0, 0, 1e30),
           "silu": (np.inf, 0, 0, 1e30), "tanh": (1, -1, -1, 1), "sigmoid": (1, 0, 0, 1),
           "abs": (np.inf, np.inf, 1e30, 1e30), "neg": (-np.inf, np.inf, 1e30, -1e30), "softplus": (np.inf, 0, 0, 1e30)}
_VANISH = ("gelu_erf", "gelu_tanh", "silu")  # x times what is 0 at -infinity
_FORMS = {
    "cluster": lambda e: "",
    "contract": lambda e: f"  %1 = graph.contract %a, %w batch [] x [] over [1] x [0] : "
                          f"(tensor<8x64x{e}>, tensor<64x64x{e}>) -> tensor<8x64x{e}>\n",
    "conv": lambda e: f"  %i = graph.reshape %a : tensor<8x64x{e}> -> tensor<8x64x1x1x{e}>\n"
                      f"  %f = graph.reshape %w : tensor<64x64x{e}> -> tensor<64x64x1x1x{e}>\n"
                      f"  %c = graph.conv %i, %f strides [1, 1] pad [0, 0] to [0, 0] dilations [1, 1] groups 1 : "
                      f"tensor<8x64x1x1x{e}>, tensor<64x64x1x1x{e}>\n",
}


def model(form, activation, element):
    """x of f32, perhaps in a product with w, through the activation in the element type."""
    type_text, wide = f"tensor<8x64x{element}>", "tensor<8x64xf32>"
    casts = ["%x", "%v"]
    lines = ""
    if element != "f32":
        casts = ["%a", "%w"]
        lines = (f"  %a = graph.cast %x : {wide} -> {type_text}\n"
                 f"  %w = graph.cast %v : tensor<64x64xf32> -> tensor<64x64x{element}>\n")
    lines += _FORMS[form](element).replace("%a", casts[0]).replace("%w", casts[1])
    at, place = {"cluster": (casts[0], type_text), "contract": ("%1", type_text),
                 "conv": ("%c", f"tensor<8x64x1x1x{element}>")}[form]
    lines += f"  %2 = graph.unary {activation} {at} : {place}\n"
    last = "%2"
    if form == "conv":
        lines += f"  %3 = graph.reshape %2 : {place} -> {type_text}\n"
        last = "%3"
    if element != "f32":
        lines += f"  %4 = graph.cast {last} : {type_text} -> {wide}\n"
        last = "%4"
    return (f'func.func @forward(%x: {wide} {{graph.input = "x"}}, %v: tensor<64x64xf32> {{graph.input = "v"}}) -> '
            f'({wide} {{graph.output = "y"}}) {{\n{lines}  return {last} : {wide}\n}}\n')


def mistakes(activation, found):
    """What is wrong with one column of results."""
    if not np.isnan(found[0]):
        yield f"NaN becomes {found[0]}"
    for value, got, want in zip(_VALUES[1:5], found[1:5], np.array(_LIMITS[activation])):
        if value == -np.inf and activation in _VANISH and np.isnan(got):
            continue
        if not np.isclose(got, want, rtol=1e-2, atol=1e-6):
            yield f"{value} becomes {got}, not {want}"
    if not np.isfinite(found[5:]).all():
        yield f"{_VALUES[5:]} become {found[5:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_bin_option(parser)
    tools = Toolchain(find_bin_dir(parser.parse_args().bin))
    x = np.zeros((8, 64), np.float32)
    x[:, 0] = _VALUES
    w = np.ones((64, 64), np.float32)  # So that every sum is the one value that is not 0.
    problems, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for form in _FORMS:
            for activation in _LIMITS:
                for element in ("f32", "bf16"):
                    (folder / "model.mlir").write_text(model(form, activation, element))
                    tools.compile(folder / "model.mlir", folder / "a.sheaf", work_dir=folder)
                    found = tools.execute(folder / "a.sheaf", {"x": x, "v": w}, folder)["y"][:, 0]
                    problems += [f"{form} {activation} {element}: {text}" for text in mistakes(activation, found)]
                    count += 1
    print("\n".join([*problems, f"{count} programs, {len(problems)} things wrong"]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
