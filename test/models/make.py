"""Writes one model: `make.py gpt2 --size 124m --opset 17 --external -o gpt2.onnx`."""

import argparse
import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

FAMILIES = sorted(path.stem for path in Path(__file__).parent.glob("*.py")
                  if "\nSIZES = {" in path.read_text(encoding="utf-8"))


def family(name):
    """The module of a model family: `SIZES`, `build(config, opset, seed)` and `inputs(...)`."""
    return importlib.import_module(f"models.{name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--external", action="store_true", help="weights in a side file")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    module = family(options.family)
    if options.size not in module.SIZES:
        parser.error(f"{options.family} has no size {options.size!r}; it has "
                     f"{', '.join(module.SIZES)}")
    builder = module.build(module.SIZES[options.size], options.opset, options.seed)
    builder.save(options.output, options.external)


if __name__ == "__main__":
    main()
