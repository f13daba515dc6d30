"""Layers in the primitives exporters emit for them, newer single ops where the opset has them."""

import math


def linear(b, x, name, rows, columns, bias=True):
    """torch.nn.Linear on a 3-d input: MatMul by the transposed weight, then Add (bias first)."""
    with b.scope(name):
        y = b.op("MatMul", x, b.matrix("weight", rows, columns))
        return b.op("Add", b.normal("bias", (columns,), 0.1), y) if bias else y


def conv1d(b, x, name, rows, columns):
    """GPT-2's Conv1D: flatten to 2-d, Gemm, restore the leading dims by shape arithmetic."""
    with b.scope(name):
        restored = (b.dim(x, 0), b.dim(x, 1), columns)
        flat = b.reshape(x, -1, rows)
        y = b.op("Gemm", flat, b.matrix("weight", rows, columns),
                 b.normal("bias", (columns,), 0.1), alpha=1.0, beta=1.0)
        return b.reshape(y, *restored)


def layer_norm(b, x, name, size, epsilon=1e-5):
    """LayerNormalization from opset 17 on, before that the nine primitives."""
    with b.scope(name):
        scale, bias = b.normal("weight", (size,), 0.1, 1.0), b.normal("bias", (size,), 0.1)
        if b.opset >= 17:
            return b.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=epsilon)
        centered = b.op("Sub", x, b.reduce_mean(x, -1))
        variance = b.reduce_mean(b.op("Pow", centered, b.float(2)), -1)
        deviation = b.op("Sqrt", b.op("Add", variance, b.float(epsilon)))
        return b.op("Add", b.op("Mul", b.op("Div", centered, deviation), scale), bias)


def rms_norm(b, x, name, size, epsilon=1e-6):
    """LlamaRMSNorm; torch.rsqrt is Sqrt + Reciprocal (dynamo) or 1 / Sqrt (TorchScript)."""
    with b.scope(name):
        scale = b.normal("weight", (size,), 0.1, 1.0)
        if b.opset >= 23:
            return b.op("RMSNormalization", x, scale, axis=-1, epsilon=epsilon)
        mean_square = b.reduce_mean(b.op("Pow", x, b.float(2)), -1)
        root = b.op("Sqrt", b.op("Add", mean_square, b.float(epsilon)))
        if b.opset >= 18:
            inverse = b.op("Reciprocal", root)
        else:
            inverse = b.op("Div", b.float(1), root)
        return b.op("Mul", scale, b.op("Mul", x, inverse))


def gelu_tanh(b, x):
    """NewGELU: 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))."""
    if b.opset >= 20:
        return b.op("Gelu", x, approximate="tanh")
    cubic = b.op("Mul", b.float(0.044715), b.op("Pow", x, b.float(3)))
    inner = b.op("Mul", b.float(math.sqrt(2 / math.pi)), b.op("Add", x, cubic))
    gate = b.op("Add", b.float(1), b.op("Tanh", inner))
    return b.op("Mul", b.op("Mul", b.float(0.5), x), gate)


def gelu_erf(b, x):
    """torch.nn.functional.gelu: x (1 + erf(x / sqrt 2)) / 2."""
    if b.opset >= 20:
        return b.op("Gelu", x, approximate="none")
    gate = b.op("Add", b.op("Erf", b.op("Div", x, b.float(math.sqrt(2)))), b.float(1))
    return b.op("Mul", b.op("Mul", x, gate), b.float(0.5))


def silu(b, x):
    return b.op("Mul", x, b.op("Sigmoid", x))


def split_heads(b, x, heads, head_size):
    """[batch, sequence, heads * size] -> [batch, heads, sequence, size]."""
    y = b.reshape(x, b.dim(x, 0), b.dim(x, 1), heads, head_size)
    return b.op("Transpose", y, perm=[0, 2, 1, 3])


def merge_heads(b, x, width):
    """The inverse of `split_heads`."""
    y = b.op("Transpose", x, perm=[0, 2, 1, 3])
    return b.reshape(y, b.dim(y, 0), b.dim(y, 1), width)


def attention(b, query, key, value, mask, head_size):
    """Scaled dot-product attention with an additive mask (a value, or None).

    From opset 23 one Attention op; from 18 on both operands are scaled by the fourth root (the
    SDPA decomposition), before that the scores are divided by sqrt(head_size).
    """
    if b.opset >= 23:
        return b.op("Attention", query, key, value, *([mask] if mask else []),
                    scale=head_size**-0.5)
    if b.opset >= 18:
        root = b.float(head_size**-0.25)
        query = b.op("Mul", query, root)
        key = b.op("Mul", b.op("Transpose", key, perm=[0, 1, 3, 2]), root)
        scores = b.op("MatMul", query, key)
    else:
        scores = b.op("MatMul", query, b.op("Transpose", key, perm=[0, 1, 3, 2]))
        scores = b.op("Div", scores, b.float(math.sqrt(head_size)))
    if mask:
        scores = b.op("Add", scores, mask)
    return b.op("MatMul", b.op("Softmax", scores, axis=-1), value)
