"""Runs the lit tests and unit tests of a build and counts them.

Usage: run.py <build folder> [filter]. The filter selects the tests whose name contains it. The last
line printed is `N passed, N failed, N skipped`; the exit status is 0 if there was none that failed.
"""
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

NOT_SELECTED = "Test not selected"
# lit's word for a GoogleTest case that called GTEST_SKIP.
SKIPPED_INSIDE = "User interrupt"


def run_lit(build, only):
    """Runs lit; returns the cases of its report as XML elements, none if it found no test."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.xml")
        command = [os.path.join(os.path.dirname(sys.executable), "lit"), "--succinct", "-v",
                   "--allow-empty-runs", "--no-progress-bar", "--xunit-xml-output", report]
        command += ["--filter", re.escape(only)] if only else []
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL")
        command += ["-j", jobs] if jobs else []
        command += [os.path.join(build, "test"), os.path.join(build, "test", "unit")]
        subprocess.run(command, check=False)
        if not os.path.exists(report):
            return []
        return list(ElementTree.parse(report).iter("testcase"))


def skip_reason(case):
    """Why a case was skipped; None if it ran."""
    skipped = case.find("skipped")
    if skipped is None:
        return None
    reason = skipped.get("message")
    return "by the test itself" if reason == SKIPPED_INSIDE else reason


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build, only = sys.argv[1], "".join(sys.argv[2:])
    cases = run_lit(build, only)
    selected = [c for c in cases if not (skip_reason(c) or "").startswith(NOT_SELECTED)]
    skipped = [c for c in selected if skip_reason(c)]
    failed = sum(c.find("failure") is not None for c in selected)
    for case in skipped:
        print(f"skipped: {case.get('classname')}/{case.get('name')}: {skip_reason(case)}")
    if not selected:
        print(f"error: no test has '{only}' in its name" if only else "error: there are no tests")
    passed = len(selected) - failed - len(skipped)
    print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return 0 if selected and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
