"""Runs ONNX's backend node tests through shard-compile and shard-run.

Every case ends as one of: passed; refused (exit code 1 and a message from shard-compile); wrong (a
result that differs); crash (anything else, also a program that is refused when it runs). Fails on any
wrong or crash, when fewer than 85 % pass, and when docs/support.md says something else.
"""

import argparse
import collections
import json
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conformance import support_table  # noqa: E402
from conformance.node_cases import collect, is_tensor_case  # noqa: E402
from conformance.size_inputs import size_inputs  # noqa: E402
from driver.tolerance import difference  # noqa: E402
from driver.tools import (REPO, Crashed, Refused, Toolchain, add_bin_option,  # noqa: E402
                          find_bin_dir)

REQUIRED_PASS_RATE = 0.85
OUTCOMES = ["passed", "refused", "wrong", "crash"]

# Their values are drawn at random, by NumPy's generator in the references: types and shapes count.
RANDOM_OPS = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
              "RandomUniformLike"}


@dataclass(frozen=True)
class Result:
    source: str
    name: str
    op: str
    outcome: str
    detail: str


def is_random(model, inputs):
    """Whether the outputs depend on random numbers, also Dropout's in training mode."""
    for node in model.graph.node:
        if node.op_type in RANDOM_OPS:
            return True
        if node.op_type == "Dropout" and len(node.input) > 2 and node.input[2]:
            mode = inputs.get(node.input[2])
            ratio = inputs.get(node.input[1]) if node.input[1] else 0.5
            if mode is not None and bool(mode) and (ratio is None or float(ratio) > 0):
                return True
    return False


def run_data_set(tools, case, model, inputs, outputs, work_dir):
    """Compiles and runs once; returns what differs, or None."""
    constants = {name: inputs[name] for name in size_inputs(model.graph, inputs)}
    feed = {name: array for name, array in inputs.items() if name not in constants}
    program = work_dir / "case.sheaf"
    tools.compile(case.folder / "model.onnx", program,
                  {name: array.shape for name, array in feed.items()}, constants, work_dir)
    try:
        actual = tools.execute(program, feed, work_dir)
    except Refused as refusal:
        raise Crashed(f"compiled, but refused to run: {refusal}") from None
    random = is_random(model, inputs)
    for name, expected in outputs.items():
        if name not in actual:
            return f"output {name!r} is missing"
        if random and actual[name].shape == expected.shape \
                and actual[name].dtype == expected.dtype:
            continue
        problem = difference(actual[name], expected)
        if problem:
            return f"output {name!r}: {problem}"
    return None


def run_case(tools, case, op):
    model = case.model()
    outcome, detail = "passed", ""
    try:
        for inputs, outputs in case.data_sets(model):
            with tempfile.TemporaryDirectory() as work_dir:
                problem = run_data_set(tools, case, model, inputs, outputs, Path(work_dir))
            if problem:
                outcome, detail = "wrong", problem
                break
    except Refused as error:
        outcome, detail = "refused", str(error)
    except Crashed as error:
        outcome, detail = "crash", str(error)
    except (OSError, ValueError, KeyError) as error:  # outputs that can't be read back
        outcome, detail = "wrong", f"{type(error).__name__}: {error}"
    return Result(case.source, case.name, op, outcome, detail)


def tested_ops(cases):
    """Case -> the operator it tests; an expanded function tests the operator it came from."""
    ops = {}
    for case in cases:
        nodes = case.model().graph.node
        ops.setdefault(case.name, nodes[-1].op_type if nodes else "(empty graph)")
    return {case: ops.get(case.name.split("_expanded")[0], ops[case.name]) for case in cases}


def report(results):
    """Prints the table per operator and every case that is wrong or crashed."""
    by_op = collections.defaultdict(collections.Counter)
    for result in results:
        by_op[result.op][result.outcome] += 1
    print(f"{'operator':32}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES))
    for op, counts in sorted(by_op.items()):
        print(f"{op:32}" + "".join(f"{counts[outcome] or '-':>9}" for outcome in OUTCOMES))
    total = collections.Counter(result.outcome for result in results)
    print(f"{'all':32}" + "".join(f"{total[outcome]:>9}" for outcome in OUTCOMES))
    for result in results:
        if result.outcome in ("wrong", "crash"):
            print(f"{result.outcome}: {result.source}/{result.name}: {result.detail[:400]}")
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("filter", nargs="?", default="", help="run the cases whose name has this")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="run one of N cases")
    parser.add_argument("--cache", type=Path, default=REPO / "build" / "conformance")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write-support", type=Path, metavar="FILE",
                        help="update the generated section of docs/support.md")
    parser.add_argument("--check-support", type=Path, metavar="FILE",
                        help="fail where docs/support.md has other counts")
    add_bin_option(parser)
    options = parser.parse_args()

    tools = Toolchain(find_bin_dir(options.bin))
    cases = [case for case in collect(options.cache)
             if options.filter in case.name and is_tensor_case(case.model())][::options.every]
    ops = tested_ops(cases)
    started = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda case: run_case(tools, case, ops[case]), cases))
    options.cache.mkdir(parents=True, exist_ok=True)
    (options.cache / "onnx_node.json").write_text(
        json.dumps([asdict(result) for result in results], indent=1), encoding="utf-8")

    total = report(results)
    passed = total["passed"] / max(len(results), 1)
    print(f"{len(results)} cases in {time.monotonic() - started:.0f} s: {passed:.1%} passed "
          f"(at least {REQUIRED_PASS_RATE:.0%} required), {total['wrong']} wrong, "
          f"{total['crash']} crashed")
    if options.write_support:
        support_table.write(options.write_support, results)
    stale = (support_table.differences(options.check_support, results)
             if options.check_support else [])
    for line in stale:
        print(f"stale: {line}; update it with --write-support {options.check_support}")
    sys.exit(0 if passed >= REQUIRED_PASS_RATE and not total["wrong"] and not total["crash"]
             and not stale else 1)


if __name__ == "__main__":
    main()
