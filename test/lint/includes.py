"""Checks that folders include only what the architecture lets them include.

Usage: includes.py [root]. Reads `#include "..."` of C++, `include "..."` of TableGen and `DEPENDS` of
CMakeLists.txt. Data flows one way: an edge that is missing in ALLOWED is an error.
"""
import re
import sys

import tree

DIALECTS = ["dialects/"]
# folder -> prefixes of the paths it may include besides its own. The longest match counts.
ALLOWED = {
    "dialects/support": [],
    "dialects/interfaces": ["dialects/support/"],
    "dialects/graph": ["dialects/interfaces/", "dialects/support/"],
    "dialects/dist": ["dialects/interfaces/", "dialects/support/"],
    "dialects/exec": ["dialects/support/"],
    "importers": DIALECTS,
    "passes": DIALECTS + ["passes/analysis/"],
    "passes/analysis": DIALECTS,
    "passes/lowering": DIALECTS + ["passes/analysis/", "runtime/abi/"],
    "passes/pipelines": DIALECTS + ["passes/"],
    "runtime/abi": [],
    "runtime/core": ["runtime/abi/"],
    "runtime": ["runtime/core/", "runtime/abi/"],
    "runtime/launch": ["runtime/"],
    "tools": ["dialects/", "importers/", "passes/", "runtime/"],
    "tools/shard-run": ["runtime/"],
    "tools/shard-ckpt": ["runtime/", "importers/onnx/"],
    "bench": ["dialects/", "importers/", "passes/", "runtime/"],
    "test": ["dialects/", "importers/", "passes/", "runtime/", "tools/"],
    "test/runtime": ["runtime/"],
    "test/standin": [],
}
OURS = re.compile(r"(dialects|importers|passes|runtime|tools|bench|test)/")
COMPILER_ONLY = re.compile(r"(mlir|mlir-c|llvm|llvm-c|clang|lld)/")
RUNTIME_SIDE = re.compile(r"(runtime/|test/(runtime|standin)/|tools/shard-(run|ckpt)/)")
INCLUDE = re.compile(r'^\s*#?\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
DEPENDS = re.compile(r"\bDEPENDS\s+((?:[a-z]+/[\w-]+\s*)+)")


def folder_of(path):
    """The library a file belongs to: the first two folders of its path."""
    return "/".join(path.parts[:2])


def allowed(path):
    """Prefixes that `path` may include, or None where there is no rule for its folder."""
    rules = [f for f in ALLOWED if str(path).startswith(f + "/")]
    if not rules:
        return None
    own = [] if path.parts[0] == "test" else [folder_of(path) + "/"]
    return ALLOWED[max(rules, key=len)] + own + (["test/"] if path.parts[0] == "test" else [])


def check(path, text):
    """Yields what is wrong with the includes of one file."""
    permitted = allowed(path)
    if permitted is None:
        yield f"{path}: its folder has no rule in test/lint/includes.py"
        return
    for match in INCLUDE.finditer(text):
        target = match[1]
        where = f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}"
        if COMPILER_ONLY.match(target) and RUNTIME_SIDE.match(str(path)):
            yield f'{where}: the runtime includes no compiler header, found "{target}"'
        elif OURS.match(target) and not target.startswith(tuple(permitted)):
            yield f'{where}: {folder_of(path)} must not include "{target}"; may: {names(permitted)}'
        elif "/" not in target and path.suffix in (".cpp", ".h") and '"' in match[0]:
            yield f'{where}: write the path from the root of the repository, found "{target}"'


def check_depends(path, text):
    """Yields the dependencies of a CMakeLists.txt that point the wrong way."""
    permitted = allowed(path)
    if permitted is None:
        return
    for match in DEPENDS.finditer(text):
        for target in match[1].split():
            if not (target + "/").startswith(tuple(permitted)):
                yield f"{path}: {folder_of(path)} must not depend on {target}; may: {names(permitted)}"


def names(prefixes):
    return " ".join(p.rstrip("/") for p in prefixes) or "nothing of ours"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    findings = []
    for path in tree.files(root, {".cpp", ".h", ".td"}):
        findings += check(path, tree.text(root, path))
    for path in tree.files(root, {".txt"}):
        if path.name == "CMakeLists.txt" and len(path.parts) > 1:
            findings += check_depends(path, tree.text(root, path))
    return tree.report("includes", findings)


if __name__ == "__main__":
    sys.exit(main())
