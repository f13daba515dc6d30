"""Checks that each of the host's executed tests has a CUDA form, or is listed with what there is in its place.

Usage: cuda_forms.py [root]. A form is a `cuda*.test` that runs all lines of the host's own by `driver.runs_of`, without
its option, which changes them. What has none stands in test/standin/forms.txt, a line each, as `e2e/name.test: why`.
"""
import pathlib
import re
import shlex
import sys

import tree

FOLDERS = ["conformance", "e2e", "equivalence"]
LIST = "test/standin/forms.txt"
FIXED = re.compile(r"(?<![\w-])shard-compile(?![\w-])")
RUN = re.compile(r"^(?:// )?RUN: (.*)$", re.MULTILINE)


def tests_of(root):
    """The lit tests of FOLDERS as paths below test, each with its commands."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".test", ".mlir") and "Inputs" not in path.parts:
                if commands := RUN.findall(path.read_text(encoding="utf-8")):
                    yield path.relative_to(root).as_posix(), commands


def run_whole(name, commands):
    """The tests that the CUDA form `name` runs all lines of."""
    for command in commands:
        words = shlex.split(command.partition("driver.runs_of")[2])
        if not any(word.startswith("--") for word in words):
            for word in words:
                yield word.replace("%S", pathlib.PurePosixPath(name).parent.as_posix())


def listed(root):
    """Yields (line, test, reason) of the list; the reason is empty where none is given."""
    for number, line in enumerate((root / LIST).read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            name, _, reason = line.partition(": ")
            yield number, name, reason.strip()


def check(root):
    """Yields what is wrong with the tests of the repository at `root`."""
    tests = dict(tests_of(root / "test"))
    forms = {name for name in tests if pathlib.PurePosixPath(name).name.startswith("cuda")}
    whole = {test: form for form in sorted(forms) for test in run_whole(form, tests[form])}
    for test, form in sorted(whole.items()):
        if test not in tests:
            yield f"test/{form}: runs test/{test}, which does not exist"
        elif any(map(FIXED.search, tests[test])):
            yield (f"test/{test}: compiles for the host by itself, also as test/{form}; have a script do it by "
                   "driver.tools")
    seen = set()
    for number, test, reason in listed(root):
        where = f"{LIST}:{number}: test/{test}"
        if test not in tests or test in forms:
            yield f"{where} is no test of the host in {', '.join(FOLDERS)}"
        elif test in whole:
            yield f"{where} is run whole by test/{whole[test]}; take the line out"
        elif test in seen:
            yield f"{where} is listed twice"
        elif not reason:
            yield f"{where}: say behind a colon why it has no CUDA form, and what there is in its place"
        seen.add(test)
    for test in sorted(tests.keys() - forms - whole.keys() - seen):
        yield (f"test/{test}: no CUDA form; have a cuda*.test beside it run it by driver.runs_of, or say in {LIST} why "
               "none does")


def main():
    return tree.report("cuda_forms", list(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "."))))


if __name__ == "__main__":
    sys.exit(main())
