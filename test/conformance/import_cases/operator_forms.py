"""Line 15: the forms of common operators that importers most often get wrong."""

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from conformance.import_case import Case, iota, model, node, op_case

RANDOM = np.random.default_rng(3)


def numbers(*values, dtype=np.int64):
    return np.array(values, dtype)


def cases():
    yield from _norms()
    yield from _reductions()
    yield from _pads_and_splits()
    yield from _integers()
    yield from _casts()
    yield from _quantization()
    yield from _resizes()


def _norms():
    x = RANDOM.standard_normal((2, 3, 4)).astype(np.float32)
    scale, bias, mean, var = (RANDOM.uniform(0.5, 1.5, 3).astype(np.float32) for _ in range(4))
    parameters = {"s": scale, "b": bias, "m": mean, "v": var}

    def normalized(m, v):
        m, v, s, b = (a.reshape(1, 3, 1) for a in (m, v, scale, bias))
        return (x - m) / np.sqrt(v + 1e-5) * s + b

    yield op_case("batch_norm_inference", [node("BatchNormalization", "x s b m v", "y")],
                  {"x": x}, normalized(mean, var), parameters, opset=15)
    batch_mean, batch_var = x.mean((0, 2)), x.var((0, 2))
    training = node("BatchNormalization", "x s b m v", "y0 y1 y2", training_mode=1, momentum=0.75)
    yield op_case("batch_norm_training", [training], {"x": x},
                  [normalized(batch_mean, batch_var), 0.75 * mean + 0.25 * batch_mean,
                   0.75 * var + 0.25 * batch_var], parameters, opset=15)
    yield op_case("dropout_inference_with_mask", [node("Dropout", "x", "y0 y1")], {"x": x},
                  [x, np.ones(x.shape, bool)], opset=13)
    yield op_case("dropout_of_ratio_zero_in_training", [node("Dropout", "x r t", "y0 y1")],
                  {"x": x}, [x, np.ones(x.shape, bool)],
                  {"r": np.float32(0), "t": np.array(True)}, opset=13)
    yield op_case("layer_norm_unnamed_outputs",
                  [node("LayerNormalization", "x s", "y _ d", axis=-1),
                   node("Identity", "d", "unused", name="id")],
                  {"x": x, "s": np.ones(4, np.float32)},
                  (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5))


def _reductions():
    x = RANDOM.standard_normal((2, 3, 4)).astype(np.float32)
    empty = numbers()
    yield op_case("reduce_sum_without_axes", [node("ReduceSum", "x", "y", keepdims=0)], {"x": x},
                  np.asarray(x.sum()), opset=13)
    yield op_case("reduce_sum_empty_axes", [node("ReduceSum", "x a", "y")], {"x": x},
                  x.sum(keepdims=True), {"a": empty}, opset=13)
    yield op_case("reduce_sum_empty_axes_noop",
                  [node("ReduceSum", "x a", "y", noop_with_empty_axes=1)], {"x": x}, x,
                  {"a": empty}, opset=13)
    yield op_case("reduce_max_over_nothing", [node("ReduceMax", "x a", "y", keepdims=0)],
                  {"x": iota(2, 0, 3)}, np.full((2, 3), -np.inf, np.float32), {"a": numbers(1)},
                  opset=20)
    yield op_case("reduce_prod_over_nothing", [node("ReduceProd", "x a", "y", keepdims=0)],
                  {"x": iota(2, 0, 3)}, np.ones((2, 3), np.float32), {"a": numbers(1)}, opset=18)
    yield op_case("arg_max_ties_last",
                  [node("ArgMax", "x", "y", axis=1, select_last_index=1, keepdims=0)],
                  {"x": np.array([[1, 3, 3, 2], [5, 5, 5, 5]], np.float32)}, numbers(2, 3))
    yield op_case("cumsum_exclusive_reverse",
                  [node("CumSum", "x a", "y", exclusive=1, reverse=1)], {"x": iota(4)},
                  np.array([6, 5, 3, 0], np.float32), {"a": np.array(0)})
    yield op_case("top_k_smallest", [node("TopK", "x k", "y0 y1", largest=0)],
                  {"x": np.array([[3, 1, 2, 1]], np.float32)},
                  [np.array([[1, 1]], np.float32), numbers(1, 3).reshape(1, 2)],
                  {"k": numbers(2)})


def _pads_and_splits():
    x = iota(2, 3)
    yield op_case("pad_with_axes", [node("Pad", "x p v a", "y")], {"x": x},
                  np.pad(x, ((0, 0), (1, 2)), constant_values=9),
                  {"p": numbers(1, 2), "v": np.float32(9), "a": numbers(-1)}, opset=18)
    yield op_case("pad_negative", [node("Pad", "x p", "y")], {"x": x}, x[:, 1:],
                  {"p": numbers(0, -1, 0, 0)})
    for mode in ("reflect", "edge", "wrap"):
        yield op_case(f"pad_{mode}", [node("Pad", "x p", "y", mode=mode)], {"x": x},
                      np.pad(x, ((1, 1), (2, 1)), mode=mode), {"p": numbers(1, 2, 1, 1)},
                      opset=19)
    yield op_case("split_uneven", [node("Split", "x", "y0 y1 y2", num_outputs=3, axis=0)],
                  {"x": iota(7)}, [iota(7)[:3], iota(7)[3:6], iota(7)[6:]], opset=18)
    yield op_case("split_with_an_empty_part", [node("Split", "x s", "y0 y1 y2")], {"x": iota(3)},
                  [iota(3)[:2], iota(3)[2:2], iota(3)[2:]], {"s": numbers(2, 0, 1)}, opset=13)
    yield Case("split_sizes_dont_add_up", model([node("Split", "x s", "y z")], {"x": iota(4)},
               {"y": np.float32, "z": np.float32}, {"s": numbers(1, 2)}),
               error=("the_Split", "3", "4"))
    yield op_case("clip_min_above_max", [node("Clip", "x l h", "y")], {"x": iota(5)},
                  np.full(5, 2, np.float32), {"l": np.float32(3), "h": np.float32(2)})
    yield op_case("clip_only_max", [node("Clip", "x _ h", "y")], {"x": iota(5)},
                  np.minimum(iota(5), 2), {"h": np.float32(2)})
    yield op_case("concat_with_an_empty_part", [node("Concat", "x e x", "y", axis=0)],
                  {"x": x, "e": iota(0, 3)}, np.concatenate([x, x]))
    yield op_case("expand_both_ways", [node("Expand", "x s", "y")], {"x": iota(3, 1)},
                  np.broadcast_to(iota(3, 1), (2, 3, 4)).copy(), {"s": numbers(2, 1, 4)})


def _integers():
    a, b = numbers(7, -7, 7, -7, 6), numbers(2, 2, -2, -2, 3)
    truncated = (np.sign(a) * np.sign(b)) * (np.abs(a) // np.abs(b))
    for dtype in (np.int64, np.int32, np.int8):
        feed = {"a": a.astype(dtype), "b": b.astype(dtype)}
        yield op_case(f"div_truncates_{np.dtype(dtype)}", [node("Div", "a b", "y")], feed,
                      truncated.astype(dtype), opset=14)
        yield op_case(f"mod_has_the_divisors_sign_{np.dtype(dtype)}", [node("Mod", "a b", "y")],
                      feed, np.mod(a, b).astype(dtype))
        yield op_case(f"fmod_has_the_dividends_sign_{np.dtype(dtype)}",
                      [node("Mod", "a b", "y", fmod=1)], feed, np.fmod(a, b).astype(dtype))
    real = {"a": a.astype(np.float32), "b": b.astype(np.float32)}
    yield op_case("fmod_of_floats", [node("Mod", "a b", "y", fmod=1)], real,
                  np.fmod(real["a"], real["b"]))
    yield op_case("pow_of_mixed_types", [node("Pow", "a b", "y")],
                  {"a": np.array([2, 3, -2], np.float32), "b": numbers(3, 2, 3)},
                  np.array([8, 9, -8], np.float32), opset=15)
    yield op_case("pow_of_integers", [node("Pow", "a b", "y")],
                  {"a": numbers(2, -3, 7), "b": np.array([10, 3, 0], np.float32)},
                  numbers(1024, -27, 1), opset=15)
    yield op_case("shift_right", [node("BitShift", "a b", "y", direction="RIGHT")],
                  {"a": numbers(255, 8, dtype=np.uint8), "b": numbers(1, 3, dtype=np.uint8)},
                  numbers(127, 1, dtype=np.uint8))
    yield op_case("abs_and_neg_wrap", [node("Abs", "x", "y0"), node("Neg", "x", "y1")],
                  {"x": numbers(-128, 5, dtype=np.int8)},
                  [numbers(-128, 5, dtype=np.int8), numbers(-128, -5, dtype=np.int8)])
    yield op_case("round_half_to_even", [node("Round", "x", "y")],
                  {"x": np.array([0.5, 1.5, 2.5, -0.5, -2.5], np.float32)},
                  np.array([0, 2, 2, -0.0, -2], np.float32))


def _casts():
    x = np.array([0, 1.0625, -448, 1e6, -1e6, np.inf, 2.0**-10], np.float32)
    limited = np.clip(x, -448, 448).astype(ml_dtypes.float8_e4m3fn)
    cast = node("Cast", "x", "y", to=TensorProto.FLOAT8E4M3FN)
    yield op_case("cast_saturates_to_fp8", [cast], {"x": x}, limited, opset=19)
    yield op_case("cast_float_to_int_truncates", [node("Cast", "x", "y", to=TensorProto.INT32)],
                  {"x": np.array([1.9, -1.9, 0.5], np.float32)}, numbers(1, -1, 0, dtype=np.int32))
    yield op_case("cast_to_bool", [node("Cast", "x", "y", to=TensorProto.BOOL)],
                  {"x": np.array([0, -0.0, 0.25, np.nan], np.float32)},
                  np.array([False, False, True, True]))
    yield op_case("cast_int64_wraps_to_int8", [node("Cast", "x", "y", to=TensorProto.INT8)],
                  {"x": numbers(127, 128, -129, 256)}, numbers(127, -128, 127, 0, dtype=np.int8))
    exact = np.array([1, 1 + 2**-8, 1 + 3 * 2**-8, 3.3e38, np.nan], np.float32)
    yield op_case("cast_to_bfloat16_rounds_to_even",
                  [node("Cast", "x", "y", to=TensorProto.BFLOAT16)], {"x": exact},
                  exact.astype(ml_dtypes.bfloat16))
    yield op_case("where_of_mixed_ranks", [node("Where", "c x z", "y")],
                  {"c": np.array([True, False, True]), "x": iota(2, 3), "z": np.float32(-1)},
                  np.where([True, False, True], iota(2, 3), np.float32(-1)))


def _quantization():
    x = np.array([[-1, 0.5, 3], [100, -100, 2.5]], np.float32)
    scale, zero = np.array([0.5, 2], np.float32), numbers(10, 20, dtype=np.uint8)
    per_row = np.clip(np.rint(x / scale[:, None]) + zero[:, None], 0, 255).astype(np.uint8)
    yield op_case("quantize_axis_0", [node("QuantizeLinear", "x s z", "y", axis=0)], {"x": x},
                  per_row, {"s": scale, "z": zero}, opset=13)
    yield op_case("dequantize_axis_0", [node("DequantizeLinear", "x s z", "y", axis=0)],
                  {"x": per_row}, (per_row - zero[:, None].astype(np.float32)) * scale[:, None],
                  {"s": scale, "z": zero}, opset=13)
    x = iota(2, 4)
    blocks = np.array([[1, 2], [4, 0.5]], np.float32)
    wide = np.repeat(blocks, 2, axis=1)
    yield op_case("quantize_blocked",
                  [node("QuantizeLinear", "x s", "y", axis=1, block_size=2,
                        output_dtype=TensorProto.INT8)], {"x": x},
                  np.rint(x / wide).astype(np.int8), {"s": blocks}, opset=21)
    four_bit = helper.make_tensor("w", TensorProto.INT4, [2, 4], [-8, 7, 1, 0, 3, -3, 2, -1])
    yield op_case("dequantize_blocked_int4",
                  [node("DequantizeLinear", "w s", "d", axis=1, block_size=2),
                   node("Add", "d x", "y")], {"x": x},
                  numpy_helper.to_array(four_bit).astype(np.float32) * wide + x,
                  {"w": four_bit, "s": blocks}, opset=21)


def _resizes():
    x = iota(1, 1, 2, 2)
    scales = np.array([1, 1, 2, 2], np.float32)
    yield op_case("resize_nearest_asymmetric_floor",
                  [node("Resize", "x _ s", "y", mode="nearest", nearest_mode="floor",
                        coordinate_transformation_mode="asymmetric")], {"x": x},
                  x.repeat(2, 2).repeat(2, 3), {"s": scales})
    weights = np.array([[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]], np.float32)
    yield op_case("resize_linear_half_pixel", [node("Resize", "x _ s", "y", mode="linear")],
                  {"x": x}, (weights @ x[0, 0] @ weights.T)[None, None], {"s": scales})
    weights = np.array([[1, 0], [2 / 3, 1 / 3], [1 / 3, 2 / 3], [0, 1]], np.float32)
    yield op_case("resize_linear_align_corners_by_sizes",
                  [node("Resize", "x _ _ z", "y", mode="linear",
                        coordinate_transformation_mode="align_corners")], {"x": x},
                  (weights @ x[0, 0] @ weights.T)[None, None], {"z": numbers(1, 1, 4, 4)})
