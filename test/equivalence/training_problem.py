"""A small network with its loss and gradients, as a graph and as closed forms in NumPy.

    hidden = tanh(x w1 + b1)        output = hidden w2 + b2

of 6 samples of 3 features, 8 hidden and 5 outputs. All numbers are multiples of 1/64: the same in f32 and f64.
"""

import numpy as np

SAMPLES, FEATURES, HIDDEN, OUTPUTS = 6, 3, 8, 5
_SHAPES = {"w1": (FEATURES, HIDDEN), "b1": (HIDDEN,), "w2": (HIDDEN, OUTPUTS), "b2": (OUTPUTS,)}

_BODY = """
  %p = graph.contract %x, %w1 batch [] x [] over [1] x [0] : (tensor<6x3xE>, tensor<3x8xE>) -> tensor<6x8xE>
  %q = graph.broadcast %b1 to [1] : tensor<8xE> -> tensor<6x8xE>
  %r = graph.binary add %p, %q : tensor<6x8xE>
  %h = graph.unary tanh %r : tensor<6x8xE>
  %s = graph.contract %h, %w2 batch [] x [] over [1] x [0] : (tensor<6x8xE>, tensor<8x5xE>) -> tensor<6x5xE>
  %t = graph.broadcast %b2 to [1] : tensor<5xE> -> tensor<6x5xE>
  %y = graph.binary add %s, %t : tensor<6x5xE>
"""


def _coarse(rng, shape):
    return rng.integers(-64, 65, shape) / 64.0


def parameters():
    """The first values of the parameters, by name."""
    rng = np.random.default_rng(7)
    return {name: _coarse(rng, shape) for name, shape in _SHAPES.items()}


def function_text(values, body, element):
    """A function of the graph dialect with input x and these parameters; `xE` in `body` stands for the element type."""
    arguments = [f'%x: tensor<6x3x{element}> {{graph.input = "x"}}']
    for name, value in values.items():
        type_text = f"tensor<{'x'.join(map(str, value.shape))}x{element}>"
        arguments.append(f'%{name}: {type_text} {{graph.parameter = "{name}", '
                         f'graph.source = dense<{value.tolist()}> : {type_text}}}')
    output = f"tensor<6x5x{element}>"
    return (f"func.func @forward({', '.join(arguments)}) -> ({output} {{graph.output = \"y\"}}) {{"
            + body.replace("xE", f"x{element}") + f"  return %y : {output}\n}}\n")


def model_text(element):
    """The network as a function of the graph dialect, of the given element type."""
    return function_text(parameters(), _BODY, element)


def batches(micro_batches, dtype):
    """Inputs and both kinds of targets; every third label does not count."""
    rng = np.random.default_rng(11)
    shape = (micro_batches, SAMPLES)
    labels = rng.integers(0, OUTPUTS, shape)
    labels[rng.random(shape) < 0.3] = -100
    return {"x": _coarse(rng, (*shape, FEATURES)).astype(dtype),
            "targets": _coarse(rng, (*shape, OUTPUTS)).astype(dtype), "labels": labels}


def _squares(output, targets):
    """Mean of the squares of all differences, its gradient, and what is counted."""
    difference = output - targets
    return (difference**2).mean(), 2 * difference / difference.size, difference.size


def _cross_entropy(output, labels, smoothing):
    """Mean over the rows that count of -sum_v q_v log p_v, q the smoothed label (Szegedy et al. 2016)."""
    counted = labels != -100
    shifted = output - output.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    q = np.eye(OUTPUTS)[np.where(counted, labels, 0)] * (1 - smoothing) + smoothing / OUTPUTS
    count = max(int(counted.sum()), 1)
    weight = counted[:, None] / count
    return -(weight * q * log_p).sum(), weight * (np.exp(log_p) - q), int(counted.sum())


def loss_and_gradients(values, data, loss="mse", label_smoothing=0.0):
    """(loss, gradients by name, what counts) of all micro-batches as one batch."""
    x = data["x"].reshape(-1, FEATURES).astype(np.float64)
    hidden = np.tanh(x @ values["w1"] + values["b1"])
    output = hidden @ values["w2"] + values["b2"]
    if loss == "mse":
        mean, d_output, count = _squares(output, data["targets"].reshape(-1, OUTPUTS))
    else:
        mean, d_output, count = _cross_entropy(output, data["labels"].reshape(-1), label_smoothing)
    d_hidden = (d_output @ values["w2"].T) * (1 - hidden**2)
    return mean, {"w1": x.T @ d_hidden, "b1": d_hidden.sum(axis=0),
                  "w2": hidden.T @ d_output, "b2": d_output.sum(axis=0)}, count
