"""Attention masks in the shape arithmetic that Hugging Face models export to."""

import numpy as np
from onnx import TensorProto, numpy_helper

FLOAT_MIN = float(np.finfo(np.float32).min)


def _filled(b, shape, value):
    fill = numpy_helper.from_array(np.array([value]))
    return b.op("ConstantOfShape", shape, value=fill)


def expand(b, value, shape):
    """torch.Tensor.expand: a -1 in `shape` keeps the dim, which ONNX's Expand writes as 1."""
    ones = _filled(b, b.op("Shape", shape), np.int64(1))
    keeps = b.op("Equal", shape, b.op("Mul", ones, b.int(-1)))
    return b.op("Expand", value, b.op("Where", keeps, ones, shape))


def padding_mask(b, attention_mask):
    """BERT's mask: [batch, key] of 0/1 -> additive [batch, 1, 1, key], and from opset 18 on
    (models that call SDPA) expanded to [batch, 1, query, key]."""
    visible = b.unsqueeze(attention_mask, 1, 2)
    if b.opset >= 18:
        length = b.dim(attention_mask, 1)
        visible = expand(b, visible, b.shape_of(b.dim(attention_mask, 0), 1, length, length))
    visible = b.op("Cast", visible, to=TensorProto.FLOAT)
    return b.op("Mul", b.op("Sub", b.float(1), visible), b.float(FLOAT_MIN))


def causal_mask(b, attention_mask, batch, query_length, key_length, past_length):
    """Additive [batch, 1, query, key] mask that hides future keys and padded ones.

    `attention_mask` is a [batch, key] integer input, the rest are scalar values. Steps as in
    transformers: full(min), triu, times (key > position), expand, then masked_fill where the
    sum with the padding mask is zero.
    """
    full = _filled(b, b.shape_of(query_length, key_length), np.float32(FLOAT_MIN))
    if b.opset >= 14:
        upper = b.op("Trilu", full, b.int(1), upper=1)
    else:
        rows = b.unsqueeze(b.op("Range", b.int(0), query_length, b.int(1)), 1)
        columns = b.op("Range", b.int(0), key_length, b.int(1))
        kept = b.op("Less", columns, b.op("Add", rows, b.int(1)))
        upper = b.op("Where", kept, b.float(0), full)
    end = b.op("Add", past_length, query_length)
    positions = b.reshape(b.op("Range", past_length, end, b.int(1)), -1, 1)
    keys = b.op("Range", b.int(0), key_length, b.int(1))
    is_future = b.op("Cast", b.op("Greater", keys, positions), to=TensorProto.FLOAT)
    mask = b.unsqueeze(b.op("Mul", upper, is_future), 0, 1)
    mask = expand(b, mask, b.shape_of(batch, 1, -1, -1))

    mask_length = b.dim(attention_mask, 1)
    covered = b.slice(mask, 3, 0, mask_length)
    padding = b.op("Cast", b.unsqueeze(attention_mask, 1, 2), to=TensorProto.FLOAT)
    is_padding = b.op("Equal", b.op("Add", covered, padding), b.float(0))
    covered = b.op("Where", is_padding, b.float(FLOAT_MIN), covered)
    if b.opset >= 18:
        return covered
    return _assign_slice(b, mask, covered, (batch, 1, query_length, mask_length))


def _assign_slice(b, target, update, sizes):
    """`target[:n0, :n1, ...] = update` as TorchScript writes it: ScatterND over index grids."""
    shape = b.shape_of(*sizes)
    grids = []
    for axis, size in enumerate(sizes):
        limit = b.int(size) if isinstance(size, int) else size
        line = b.op("Range", b.int(0), limit, b.int(1))
        others = [other for other in range(len(sizes)) if other != axis]
        grids.append(b.unsqueeze(b.op("Expand", b.unsqueeze(line, *others), shape), -1))
    return b.op("ScatterND", target, b.op("Concat", *grids, axis=-1), update)
