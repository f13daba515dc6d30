"""Writes a model given in ONNX's text form: `python -m driver.onnx_text model.txt` makes model.onnx.

Nodes are unnamed in the text; `--name` calls each after its type and first output."""

import argparse
from pathlib import Path

import onnx.parser


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--name", action="store_true")
    arguments = parser.parse_args()
    for path in arguments.texts:
        model = onnx.parser.parse_model(path.read_text())
        for node in model.graph.node if arguments.name else []:
            node.name = f"{node.op_type}_{node.output[0]}"
        path.with_suffix(".onnx").write_bytes(model.SerializeToString())


if __name__ == "__main__":
    main()
