"""Evaluates the graphs of test/models in JAX: an independent reading of ONNX that JAX can differentiate.

Values that do not depend on parameters are NumPy arrays, computed by NumPy, so that shapes are known.
"""

import jax
import jax.numpy as jnp
import numpy as np
from onnx import helper, numpy_helper

_TYPES = {"float32": "float64"}  # References are computed in double.


def _module(*values):
    return jnp if any(isinstance(value, jax.Array) for value in values) else np


def _ints(value):
    return [int(one) for one in np.asarray(value)]


def _gather(data, indices, axis=0):
    return _module(data).take(data, np.asarray(indices), axis=axis)


def _reshape(data, shape):
    wanted = [data.shape[i] if extent == 0 else extent for i, extent in enumerate(_ints(shape))]
    return data.reshape(wanted)


def _unsqueeze(data, axes):
    return _module(data).expand_dims(data, tuple(_ints(axes)))


def _slice(data, starts, ends, axes, steps):
    places = [slice(None)] * data.ndim
    for start, end, axis, step in zip(*map(_ints, (starts, ends, axes, steps))):
        places[axis] = slice(start, end, step)
    return data[tuple(places)]


def _split(data, sizes, axis=0):
    return tuple(_module(data).split(data, np.cumsum(_ints(sizes))[:-1], axis=axis))


def _gemm(a, b, c=0.0, alpha=1.0, beta=1.0, transA=0, transB=0):  # noqa: N803
    return alpha * ((a.T if transA else a) @ (b.T if transB else b)) + beta * c


def _layer_norm(x, scale, bias, axis=-1, epsilon=1e-5):
    axes = tuple(range(axis % x.ndim, x.ndim))
    centered = x - x.mean(axes, keepdims=True)
    return centered / jnp.sqrt((centered**2).mean(axes, keepdims=True) + epsilon) * scale + bias


def _batch_norm(x, scale, bias, mean, variance, epsilon=1e-5, **_):
    per_channel = [value.reshape(-1, *[1] * (x.ndim - 2)) for value in (scale, bias, mean, variance)]
    scale, bias, mean, variance = per_channel
    return (x - mean) / jnp.sqrt(variance + epsilon) * scale + bias


def _pairs(pads, rank):
    return list(zip(pads[:rank], pads[rank:])) if pads else [(0, 0)] * rank


def _conv(x, f, bias=None, strides=None, pads=None, dilations=None, group=1, kernel_shape=None):
    rank = x.ndim - 2
    y = jax.lax.conv_general_dilated(x, f, strides or [1] * rank, _pairs(pads, rank),
                                     rhs_dilation=dilations, feature_group_count=group)
    return y if bias is None else y + bias.reshape(-1, *[1] * rank)


def _conv_transpose(x, f, bias=None, strides=None, pads=None, kernel_shape=None):
    rank = x.ndim - 2
    y = jax.lax.conv_transpose(x, f, strides or [1] * rank, "VALID", transpose_kernel=True,
                               dimension_numbers=("NCHW", "OIHW", "NCHW"))
    places = tuple(slice(low, y.shape[i + 2] - high)
                   for i, (low, high) in enumerate(_pairs(pads, rank)))
    y = y[(slice(None), slice(None), *places)]
    return y if bias is None else y + bias.reshape(-1, *[1] * rank)


def _windows(x, combine, start, kernel_shape, strides, pads):
    rank = x.ndim - 2
    return jax.lax.reduce_window(x, start, combine, (1, 1, *kernel_shape),
                                 (1, 1, *(strides or [1] * rank)),
                                 [(0, 0), (0, 0), *_pairs(pads, rank)])


def _max_pool(x, kernel_shape, strides=None, pads=None, ceil_mode=0):
    return _windows(x, jax.lax.max, -jnp.inf, kernel_shape, strides, pads)


def _average_pool(x, kernel_shape, strides=None, pads=None, count_include_pad=0):
    total = _windows(x, jax.lax.add, 0.0, kernel_shape, strides, pads)
    if count_include_pad:
        return total / np.prod(kernel_shape)
    return total / _windows(jnp.ones_like(x), jax.lax.add, 0.0, kernel_shape, strides, pads)


def _gelu(x, approximate="none"):
    return jax.nn.gelu(x, approximate=approximate == "tanh")


def _reduce(name):
    def evaluate(data, axes=None, keepdims=1):
        axes = None if axes is None else tuple(_ints(axes))
        return getattr(_module(data), name)(data, axis=axes, keepdims=bool(keepdims))
    return evaluate


def _cast(x, to):
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(to))
    return x.astype(_TYPES.get(dtype.name, dtype))


def _scatter_elements(data, indices, updates, axis=0):
    places = list(np.meshgrid(*map(np.arange, indices.shape), indexing="ij"))
    places[axis] = indices
    return jnp.asarray(data).at[tuple(places)].set(updates)


def _scatter_nd(data, indices, updates):
    if _module(data, updates) is jnp:
        return jnp.asarray(data).at[tuple(np.moveaxis(indices, -1, 0))].set(updates)
    data = np.array(data)
    data[tuple(np.moveaxis(indices, -1, 0))] = updates
    return data


def _one_hot(indices, depth, values, axis=-1):
    return jax.nn.one_hot(indices, int(depth.reshape(())), axis=axis) * (values[1] - values[0]) + values[0]


def _plain(function):
    """An op that NumPy and JAX name alike."""
    return lambda *values, **_: getattr(_module(*values), function)(*values)


_OPS = {
    **{name: _plain(function) for name, function in {
        "Add": "add", "Sub": "subtract", "Mul": "multiply", "MatMul": "matmul", "Pow": "power",
        "Sqrt": "sqrt", "Tanh": "tanh", "Neg": "negative", "Cos": "cos", "Sin": "sin",
        "Where": "where", "Equal": "equal", "Greater": "greater", "Reciprocal": "reciprocal"}.items()},
    "Div": lambda a, b: a // b if b.dtype.kind == "i" else a / b,
    "Identity": lambda x: x, "Shape": lambda x: np.array(x.shape, np.int64), "Cast": _cast,
    "Concat": lambda *parts, axis: _module(*parts).concatenate(parts, axis),
    "ConstantOfShape": lambda shape, value=np.zeros(1, np.float32): np.full(
        _ints(shape), value[0], _TYPES.get(value.dtype.name, value.dtype)),
    "Expand": lambda x, shape: _module(x).broadcast_to(
        x, np.broadcast_shapes(x.shape, tuple(_ints(shape)))),
    "Gather": _gather, "Reshape": _reshape, "Unsqueeze": _unsqueeze, "Slice": _slice,
    "Split": _split, "Transpose": lambda x, perm: x.transpose(perm), "Gemm": _gemm,
    "Flatten": lambda x, axis=1: x.reshape(int(np.prod(x.shape[:axis])), -1),
    "Softmax": lambda x, axis=-1: jax.nn.softmax(x, axis), "Erf": jax.scipy.special.erf,
    "LogSoftmax": lambda x, axis=-1: jax.nn.log_softmax(x, axis), "Gelu": _gelu,
    "Sigmoid": jax.nn.sigmoid, "Relu": jax.nn.relu, "LayerNormalization": _layer_norm,
    "HardSwish": lambda x: x * jnp.clip(x / 6 + 0.5, 0, 1),
    "LeakyRelu": lambda x, alpha=0.01: jnp.where(x < 0, alpha * x, x),
    "Clip": lambda x, low, high: jnp.clip(x, low, high),
    "BatchNormalization": _batch_norm, "Conv": _conv, "ConvTranspose": _conv_transpose,
    "MaxPool": _max_pool, "AveragePool": _average_pool,
    "GlobalAveragePool": lambda x: x.mean(tuple(range(2, x.ndim)), keepdims=True),
    "GlobalMaxPool": lambda x: x.max(tuple(range(2, x.ndim)), keepdims=True),
    "ReduceMean": _reduce("mean"), "ReduceSum": _reduce("sum"), "CumSum": lambda x, axis: x.cumsum(int(axis)),
    "Range": lambda *bounds: np.arange(*(bound.reshape(()) for bound in bounds)),
    "Trilu": lambda x, k=0, upper=1: (np.triu if upper else np.tril)(x, int(k)),
    "Einsum": lambda *values, equation: _module(*values).einsum(equation, *values),
    "TopK": lambda x, k, axis=-1, **_: jax.lax.top_k(x, int(k[0])), "OneHot": _one_hot,
    "ScatterElements": _scatter_elements, "ScatterND": _scatter_nd,
}


def _attribute(attribute):
    value = helper.get_attribute_value(attribute)
    if attribute.name == "value":
        value = numpy_helper.to_array(value)
    return value.decode() if isinstance(value, bytes) else value


def parameters_of(model):
    """The float initializers by name, in double."""
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    return {name: value.astype(np.float64) for name, value in tensors.items()
            if value.dtype == np.float32}


def evaluate(model, parameters, feed):
    """The outputs by name, for the given values of float initializers and inputs."""
    def widened(value):
        return value.astype(_TYPES.get(value.dtype.name, value.dtype))
    values = {tensor.name: widened(numpy_helper.to_array(tensor)) for tensor in model.graph.initializer}
    values |= {name: widened(value) for name, value in feed.items()} | parameters | {"": None}
    for node in model.graph.node:
        attributes = {one.name: _attribute(one) for one in node.attribute}
        if node.op_type == "Constant":
            results = widened(attributes["value"])
        else:
            results = _OPS[node.op_type](*(values[name] for name in node.input), **attributes)
        results = results if isinstance(results, tuple | list) else [results]
        values |= zip(node.output, results)
    return {output.name: values[output.name] for output in model.graph.output}
