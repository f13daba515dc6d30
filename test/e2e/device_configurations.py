"""Writes the layout of a model into a copy of it and compiles the copy by that: the plan must be the same.

Each layout is as in layouts.py. Checked are the copy (the ONNX checker takes it, and without device configurations it
is the model, byte by byte), the plan (the same calls and bytes of each collective, with the mesh given and without)
and what the ranks compute, against one device.
"""

import json
import sys
import tempfile
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.tools import Toolchain, find_bin_dir  # noqa: E402
from e2e.layouts import BOUND, flags_of, make_model, parse_arguments  # noqa: E402


def wire_of(report, with_axes=True):
    """What each rank sends, by collective and axes."""
    keys = ["collective", *(["axes"] if with_axes else []), "calls", "payload_bytes", "ring_bytes"]
    return sorted(tuple(line[key] for key in keys) for line in json.loads(report)["wire"])


def without_configurations(model, ir_version):
    """The bytes of a model that never had device configurations."""
    model = onnx.load(model, load_external_data=False)
    del model.configuration[:]
    for node in model.graph.node:
        del node.device_configurations[:]
    model.ir_version = ir_version
    return model.SerializeToString()


def differences(tools, program):
    """Of each output, how far ranks and one device are apart, in parts of the largest magnitude."""
    report = json.loads(tools.run("shard-run", program, "--random-inputs", "--verify", "--json"))
    return [output["max_relative"] for output in report["verify"]]


def check(tools, options, layout, work_dir):
    """Returns what is wrong with one layout."""
    model, copy, program = (work_dir / name for name in ("model.onnx", "copy.onnx", "model.sheaf"))
    _, shapes = make_model(options, model, is_external=True)
    flags, *_ = flags_of(layout)
    mesh = flags[:2]
    name = mesh[1]
    wanted = tools.compile(model, program, shapes,
                           flags=[*flags, "--json", "--annotated-onnx", copy])
    wrong = []
    onnx.checker.check_model(str(copy))
    original = onnx.load(model, load_external_data=False)
    if onnx.load(copy, load_external_data=False).ir_version != max(11, original.ir_version):
        wrong.append("ir_version is not raised to 11")
    if without_configurations(copy, original.ir_version) != model.read_bytes():
        wrong.append("more than device configurations and the version has changed")
    follow = ["--device-configuration", name, "--json"]
    given = wire_of(tools.compile(copy, program, shapes, flags=[*mesh, *follow, "--reference"]))
    if given != wire_of(wanted):
        wrong.append(f"with the mesh, {given} is sent instead of {wire_of(wanted)}")
    apart = differences(tools, program)
    if not apart or max(apart) > BOUND:
        wrong.append(f"ranks differ from one device by {apart}")
    derived = wire_of(tools.compile(copy, program, shapes, flags=follow), with_axes=False)
    if derived != wire_of(wanted, with_axes=False):
        wrong.append(f"without a mesh, {derived} is sent instead of {wire_of(wanted, False)}")
    return wrong


def main():
    options = parse_arguments(__doc__)
    tools = Toolchain(find_bin_dir(options.bin))
    num_wrong = 0
    for layout in options.layout:
        with tempfile.TemporaryDirectory() as work_dir:
            wrong = check(tools, options, layout, Path(work_dir))
        print(f"{layout}: " + ("the same plan" if not wrong else "".join(f"\n  wrong: {text}" for text in wrong)))
        num_wrong += bool(wrong)
    sys.exit(1 if num_wrong else 0)


if __name__ == "__main__":
    main()
