"""Runs every model of ../shared/onnx: right results for the good ones, a clear error for the bad.

The folder's MANIFEST.tsv says what an importer should do with each file, its reference.jsonl which
inputs to use and a digest of ONNX Runtime's outputs. Values are compared with ONNX Runtime itself,
run here with its optimizations off, after its own digest has been checked. Files with test data
beside them are compared with that.
"""

import argparse
import csv
import json
import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance.node_cases import NodeCase  # noqa: E402
from conformance.size_inputs import size_inputs  # noqa: E402
from driver.tolerance import difference, relative_error  # noqa: E402
from driver.tools import (REPO, Crashed, Refused, Toolchain, add_bin_option,  # noqa: E402
                          find_bin_dir)

# Largest error relative to the largest element. float32: both sides sum in different orders
# (1e-6 to 1e-5 on deep models). float16: eps 2^-10, a few roundings per layer on either side.
BOUNDS = {"float64": 1e-9, "float32": 1e-4, "float16": 2.0**-6}

# Good models that may be refused, and the words the refusal must then contain.
MAY_REFUSE = {
    "real/opset_13_all_ops.onnx": "NonZero",  # a result whose size depends on data
    "real/squeezenet_fp32.onnx": "ZipMap",  # classical-ml ops behind the network
}

# Inputs that replace those of the README's rule, which has no defined result for all outputs.
FEEDS = {
    # The rule's mask of 0 and 1 counts one key for two queries. What the second query sees is a
    # score that ONNX Runtime never writes.
    "real/tiny_llm_shared_kv/model.onnx": {"attention_mask": np.ones((2, 2), np.int64)},
}


def rule_input(dtype, dims):
    """The input the README prescribes for one element type and shape."""
    count = int(np.prod(dims, dtype=np.int64))
    if dtype == "bool":
        return np.ones(dims, bool)
    if dtype == "float16":
        return (0x3800 + np.arange(count) % 64).astype(np.uint16).view(np.float16).reshape(dims)
    if dtype.startswith("float"):
        return np.sin(0.37 * (np.arange(count) + 1)).astype(dtype).reshape(dims)
    return (np.arange(count) % 2).astype(dtype).reshape(dims)


def run(tools, path, feed, work_dir):
    graph = onnx.load(path, load_external_data=False).graph
    constants = {name: feed[name] for name in size_inputs(graph, feed)}
    fed = {name: array for name, array in feed.items() if name not in constants}
    program = work_dir / "model.sheaf"
    tools.compile(path, program, {name: array.shape for name, array in fed.items()}, constants,
                  work_dir)
    try:
        return tools.execute(program, fed, work_dir)
    except Refused as refusal:
        raise Crashed(f"compiled, but refused to run: {refusal}") from None


def runtime_outputs(path, feed):
    """ONNX Runtime's outputs, graph optimizations off as for the digests."""
    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options,
                                           providers=["CPUExecutionProvider"])
    known = {value.name for value in session.get_inputs()}
    known |= {value.name for value in session.get_overridable_initializers()}
    names = [value.name for value in session.get_outputs()]
    return dict(zip(names, session.run(names, {name: array for name, array in feed.items()
                                               if name in known})))


def digest_problem(name, array, digest):
    """Whether ONNX Runtime still gives what the digest recorded."""
    if list(array.shape) != digest["d"]:
        return f"reference of {name!r} has shape {list(array.shape)}, recorded {digest['d']}"
    first = array.reshape(-1)[:4].astype(np.float64)
    recorded = np.asarray(digest.get("first", []), np.float64)
    finite = np.isfinite(recorded)  # an infinity is recorded as null
    slack = 1e-3 * max(digest.get("maxabs", 1), 1e-6)
    if recorded.size and not np.allclose(first[finite], recorded[finite], 1e-3, slack):
        return f"reference of {name!r} starts {first.tolist()}, recorded {digest['first']}"
    return None


def value_problem(name, actual, expected, shapes_only):
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return (f"{name!r} is {actual.dtype} {list(actual.shape)}, expected {expected.dtype} "
                f"{list(expected.shape)}")
    if shapes_only:
        return None
    bound = BOUNDS.get(expected.dtype.name)
    if bound is None or not np.isfinite(expected).all():
        problem = difference(actual, expected)
        return problem and f"{name!r}: {problem}"
    error = relative_error(actual, expected)
    return None if error <= bound else f"{name!r}: relative error {error:.1e}, allowed {bound:.1e}"


def check_by_reference(tools, path, reference, work_dir):
    feed = {name: rule_input(*spec) for name, spec in reference["inputs"].items()}
    replaced = FEEDS.get(reference["file"], {})
    feed.update(replaced)
    expected = runtime_outputs(path, feed)
    actual = run(tools, path, feed, work_dir)
    shapes_only = "random ops" in reference["note"]
    if missing := expected.keys() - actual.keys():
        return f"outputs {sorted(missing)} are missing"
    for name, want in expected.items():
        digest = None if replaced else reference["outputs"].get(name)
        problem = digest and not shapes_only and digest_problem(name, want, digest)
        problem = problem or value_problem(name, actual[name], want, shapes_only)
        if problem:
            return problem
    return None


def check_by_data(tools, path, work_dir):
    case = NodeCase("shared", path.parent.name, path.parent)
    for inputs, outputs in case.data_sets(case.model()):
        actual = run(tools, path, inputs, work_dir)
        for name, want in outputs.items():
            if problem := difference(actual[name], want):
                return f"{name!r}: {problem}"
    return None


def check_compiles(tools, path, work_dir):
    """For good models that ONNX Runtime can't run: every unbound dim is 2."""
    shapes = {}
    model = onnx.load(path, load_external_data=False)
    defaults = {tensor.name for tensor in model.graph.initializer}
    for value in model.graph.input:
        dims = value.type.tensor_type.shape.dim
        if value.name not in defaults:
            shapes[value.name] = [d.dim_value if d.HasField("dim_value") else 2 for d in dims]
    tools.compile(path, work_dir / "model.sheaf", shapes)


def refusal_problem(row, message):
    """Whether a refusal says what the manifest asks for."""
    operators = re.findall(r"(\w+)=\d+", row["op_types_with_counts"])
    if row["file"] in MAY_REFUSE:
        words = MAY_REFUSE[row["file"]]
        return None if words in message else f"the refusal lacks {words!r}: {message}"
    if row["expect"] == "import":
        return f"refused: {message}"
    if row["expect"].startswith("import once") and not any(op in message for op in operators):
        return f"the refusal names no operator of the model: {message}"
    if "with the size" in row["expect"] and "TiB" not in message:
        return f"the refusal lacks the size: {message}"
    return None


def check(tools, root, row, references):
    """(outcome, problem) of one model."""
    path = root / row["file"]
    must_refuse = row["expect"] == "reject" or "with the size" in row["expect"]
    with tempfile.TemporaryDirectory() as scratch:
        work_dir = Path(scratch)
        try:
            if must_refuse:
                sizes = {"a": 1 << 21, "b": 1 << 21}
                dims = [f"--dim={name}={sizes[name]}" for name in row["dynamic_dims"].split(",")
                        if name in sizes]
                tools.compile(path, work_dir / "model.sheaf", flags=dims)
                return "accepted", "compiled, but must be refused"
            if list(path.parent.glob("test_data_set_*")):
                problem = check_by_data(tools, path, work_dir)
            elif row["file"] in references:
                problem = check_by_reference(tools, path, references[row["file"]], work_dir)
            else:
                problem = check_compiles(tools, path, work_dir)
        except Refused as refusal:
            return "refused", refusal_problem(row, str(refusal))
        except Crashed as crash:
            return "crash", str(crash)
    return "right", problem


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--shared", type=Path, metavar="DIR", help="folder that holds onnx/",
                        default=os.environ.get("SHEAF_SHARED", REPO.parent / "shared"))
    add_bin_option(parser)
    options = parser.parse_args()
    root = Path(options.shared) / "onnx"
    if not root.is_dir():
        print(f"skipped: {root} is absent")
        return

    tools = Toolchain(find_bin_dir(options.bin))
    with open(root / "MANIFEST.tsv", encoding="utf-8", newline="") as manifest:
        rows = [row for row in csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE)
                if row["expect"] != "data" and options.filter in row["file"]]
    lines = (root / "reference.jsonl").read_text(encoding="utf-8").splitlines()
    references = {entry["file"]: entry for entry in map(json.loads, lines)}
    counts = Counter()
    for row in rows:
        outcome, problem = check(tools, root, row, references)
        counts["failed" if problem else outcome] += 1
        print(f"{'FAIL' if problem else outcome:8} {row['file']}{': ' + problem if problem else ''}")
    print(f"{len(rows)} models: {counts['right']} right, {counts['refused']} refused with a reason, "
          f"{counts['failed']} failed")
    sys.exit(1 if counts["failed"] or not rows else 0)


if __name__ == "__main__":
    main()
