"""Runs shard-run on executables whose tables are changed at random and whose hash is right again: a changed one runs,
or ends with exit code 1 or 3 and an error, but never by a signal or without an end.

Usage: change.py COUNT MODEL.sheaf FLAG...; with these flags the executable itself runs

What is changed are numbers, lengths, characters and references of all tables, as runtime/abi/executable.fbs declares
them. Machine code is left alone, and so is what the host's kernels are given: they are machine code that takes it as it
is. Kernels of GPUs fail by themselves.
"""

import hashlib
import random
import re
import struct
import subprocess
import sys
from pathlib import Path

SCHEMA = Path(__file__).resolve().parents[4] / "runtime" / "abi" / "executable.fbs"
_BYTES = {"bool": 1, "ubyte": 1, "uint": 4, "int": 4, "ulong": 8, "long": 8, "double": 8}
_FORMAT = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}
_EXTREMES = [0, 1, 2, 3, 7, 8, 63, 64, 65, 127, 128, 255, 256, 65535, 2**30, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**48,
             2**62, 2**63 - 1, 2**63, 2**64 - 1]
_MOST_CONTENT = 64  # bytes of what counts as a list of numbers; longer ones are code and constants


def read_schema():
    """The types of the fields of each table, and the sizes of those of each struct."""
    text = re.sub(r"//.*", "", SCHEMA.read_text(encoding="utf-8"))
    enums = dict.fromkeys(re.findall(r"enum (\w+) : ubyte", text), 1)
    fields = {name: re.findall(r"\w+: (\[?\w+\]?)", body)
              for name, body in re.findall(r"(?:table|struct) (\w+) \{(.*?)\}", text, re.S)}
    scalars = _BYTES | enums
    structs = {name: [scalars[one] for one in fields.pop(name)] for name in re.findall(r"struct (\w+)", text)}
    return scalars, structs, fields


class Places:
    """Where an executable holds what: `numbers` by their meaning, as (place, bytes), and `references` by their type."""

    def __init__(self, content):
        self.content, self.numbers, self.references = content, {}, {}
        self.scalars, self.structs, self.tables = read_schema()
        self.hash = None
        self.is_host = False
        root = self.number(0)
        self.is_host = self.text(self.follow(self.field(root, 1))) == b"host"
        self.walk(root, "Executable")

    def number(self, place, size=4):
        return struct.unpack_from(_FORMAT[size], self.content, place)[0]

    def follow(self, place):
        return place + self.number(place)

    def text(self, place):
        return self.content[place + 4:place + 4 + self.number(place)]

    def field(self, table, index):
        """Where the field is, or 0."""
        slots = table - struct.unpack_from("<i", self.content, table)[0]
        at = 4 + 2 * index
        offset = self.number(slots + at, 2) if at < self.number(slots, 2) else 0
        return table + offset if offset else 0

    def note(self, meaning, place, size):
        self.numbers.setdefault(meaning, []).append((place, size))

    def walk(self, table, name):
        kind = self.field(table, 0)
        is_code = name == "Instruction" and self.is_host and kind and self.content[kind] == 1
        for index, type_ in enumerate(self.tables[name]):
            place, meaning = self.field(table, index), f"{name}.{index}"
            # The stream, events and location of a kernel of the host are not its own.
            if not place or (is_code and not 8 <= index <= 11):
                continue
            if type_ in self.scalars:
                self.note(meaning, place, self.scalars[type_])
                continue
            target = self.follow(place)
            if name == "Executable" and index == self.tables[name].index("[ubyte]"):
                self.hash = target + 4
                continue
            self.references.setdefault(type_, []).append(place)
            if type_ in self.tables:
                self.walk(target, type_)
            else:
                self.walk_list(target, type_.strip("[]"), meaning)

    def walk_list(self, target, element, meaning):
        count = self.number(target)
        self.note(meaning + " count", target, 4)
        if element in self.tables:
            for place in range(target + 4, target + 4 + 4 * count, 4):
                self.references.setdefault(element, []).append(place)
                self.walk(self.follow(place), element)
        elif element in self.structs:
            sizes = self.structs[element]
            for i in range(count):  # A field begins at a multiple of its size.
                place = target + 4 + i * max(sizes) * len(sizes)
                for j, size in enumerate(sizes):
                    self.note(f"{meaning} {j}", place + j * max(sizes), size)
        else:
            size = 1 if element == "string" else self.scalars[element]
            for i in range(count if size > 1 or count <= _MOST_CONTENT else 0):
                self.note(f"{meaning} element", target + 4 + i * size, size)


def change(places, rng):
    """A changed copy with the right hash, and what was changed."""
    content, what = bytearray(places.content), []
    meanings, types = sorted(places.numbers), sorted(places.references)
    counts = [meaning for meaning in meanings if meaning.endswith(" count")]
    for _ in range(rng.choice([1, 1, 1, 1, 2, 3])):
        if rng.random() < 0.15:
            ours, other = rng.choices(places.references[rng.choice(types)], k=2)
            distance = places.follow(other) - ours
            if distance > 0:
                struct.pack_into("<I", content, ours, distance)
                what.append(f"reference at {ours} as at {other}")
            continue
        meaning = rng.choice(counts if rng.random() < 0.3 else meanings)  # Lists are what is read beyond.
        place, size = rng.choice(places.numbers[meaning])
        old = struct.unpack_from(_FORMAT[size], content, place)[0]
        other = places.number(*rng.choice(places.numbers[meaning]))
        new = rng.choice([rng.choice(_EXTREMES), old + rng.choice([1, -1, 2, -2, 4, 8, -8, 64, -64]),
                          old ^ 1 << rng.randrange(8 * size), other]) % 2**(8 * size)
        struct.pack_into(_FORMAT[size], content, place, new)
        what.append(f"{meaning} at {place}: {new} for {old}")
    content[places.hash:places.hash + 32] = bytes(32)
    content[places.hash:places.hash + 32] = hashlib.sha256(content).digest()
    return content, what


def main():
    count, original, flags = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    subprocess.run(["shard-run", original, *flags], check=True, timeout=120, capture_output=True)
    places, rng = Places(original.read_bytes()), random.Random(14)
    changed, outcomes, num_wrong = Path("changed.sheaf"), {}, 0
    for _ in range(count):
        content, what = change(places, rng)
        changed.write_bytes(content)
        done = subprocess.run(["shard-run", changed, *flags], capture_output=True, text=True, errors="replace",
                              timeout=300, check=False)
        outcomes[done.returncode] = outcomes.get(done.returncode, 0) + 1
        if done.returncode not in (0, 1, 3) or (done.returncode and "error:" not in done.stderr):
            print(f"{', '.join(what)}: exit {done.returncode}: {done.stderr}")
            num_wrong += 1
    print(f"{count} changed: exit codes {dict(sorted(outcomes.items()))}")
    # Most of what is changed has to be noticed, or the test has changed nothing.
    sys.exit(1 if num_wrong or outcomes.get(1, 0) < count / 4 else 0)


if __name__ == "__main__":
    main()
