// The host calls: the names an instruction of kind `call` may carry, and what each takes.
//
// How to read an entry
//   ins / outs   the instruction's buffers, in order; [x] is there only when the parameter in brackets says so.
//   params       name: type = default. `ints`, `floats` and `text` are the fields of abi::Param; `int`, `float` and
//                `bool` are `ints` or `floats` of length one. A parameter with a default may be left out; one that
//                is unknown, missing or of another type is refused when the program is loaded.
//   strides      `any`: every buffer may be strided, strides may be 0 or negative (outs: no two elements share a byte).
//                `plain`: row-major, no gaps.
//   types        what element types are accepted; all else is refused at load.
//   alias        whether an out may be the same bytes as an in. Partial overlap is always refused at load.
//
// Every extent may be 0 unless said otherwise; a sum over nothing is 0. Integer arithmetic wraps.
// An index out of range is a run-time error that names the index, the bound and the instruction's location. Indices are
// i32 or i64; negative ones count from the end, once. `whole`: the bounds it names instead, where data is a block.
#ifndef SHEAF_RUNTIME_ABI_CALLS_H
#define SHEAF_RUNTIME_ABI_CALLS_H

namespace sheaf::abi::calls {

/// result[batch, lhs free, rhs free] = activation(alpha * sum over contracted of lhs * rhs + bias + addend)
///
/// ins:     lhs, rhs, [scales: narrow_product.h], [bias: the rhs free dims], [addend: the dims of result],
///          [preactivation: the dims of result].
/// outs:    result, [preactivation: the dims of result], [sums: the free dims of lhs or of rhs].
/// params:  lhs_batch, rhs_batch, lhs_contract, rhs_contract: ints = [] (equal lengths pairwise; pair i of the two
///          lists has equal extents; free dims are the rest, in order); alpha: float = 1;
///          activation: text = "none" (none|relu|gelu_erf|gelu_tanh|silu|tanh|sigmoid; not "none": floats only);
///          has_bias, has_addend: bool = 0; weights_packed: bool = 0 (rhs is a variable that pack_weights wrote);
///          allow_tf32: bool = 0 (lhs and rhs of f32 may be rounded to TF32, which has 10 bits of mantissa; GPUs do).
///          What gradients need, of GPUs alone; one matrix product, so no batch dims, of f16, bf16 or f32 throughout:
///          keeps_preactivation: bool = 0 (the out preactivation is what the activation is applied to; no addend);
///          derivative: text = "none" (none|gelu_tanh: the product is multiplied by the derivative of that function at
///          the in preactivation; no bias, addend or activation);
///          sums: text = "none" (none|lhs|rhs|result): lhs or rhs: the out sums is that operand summed up over its
///          contracting dims, without alpha, of rounded elements where allow_tf32 rounds them; no bias, activation or
///          derivative. result: with derivative; the result, before or after it is rounded, over the lhs free dims.
/// types:   lhs and rhs: any float of 16 bits or more, or any integer of 8 bits or more; equal, except that i8 and ui8
///          mix. result: the type of lhs, or f32 for 16-bit floats, or i32 for 8-bit integers. All else but scales:
///          the type of result. Accumulates in f32 for 16-bit floats, in the result's type for all else.
///          Integers: alpha must be 1. With allow_tf32 gelu_tanh and its derivative may be approximations as well.
///          GPUs: 8-bit floats too, as narrow_product.h says.
/// strides: as `canContract` of contract_strides.h says: batch dims any but negative (0 = broadcast), the
///          contracting dims collapse to one stride, the free dims too, and one of those two strides is 1. result the
///          same (row-major always is fine); bias and sums dense; addend and preactivation the strides of result.
/// alias:   addend may be result. Nothing else may.
inline constexpr const char *contract = "contract";

/// Cross-correlation as ONNX Conv has it, 1 to 3 space dims:
/// result[n, o, y..] = activation(sum of input[n, i, y * stride + k * dilation - padding_low..] * filter[o, i, k..]
///                                + bias[o] + residual[n, o, y..])
///
/// ins:     input [n, c, space..], filter [o, c / groups, window..], [bias [o]], [residual: the dims of result].
/// outs:    result [n, o, space..]; its extents are checked against the formula.
/// params:  strides, dilations: ints (>= 1), padding_low, padding_high: ints (>= 0), one per space dim;
///          groups: int = 1; activation: text = "none" (as in contract); has_bias, has_residual: bool = 0;
///          weights_packed: bool = 0; channels_last: bool = 0 (input, residual and result are [n, space.., c]);
///          allow_tf32: bool = 0 (input and filter, as in contract).
/// types:   as in contract.
/// strides: `any`; residual has those of result.
/// alias:   residual may be result.
inline constexpr const char *conv = "conv";

/// The input gradient of `conv` (= ONNX ConvTranspose): scatters what conv gathers.
///
/// ins:     gradient [n, o, space..] (conv's result), filter [o, c / groups, window..] (conv's filter), [bias [c]].
/// outs:    result [n, c, space..] (conv's input). Extents are checked by conv's formula.
/// params:  as conv, without has_residual and weights_packed.
/// types:   f32, bf16, f16, f64.   strides: `plain`.
inline constexpr const char *convTranspose = "conv_transpose";

/// The filter gradient of `conv`:
/// filter[o, i, k..] = sum of input[n, i, y * stride + k * dilation - padding_low..] * gradient[n, o, y..]
///
/// ins:     input [n, c, space..] (conv's input), gradient [n, o, space..] (conv's result).
/// outs:    filter [o, c / groups, window..] (conv's filter). Extents are checked by conv's formula.
/// params:  strides, dilations, padding_low, padding_high, groups, allow_tf32: as in conv.
/// types:   f32, bf16, f16, f64, all equal; 16-bit floats accumulate in f32.   strides: `plain`.
inline constexpr const char *convFilterGradient = "conv_filter_gradient";

/// Reduces windows of input [n, c, space..], 1 to 3 space dims. Elements of the padding never count for max and sum.
/// avg_include divides by the number of window elements within the padded extent, avg_exclude by those within the
/// input. A window without an element of the input: max the lowest value, sum and avg 0.
///
/// params:  kind: text (max|sum|avg_include|avg_exclude); window, strides, dilations: ints (>= 1), padding_low,
///          padding_high: ints (>= 0), one per space dim; count_high: ints = padding_high: the part of padding_high
///          that avg_include counts (what ONNX's ceil_mode adds is not counted); channels_last: bool = 0 (input and
///          result are [n, space.., c]).
/// types:   max: any arithmetic type; else floats. 16-bit floats accumulate in f32. max keeps NaN.
/// strides: `any`.
inline constexpr const char *pool = "pool";

/// ONNX MaxPool with its second output: outs values and indices (i64, into the whole flat input tensor, counted as
/// if row-major; with storage_order 1 the space dims are counted first-fastest). The first maximum wins.
///
/// params:  as pool, without kind and count_high; storage_order: int = 0.   types: any arithmetic.   strides: `any`.
inline constexpr const char *poolArgmax = "pool_argmax";

/// out[i] = in[i]: equal dims and types, any strides: this is transpose, slice, reverse, broadcast, the interior of
/// a pad and each piece of a concat.
///
/// types:   all.   strides: `any`.   alias: no.
inline constexpr const char *copy = "copy";

/// Sets every element of `out`; no ins.
///
/// params:  value: float = 0 or value_int: int = 0 (exact 64-bit integers; give at most one).
/// types:   all; rounds and saturates as cast does.   strides: `any`.
inline constexpr const char *fill = "fill";

/// out[.. before dim, batch.., index dims.., after dim..] = data[.., indices[batch.., ..], ..] (ONNX Gather when
/// batch_dims is 0; the first batch_dims of both are the same, batch_dims <= dim).   strides: data `any`, else `plain`.
///
/// ins:     data, indices.   params: dim: int; batch_dims: int = 0; whole: ints = [].   types: all.
inline constexpr const char *gather = "gather";

/// out[i0, .., ip, ..] = data[i0, .., indices[i0, .., ip, ..], ..], p = dim (ONNX GatherElements).
///
/// ins:     data, indices (dims of out).   params: dim: int; whole: ints = [].   types: all.   strides: `any`.
inline constexpr const char *gatherElements = "gather_elements";

/// out[batch.., outer.., rest..] = data[batch.., indices[batch.., outer.., :].., rest..] (ONNX GatherND).
///
/// ins:     data, indices.   params: batch_dims: int = 0; whole: ints = [].   types: all.   strides: `plain`.
inline constexpr const char *gatherNd = "gather_nd";

/// out = data; out[.., indices[..], ..] = kind(that element, updates[..]) along dim (ONNX ScatterElements).
/// Duplicates are applied in row-major order of the updates.
///
/// ins:     data, indices, updates (as indices).   params: dim: int; kind: text = "set" (set|add|mul|max|min); whole.
/// types:   set: all; else arithmetic types and (add = or, mul = and, max = or, min = and) boolean.
/// strides: `plain`.   alias: data may be out.
inline constexpr const char *scatterElements = "scatter_elements";

/// out = data; out[indices[outer.., :].., rest..] = kind(that, updates[outer.., rest..]) (ONNX ScatterND).
///
/// ins:     data, indices, updates.   params: kind: text = "set"; whole.   types, strides, alias: as scatter_elements.
inline constexpr const char *scatterNd = "scatter_nd";

/// Sorts along `dim`: outs values, indices (i32 or i64). Stable; NaN sorts as the largest value.
///
/// params:  dim: int; descending: bool = 0.   types: arithmetic.   strides: `any`.
inline constexpr const char *sort = "sort";

/// The first k of a descending (largest) or ascending sort along `dim`, k = the extent of the outs: values, indices.
/// Equal values: the lower index first. sorted = 0 may give any order (it gives the sorted one).
///
/// params:  dim: int; largest: bool = 1; sorted: bool = 1.   types: arithmetic.   strides: `any`.
inline constexpr const char *topk = "topk";

/// Index (i32 or i64) of the extreme along `dim`; the out lacks `dim`. NaN counts as the extreme.
/// The extent of `dim` must not be 0.
///
/// params:  kind: text (max|min); dim: int; last: bool = 0 (which of equals).   types: arithmetic.   strides: `any`.
inline constexpr const char *argReduce = "arg_reduce";

/// Running sum or product along `dim`. exclusive: without the element itself (starts at 0 or 1). reverse: from the end.
///
/// params:  kind: text (sum|prod); dim: int; exclusive, reverse: bool = 0.
/// types:   arithmetic; 16-bit floats accumulate in f32.   strides: `any`.   alias: in may be out.
inline constexpr const char *cumulative = "cumulative";

/// ONNX Resize (opset 19 meaning), any rank; dims with scale 1 and no roi pass through.
///
/// ins:     input.   outs: result (its dims are the sizes).
/// params:  mode: text = "nearest" (nearest|linear|cubic);
///          scales: floats, one per dim, as the model gives them (not derived again from the sizes);
///          coordinates: text = "half_pixel" (half_pixel|half_pixel_symmetric|pytorch_half_pixel|align_corners|
///          asymmetric|tf_half_pixel_for_nn|tf_crop_and_resize);
///          nearest: text = "round_prefer_floor" (round_prefer_floor|round_prefer_ceil|floor|ceil);
///          cubic_coeff_a: float = -0.75; exclude_outside, antialias: bool = 0; extrapolation_value: float = 0;
///          roi: floats = [] (starts of all dims, then ends; needed for tf_crop_and_resize).
/// types:   nearest: all; else floats and 8- to 32-bit integers (rounded half to even, saturated).   strides: `any`.
inline constexpr const char *resize = "resize";

/// out[i] = in[i] in another element type, equal dims; every pair of types.
/// To floats: round to nearest even, exact for every source (no double rounding). Overflow: to f16, bf16, f32
/// infinity; to 8- and 4-bit floats as `saturate` says: 1 the largest finite value (also for infinities), 0 infinity
/// where the type has one, else NaN (f4E2M1FN has neither: always saturates). f8E8M0FNU: `round` applies.
/// NaN stays NaN (in f4E2M1FN: the largest finite value with the sign; the types of one NaN: that one).
/// To f8E8M0FNU the sign is dropped and infinity becomes NaN; 0 becomes the smallest value.
/// Floats to integers truncate and clamp, NaN is 0; 2- and 4-bit integers take the low bits of that as i32.
/// Integers to narrower integers wrap.
/// To boolean: not equal 0 (NaN is true).
///
/// params:  saturate: bool = 1; round: text = "up" (f8E8M0FNU only: up|down|nearest).   types: all.   strides: `any`.
inline constexpr const char *cast = "cast";

/// Stores a constant right-hand side or filter in the layout that its consumer is fastest with.
///
/// ins:     weights, row-major.   outs: a packed variable of the type of `weights`, with packed_bytes =
///          packedContractBytes or packedConvBytes of packed_bytes.h. The layout is the library's choice on the
///          machine that runs (row-major where it has none to offer); consumers find it with the variable, so one
///          packed variable serves only consumers equal in the params below.
/// params:  consumer: text (contract|conv); of the consumer's lhs or input: lhs_dims: ints, lhs_strides: ints =
///          row-major, lhs_type: int = the type of weights (abi::ElementType); of its result, which is row-major:
///          result_type: int = the type of weights; and every parameter of the consumer except weights_packed.
/// Only in the program "prepare".
inline constexpr const char *packWeights = "pack_weights";

/// softmax(cap(scale * q k^T) + mask) v per head, without the score matrix in memory; cap(x) = c tanh(x / c).
///
/// ins:     q [b, h, s, d], k [b, g, t, d], v [b, g, t, e] (g divides h), [mask broadcast to [b, h, s, t]: added].
/// outs:    result [b, h, s, e].   params: scale: float; causal: bool = 0 (query i sees keys <= i + t - s);
///          softcap: float = 0 (c; 0: scores are not capped); has_mask: bool = 0.
///          A row in which no key is seen, or all of mask is -inf, is 0.
/// types:   floats of 16 bits or more, all equal; mask also f32.   strides: `any` with stride 1 in the last dim of q,
///          k, v and result.
inline constexpr const char *attention = "attention";

/// The gradients of `attention` by q, k and v where that of its result is g, without the score matrix in memory:
/// weights are computed again. The same bits for every number of threads.
///
/// ins:     q, k, v, g [b, h, s, e], [mask].   outs: of the dims of q, k, v.
/// params, types, strides: as attention has them; all outs have stride 1 in the last dim.
inline constexpr const char *attentionGradient = "attention_gradient";

/// Philox4x32-10 keyed by the 64-bit seed, with the seed of the run in the upper half of its counter; element i
/// (row-major index within the whole value) takes word i % 4 of block i / 4, so any slice of the value is made alone.
/// f64 takes words 2 (i % 2) and 2 (i % 2) + 1 of block i / 2.
/// uniform: low + (high - low) * u, u in [0, 1) with 24 (f64: 53) bits; normal: mean + scale * z by Box-Muller (two
/// words per pair of elements); bernoulli: 1 where u < p (any type).
///
/// ins:     [seed: one i64 or ui64, added to the parameter], [first: one i64, added to all row-major indices].
/// params:  kind: text (uniform|normal|bernoulli); seed: int = 0; has_seed, has_first: bool = 0; a, b: float = 0, 1
///          (low and high, mean and scale, or p in a); global_dims: ints = dims of out, global_start: ints = 0 (where
///          out lies).
/// types:   floats of 16 bits or more; bernoulli also boolean and integers.   strides: `plain`.
inline constexpr const char *random = "random";

} // namespace sheaf::abi::calls

#endif // SHEAF_RUNTIME_ABI_CALLS_H
