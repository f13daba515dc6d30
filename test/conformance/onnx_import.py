"""Makes the import cases, runs each through the tools, and checks the answer.

`onnx_import.py [filter]` runs the cases whose `group/name` contains the filter; with `--keep DIR`
their files stay, with `--list` nothing runs.
"""

import argparse
import importlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver.memory import peak_rss_mib  # noqa: E402
from driver.tolerance import difference  # noqa: E402
from driver.tools import (Crashed, Refused, RunFailed, Toolchain, add_bin_option,  # noqa: E402
                          find_bin_dir)

GROUPS = sorted(path.stem for path in (Path(__file__).parent / "import_cases").glob("*.py"))


def all_cases(text=""):
    """Yields (`group/name`, case) for the cases that contain `text`."""
    for group in GROUPS:
        for case in importlib.import_module(f"conformance.import_cases.{group}").cases():
            name = f"{group}/{case.name}"
            if text in name:
                yield name, case


def check(tools, case, folder):
    """What is wrong with the answer, or None."""
    model_folder = folder / "model"
    model_folder.mkdir(parents=True)
    model = case.write(model_folder)
    program = folder / "case.sheaf"
    shapes = {**{name: array.shape for name, array in case.feed.items()}, **case.shapes}
    try:
        # How much memory GPUs have is not known where programs are compiled.
        flags = [] if tools.target == "host" else ["--device-memory", "80GiB"]
        tools.compile(model, program, shapes, flags=flags)
        if case.error is not None:
            return f"compiled, but must be refused with {case.error}"
    except Refused as refusal:
        if case.error is None:
            return f"refused: {refusal}"
        if program.exists():
            return "refused, but left an output file behind"
        return _missing_words(str(refusal), case.error)
    if case.compiles:
        return None
    try:
        outputs = tools.execute(program, case.feed, folder)
    except (Refused, RunFailed) as refusal:
        if case.run_error is None:
            return f"refused to run: {refusal}"
        return _missing_words(str(refusal), case.run_error)
    if case.run_error is not None:
        return f"ran, but must be refused with {case.run_error}"
    if len(outputs) != len(case.outputs):
        return f"{len(outputs)} outputs, expected {len(case.outputs)}"
    problems = [f"output {name!r:.60}: {problem}" for (name, got), want
                in zip(outputs.items(), case.outputs) if (problem := difference(got, want))]
    return "; ".join(problems) or None


def _missing_words(message, words):
    missing = [word for word in words if word.lower() not in message.lower()]
    return f"the message lacks {missing}: {message[:600]}" if missing else None


def check_memory(tools, case, folder):
    """Whether shard-compile stayed within the case's memory, with the files `check` left."""
    arguments = [folder / "model" / "model.onnx", "-o", folder / "memory.sheaf"]
    for name, array in case.feed.items():
        arguments += ["--shape", f"{name}={'x'.join(map(str, array.shape))}"]
    used = peak_rss_mib([tools.bin_dir / "shard-compile", *arguments], tools.timeout_s)
    if used > case.max_rss_mib:
        return f"shard-compile used {used:.0f} MiB, at most {case.max_rss_mib} allowed"
    return None


def run_case(tools, name, case, keep):
    with tempfile.TemporaryDirectory() as scratch:
        folder = (keep or Path(scratch)) / name
        try:
            problem = check(tools, case, folder)
            if not problem and case.max_rss_mib:
                problem = check_memory(tools, case, folder)
        except (Crashed, OSError, ValueError, KeyError) as error:
            problem = f"{type(error).__name__}: {error}"
    if problem:
        print(f"FAIL {name}: {problem}", flush=True)
    return problem is None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("--list", action="store_true", help="print the cases and their answers")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--jobs", type=int, default=2)
    add_bin_option(parser)
    options = parser.parse_args()
    cases = list(all_cases(options.filter))
    if options.list:
        for name, case in cases:
            answer = case.error or case.run_error or ("compiles" if case.compiles else "values")
            print(f"{name}: {answer}")
        return
    tools = Toolchain(find_bin_dir(options.bin))
    with ThreadPoolExecutor(options.jobs) as pool:
        passed = list(pool.map(lambda item: run_case(tools, *item, options.keep), cases))
    print(f"{sum(passed)} of {len(passed)} import cases have the right answer")
    sys.exit(0 if passed and all(passed) else 1)


if __name__ == "__main__":
    main()
