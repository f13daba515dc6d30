"""Line 2: Reshape's zeros, copied or literal, and dims of size zero."""

import numpy as np

from conformance.import_case import Case, iota, model, node, op_case


def shape(*dims):
    return np.array(dims, np.int64)


def cases():
    x = iota(2, 3, 4)
    reshape = node("Reshape", "x s", "y")
    literal = node("Reshape", "x s", "y", allowzero=1)
    yield op_case("zero_copies", [reshape], {"x": x}, x.reshape(2, 12), {"s": shape(0, -1)})
    yield op_case("zero_copies_in_the_middle", [reshape], {"x": x}, x.reshape(4, 3, 2),
                  {"s": shape(4, 0, 2)})
    yield op_case("to_scalar", [reshape], {"x": iota(1, 1)}, iota(1, 1).reshape(()),
                  {"s": shape()})
    empty = iota(0, 8, 2)
    yield op_case("literal_zero", [literal], {"x": empty}, empty.reshape(4, 0, 3),
                  {"s": shape(4, 0, 3)})
    yield op_case("empty_chain", [node("Reshape", "x s", "t"),
                                  node("Reshape", "t u", "y", allowzero=1, name="second")],
                  {"x": empty}, iota(0, 0, 4), {"s": shape(4, 2, -1), "u": shape(0, 0, 4)})
    yield op_case("empty_through_add", [node("Add", "x x", "y")], {"x": empty}, empty)
    for name, nodes, dims, words in [
            ("literal_zero_with_minus_one", literal, shape(0, -1), ("the_Reshape",)),
            ("two_minus_ones", reshape, shape(-1, -1), ("the_Reshape",)),
            ("minus_two", reshape, shape(-2, 12), ("the_Reshape",)),
            ("size_differs", reshape, shape(5, 5), ("the_Reshape", "24", "25")),
            ("copies_past_the_rank", reshape, shape(2, 3, 4, 0), ("the_Reshape",)),
            ("does_not_divide", reshape, shape(7, -1), ("the_Reshape",)),
            ("size_wraps", reshape, shape(1 << 32, 1 << 32), ("the_Reshape",))]:
        yield Case(name, model([nodes], {"x": x}, {"y": np.float32}, {"s": dims}), error=words)
    yield Case("shape_is_run_time_data",
               model([reshape], {"x": x, "s": shape(6, 4)}, {"y": np.float32}),
               {"x": x}, shapes={"s": (2,)}, error=("the_Reshape", "s"))
