"""What a layout that shares nothing but the batch moves and stores, as formulas.md has it.

`axes` are {name: size}, `shapes` those of the trained parameters. `word` are the bytes of what is gathered, reduced and
kept as parameters: 4, or 2 with masters and moments in f32 beside them.
"""

import math

WORD = 4  # bytes of an f32
SCALARS = 64  # bytes that loss, count and norm may take
ALIGNMENT = 64  # bytes that a variable begins at multiples of


def stored_elements(shape, parts):
    """Elements that a collective over the parts of a tensor moves: padded along the dim that is cut."""
    if not shape:
        return 1
    dim = next((i for i, extent in enumerate(shape) if extent % parts == 0),
               max(range(len(shape)), key=lambda i: (shape[i], -i)))
    return math.prod(shape) // shape[dim] * math.ceil(shape[dim] / parts) * parts


def shard_axis(layout):
    return "shard" if layout == "hsdp" else "data"


def expected_traffic(layout, flags, axes, shapes, micro_batches, word):
    """(collective, axis) -> (least, most) payload bytes."""
    axis = shard_axis(layout)
    count, copies = axes.get(axis, 1), axes.get("replica", 1)
    whole = word * sum(math.prod(shape) for shape in shapes)
    stored = word * sum(stored_elements(shape, count) for shape in shapes)
    parts = 1 if "--defer-reduction" in flags else micro_batches
    expected = {}
    if count > 1:
        if layout == "ddp":
            expected["all_reduce", axis] = whole, whole
        elif layout == "zero1":
            expected["reduce_scatter", axis] = expected["all_gather", axis] = stored, stored
        elif layout == "zero2":
            expected["reduce_scatter", axis] = parts * stored, parts * stored
            expected["all_gather", axis] = stored, stored
        else:
            # Gathered again are those that the backward pass needs: some of them.
            once = micro_batches * stored
            expected["all_gather", axis] = once, once if "--keep-gathered" in flags else 2 * once
            expected["reduce_scatter", axis] = parts * stored, parts * stored
    if layout == "hsdp" and copies > 1:
        expected["all_reduce", "replica"] = stored // count, stored // count
    return expected


def check_traffic(layout, flags, axes, wire, shapes, micro_batches, word=WORD):
    """Says what of the traffic, the lines of a report, is not as formulas.md has it."""
    moved = {(line["collective"], line["axes"]): line["payload_bytes"] for line in wire}
    expected = expected_traffic(layout, flags, axes, shapes, micro_batches, word)
    wrong = []
    for key in sorted(set(expected) | set(moved)):
        least, most = expected.get(key, (0, 0))
        if not least <= moved.get(key, 0) <= most + SCALARS:
            wrong.append(f"{key}: {moved.get(key, 0)} bytes, expected {least} to {most}")
    return wrong


def expected_calls(layout, flags, axes, groups, micro_batches):
    """(collective, axis) -> calls, but for all_reduces of numbers; `groups` are all, and those gathered again."""
    axis = shard_axis(layout)
    all_groups, again = groups
    parts = 1 if "--defer-reduction" in flags else micro_batches
    expected = {}
    if axes.get(axis, 1) > 1:
        if layout == "ddp":
            expected["all_reduce", axis] = all_groups
        else:
            expected["reduce_scatter", axis] = all_groups * (1 if layout == "zero1" else parts)
            expected["all_gather", axis] = all_groups
        if layout in ("zero3", "hsdp"):
            expected["all_gather", axis] = micro_batches * (
                all_groups + (0 if "--keep-gathered" in flags else again))
    if layout == "hsdp" and axes.get("replica", 1) > 1:
        expected["all_reduce", "replica"] = all_groups
    return expected


def check_memory(layout, axes, report, shapes, word=WORD):
    """Says what of the memory of a rank is not as formulas.md has it: parameters and two moments of Adam."""
    count = axes.get(shard_axis(layout), 1)

    def bytes_of(parts, word):
        return sum(math.ceil(word * stored_elements(shape, parts) // parts / ALIGNMENT) * ALIGNMENT
                   for shape in shapes)
    # Beside these there are scalars, such as the count of steps, and places of ranks that are computed once.
    expected = {"variables": bytes_of(count if layout in ("zero3", "hsdp") else 1, word),
                "states": (2 if word == WORD else 3) * bytes_of(1 if layout == "ddp" else count, WORD)}
    states = report["state_bytes"]
    memory = {"variables": report["memory_bytes"]["variables"] - states - report["gradient_bytes"], "states": states}
    return [f"{name}: {memory[name]} bytes, expected {want}" for name, want in expected.items()
            if not want <= memory[name] <= want + 16 * ALIGNMENT]
