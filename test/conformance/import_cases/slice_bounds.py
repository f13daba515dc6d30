"""Line 3: Slice with negative steps and clamped bounds is Python's."""

import numpy as np

from conformance.import_case import Case, iota, model, node, op_case

MIN64, MAX64 = np.iinfo(np.int64).min, np.iinfo(np.int64).max
MIN32, MAX32 = np.iinfo(np.int32).min, np.iinfo(np.int32).max

BOUNDS = {  # name: (start, end, step, the same as a Python slice)
    "down_to_one": (9, 0, -1, slice(9, 0, -1)),
    "down_by_three": (19, 0, -3, slice(19, 0, -3)),
    "down_past_the_start": (9, -11, -1, slice(None, None, -1)),
    "down_to_int64_min": (-1, MIN64, -1, slice(None, None, -1)),
    "from_int64_max_down": (MAX64, 2, -2, slice(None, 2, -2)),
    "to_int64_max": (3, MAX64, 1, slice(3, None)),
    "to_int32_max": (3, MAX32, 2, slice(3, None, 2)),
    "from_int32_min": (MIN32, 4, 1, slice(None, 4)),
    "negative_bounds": (-4, -1, 1, slice(-4, -1)),
    "empty": (7, 3, 1, slice(7, 3)),
    "empty_past_the_end": (20, 30, 1, slice(20, 30)),
    "huge_step": (1, MAX64, MAX64, slice(1, 2)),
    "huge_negative_step": (8, MIN64, MIN64 + 1, slice(8, 9)),
}


def numbers(*values):
    return np.array(values, np.int64)


def cases():
    x = iota(10)
    nodes = [node("Slice", "x starts ends axes steps", "y")]
    for name, (start, end, step, where) in BOUNDS.items():
        yield op_case(name, nodes, {"x": x}, x[where],
                      {"starts": numbers(start), "ends": numbers(end), "axes": numbers(0),
                       "steps": numbers(step)})
    x = iota(4, 5, 6)
    yield op_case("negative_axes", nodes, {"x": x}, x[::-2, :, 1:-1],
                  {"starts": numbers(1, -1), "ends": numbers(-1, MIN64),
                   "axes": numbers(-1, -3), "steps": numbers(1, -2)})
    yield op_case("attributes_of_opset_9",
                  [node("Slice", "x", "y", starts=[1, -3], ends=[3, MAX64], axes=[0, 2])],
                  {"x": x}, x[1:3, :, -3:], opset=9)
    for name, axes, steps, words in [("step_zero", (0,), (0,), ("the_Slice",)),
                                     ("axis_out_of_range", (3,), (1,), ("the_Slice", "3")),
                                     ("axis_twice", (0, -3), (1, 1), ("the_Slice",))]:
        ones = numbers(*[1] * len(axes))
        constants = {"starts": ones, "ends": ones + 1, "axes": numbers(*axes),
                     "steps": numbers(*steps)}
        yield Case(name, model(nodes, {"x": x}, {"y": np.float32}, constants), error=words)
