"""Line 1: before opset 13 softmax and its kin flatten to 2-d at `axis`, from 13 on one axis."""

import numpy as np

from conformance.import_case import node, op_case

X = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def hardmax(x, axis):
    return (np.expand_dims(x.argmax(axis), axis)
            == np.arange(x.shape[axis]).reshape([-1 if i == axis % x.ndim else 1
                                                 for i in range(x.ndim)])).astype(x.dtype)


FUNCTIONS = {"Softmax": softmax, "LogSoftmax": lambda x, axis: np.log(softmax(x, axis)),
             "Hardmax": hardmax}


def cases():
    for op, function in FUNCTIONS.items():
        for axis in (None, 0, 2, -1):
            attributes = {} if axis is None else {"axis": axis}
            for opset in (7, 11):
                if axis == -1 and opset == 7:
                    continue  # negative axes came with opset 11
                split = 1 if axis is None else axis % 3
                rows = int(np.prod(X.shape[:split]))
                expected = function(X.reshape(rows, -1), 1).reshape(X.shape)
                yield op_case(f"{op}_{opset}_axis_{axis}", [node(op, "x", "y", **attributes)],
                              {"x": X}, expected, opset=opset)
            expected = function(X, -1 if axis is None else axis)
            yield op_case(f"{op}_13_axis_{axis}", [node(op, "x", "y", **attributes)], {"x": X},
                          expected, opset=13)
