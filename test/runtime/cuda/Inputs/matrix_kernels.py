"""Says of each kernel of PTX files which elements its tensor cores multiply."""

import pathlib
import re
import sys


def main(files: list[str]) -> int:
    for file in files:
        kernels = re.split(r"\.entry (\w+)\(", pathlib.Path(file).read_text())
        for name, body in zip(kernels[1::2], kernels[2::2]):
            types = set(re.findall(r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.(\w+)\.", body))
            print(f"{name}: {' '.join(sorted(types)) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
