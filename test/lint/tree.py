"""The files that the lint checks read, and how a check reports what it found."""
import pathlib
import subprocess
import sys


def files(root, suffixes=None):
    """Paths below `root`, relative to it, that git tracks or would track."""
    listing = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout
    for name in sorted(filter(None, listing.split("\0"))):
        path = pathlib.PurePosixPath(name)
        if (suffixes is None or path.suffix in suffixes) and (pathlib.Path(root) / path).is_file():
            yield path


def text(root, path):
    """The text of a file, or None if it is binary."""
    try:
        return (pathlib.Path(root) / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def report(check, findings):
    """Prints one line per finding; returns the exit status of the check."""
    for finding in findings:
        print(f"error: {finding}", file=sys.stderr)
    print(f"{check}: " + (f"{len(findings)} problems" if findings else "ok"))
    return 1 if findings else 0
