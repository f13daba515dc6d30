"""Lines 5 and 6: how tensor data is stored, sizes that don't fit, dims that overflow."""

import ml_dtypes
import numpy as np
from onnx import TensorProto

from conformance.import_case import Case, iota, model, node, op_case, raw_tensor

HUGE = 1 << 40
FLOAT = TensorProto.FLOAT


def add(tensor):
    """`x + w` for a rank-1 float weight."""
    return model([node("Add", "x w", "y")], {"x": iota(4)}, {"y": np.float32}, {"w": tensor})


def typed(data_type, dims, **data):
    return TensorProto(name="w", data_type=data_type, dims=dims, **data)


def cases():
    yield from _stored_forms()
    yield from _wrong_sizes()
    yield from _wrong_dims()


def _stored_forms():
    halves = np.array([1.5, -2.0, 0.0, -0.25])
    for name, dtype, data_type in [("float16", np.float16, TensorProto.FLOAT16),
                                   ("bfloat16", ml_dtypes.bfloat16, TensorProto.BFLOAT16)]:
        bits = halves.astype(dtype).view(np.uint16).astype(np.int32)
        cast = node("Cast", "w", "c", to=FLOAT)
        nodes = [cast, node("Add", "x c", "y")]
        expected = halves.astype(np.float32) + iota(4)
        yield op_case(f"{name}_in_int32_data", nodes, {"x": iota(4)}, expected,
                      {"w": typed(data_type, [4], int32_data=bits)})
        dirty = (bits | 0x7FFF0000).astype(np.int32)
        yield op_case(f"{name}_in_int32_data_with_dirty_high_bits", nodes, {"x": iota(4)},
                      expected, {"w": typed(data_type, [4], int32_data=dirty)})
    for name, data_type, values, packed in [
            ("int4", TensorProto.INT4, [-8, 7, -1], b"\x78\x0f"),
            ("uint4", TensorProto.UINT4, [15, 0, 9], b"\x0f\x09"),
            ("int2", TensorProto.INT2, [-2, 1, -1, 0, 1], b"\x36\x01"),
            ("uint2", TensorProto.UINT2, [3, 0, 2, 1, 3], b"\x63\x03")]:
        count = len(values)
        opset, ir = (25, 13) if name.endswith("2") else (21, 10)
        nodes = [node("Cast", "w", "c", to=FLOAT), node("Add", "x c", "y")]
        expected = np.array(values, np.float32) + iota(count)
        for form, tensor in [
                ("raw", raw_tensor("w", data_type, [count], packed)),
                ("int32_data", typed(data_type, [count], int32_data=list(packed)))]:
            yield op_case(f"{name}_odd_count_{form}", nodes, {"x": iota(count)}, expected,
                          {"w": tensor}, opset=opset, ir_version=ir)
    yield op_case("bool_in_int32_data", [node("Where", "w x n", "y")], {"x": iota(3)},
                  np.array([0, -1, 2], np.float32),
                  {"w": typed(TensorProto.BOOL, [3], int32_data=[1, 0, 1]),
                   "n": -np.ones(3, np.float32)})
    yield op_case("float_data", [node("Add", "x w", "y")], {"x": iota(2)},
                  np.array([1.5, 0.5], np.float32),
                  {"w": typed(FLOAT, [2], float_data=[1.5, -0.5])})
    yield op_case("scalar_raw", [node("Add", "x w", "y")], {"x": iota(2)},
                  np.array([3, 4], np.float32),
                  {"w": raw_tensor("w", FLOAT, [], np.float32(3).tobytes())})


def _wrong_sizes():
    words = ('"w"',)
    for name, tensor in [
            ("raw_shorter", raw_tensor("w", FLOAT, [4], b"\0" * 15)),
            ("raw_longer", raw_tensor("w", FLOAT, [4], b"\0" * 20)),
            ("raw_empty", raw_tensor("w", FLOAT, [4], b"")),
            ("float_data_shorter", typed(FLOAT, [4], float_data=[1, 2])),
            ("float_data_longer", typed(FLOAT, [4], float_data=[1] * 5)),
            ("data_in_another_types_field", typed(FLOAT, [4], int64_data=[1] * 4)),
            ("no_data", typed(FLOAT, [4])),
            ("undefined_type", typed(TensorProto.UNDEFINED, [4], float_data=[1] * 4)),
            ("type_from_the_future", typed(FLOAT, [4], float_data=[1] * 4)),
            ("int4_one_byte_short", raw_tensor("w", TensorProto.INT4, [5], b"\0\0"))]:
        if name == "type_from_the_future":
            tensor.data_type = 999
        yield Case(name, add(tensor), error=words)


def _wrong_dims():
    for name, dims in [("dims_overflow_count", [HUGE, HUGE]),
                       ("dims_overflow_bytes", [1 << 62]),
                       ("dims_wrap_to_the_data", [1 << 32, 1 << 32, 4]),
                       ("negative_dim", [-1]), ("negative_dims_cancel", [-2, -2]),
                       ("sixteen_tebi_without_data", [1 << 42])]:
        yield Case(name, add(raw_tensor("w", FLOAT, dims, b"\0" * 16)), error=('"w"',),
                   max_rss_mib=300)
    shape = np.array([1 << 21, 1 << 21], np.int64)
    sixteen_tib = model([node("ConstantOfShape", "s", "c"), node("Add", "x c", "y")],
                        {"x": iota(1)}, {"y": np.float32}, {"s": shape})
    yield Case("constant_of_shape_16_tib", sixteen_tib, error=("16", "TiB"), max_rss_mib=300)
    expand = model([node("Expand", "x s", "y")], {"x": iota(1)}, {"y": np.float32}, {"s": shape})
    yield Case("expand_to_16_tib", expand, error=("16", "TiB"), max_rss_mib=300)
