"""Checks what keeps files easy to read: length, paths, names, an opening line, nothing left to do.

Usage: limits.py [root].
"""
import re
import sys

import tree

MAX_LINES = 400
MAX_PATH = 74
MAX_COLUMNS = 120
LIMITED = {".cpp", ".h", ".td", ".py", ".cmake", ".fbs"}
TEXT = LIMITED | {".mlir", ".test", ".md", ".txt", ".json", ".yaml", ".yml", ".in"}
VAGUE_NAMES = re.compile(r"(^|_)(utils?|helpers?|common|misc)(_|$)")
LEFT_TO_DO = re.compile(r"\b(TODO|FIXME)\b")
# How a file opens: with a comment that says what it is for.
OPENING = {
    ".cpp": "//", ".h": "//", ".td": "//", ".fbs": "//",
    ".cmake": "#", ".py": ('"""', "#"), ".yml": "#",
}


def check(path, text):
    """Yields what is wrong with one file; `text` is None for binary files."""
    if len(str(path)) > MAX_PATH:
        yield f"{path}: the path has {len(str(path))} characters, at most {MAX_PATH}"
    if VAGUE_NAMES.search(path.stem):
        yield f"{path}: name the noun instead of '{path.stem}'"
    if text is None or path.name == "LICENSE":
        return
    lines = text.splitlines()
    if path.suffix in LIMITED and len(lines) > MAX_LINES:
        yield f"{path}: {len(lines)} lines, at most {MAX_LINES}; find the second subject and name it"
    if path.suffix in OPENING and not (lines and lines[0].startswith(OPENING[path.suffix])):
        yield f"{path}:1: the first line must be a comment that says what the file is for"
    if path.suffix not in TEXT:
        return
    if text and not text.endswith("\n"):
        yield f"{path}:{len(lines)}: no newline at the end of the file"
    for number, line in enumerate(lines, 1):
        if path.name != "limits.py" and LEFT_TO_DO.search(line):
            yield f"{path}:{number}: '{LEFT_TO_DO.search(line)[0]}'; do it, or file an issue"
        if path.suffix in LIMITED and len(line) > MAX_COLUMNS:
            yield f"{path}:{number}: {len(line)} columns, at most {MAX_COLUMNS}"
        if line != line.rstrip():
            yield f"{path}:{number}: blanks at the end of the line"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    findings = [f for path in tree.files(root) for f in check(path, tree.text(root, path))]
    return tree.report("limits", findings)


if __name__ == "__main__":
    sys.exit(main())
