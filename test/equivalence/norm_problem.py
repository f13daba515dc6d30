"""A network with a batch norm, its gradients and running statistics, as a graph and as closed forms in NumPy.

    u = x w as [sample, channel, place]        v = (u - mean) / sqrt(variance + 1/8) scale + bias
    output = tanh(v) h

of 6 samples of 3 features, 4 channels of 2 places and 5 outputs. Mean and variance are of a micro-batch, over samples
and places; ONNX's running ones keep 3/4 of what they were. Numbers are multiples of 1/64.
"""

import numpy as np

from equivalence.training_problem import function_text

EPSILON, MOMENTUM = 0.125, 0.75
_SHAPES = {"w": (3, 8), "scale": (4,), "bias": (4,), "h": (8, 5), "mean": (4,), "variance": (4,)}
_BODY = """
  %p = graph.contract %x, %w batch [] x [] over [1] x [0] : (tensor<6x3xE>, tensor<3x8xE>) -> tensor<6x8xE>
  %u = graph.reshape %p : tensor<6x8xE> -> tensor<6x4x2xE>
  %v = graph.batch_norm %u, %scale, %bias, %mean, %variance epsilon 0.125 {graph.momentum = 0.75 : f64}
      : tensor<6x4x2xE>, tensor<4xE>, tensor<4xE>
  %r = graph.reshape %v : tensor<6x4x2xE> -> tensor<6x8xE>
  %t = graph.unary tanh %r : tensor<6x8xE>
  %y = graph.contract %t, %h batch [] x [] over [1] x [0] : (tensor<6x8xE>, tensor<8x5xE>) -> tensor<6x5xE>
"""


def parameters():
    """The first values of the parameters, running statistics among them."""
    rng = np.random.default_rng(17)
    values = {name: rng.integers(-64, 65, shape) / 64.0 for name, shape in _SHAPES.items()}
    return values | {"variance": 1 + np.abs(values["variance"])}


def model_text(element):
    return function_text(parameters(), _BODY, element)


def _per_channel(vector):
    return vector[:, None]


def evaluate(values, data):
    """The loss with running statistics, of one micro-batch."""
    u = (data["x"][0].astype(np.float64) @ values["w"]).reshape(6, 4, 2)
    deviation = np.sqrt(values["variance"] + EPSILON)
    v = ((u - _per_channel(values["mean"])) / _per_channel(deviation) * _per_channel(values["scale"])
         + _per_channel(values["bias"]))
    return ((np.tanh(v.reshape(6, 8)) @ values["h"] - data["targets"][0])**2).mean()


def _micro_batch(values, x, targets, share):
    """(loss, gradients, mean, variance) of one micro-batch, which is `share` of the step."""
    u = (x @ values["w"]).reshape(6, 4, 2)
    mean, variance = u.mean(axis=(0, 2)), u.var(axis=(0, 2))
    deviation = _per_channel(np.sqrt(variance + EPSILON))
    normal = (u - _per_channel(mean)) / deviation
    t = np.tanh((normal * _per_channel(values["scale"]) + _per_channel(values["bias"])).reshape(6, 8))
    difference = t @ values["h"] - targets
    d_output = 2 * difference / difference.size * share
    d_v = ((d_output @ values["h"].T) * (1 - t**2)).reshape(6, 4, 2)
    d_normal = d_v * _per_channel(values["scale"])

    def centre(a):  # What normalizing takes off: Ioffe and Szegedy 2015, section 3.
        return a - _per_channel(a.mean(axis=(0, 2))) - normal * _per_channel((a * normal).mean(axis=(0, 2)))

    return ((difference**2).mean() * share,
            {"w": x.T @ (centre(d_normal) / deviation).reshape(6, 8), "h": t.T @ d_output,
             "scale": (d_v * normal).sum(axis=(0, 2)), "bias": d_v.sum(axis=(0, 2))}, mean, variance)


def train(values, data):
    """(loss, gradients by name, running statistics by name) of all micro-batches, one after another."""
    running = {name: values[name] for name in ("mean", "variance")}
    loss, gradients = 0.0, dict.fromkeys(("w", "h", "scale", "bias"), 0.0)
    for x, targets in zip(data["x"].astype(np.float64), data["targets"].astype(np.float64)):
        part, own, mean, variance = _micro_batch(values, x, targets, 1 / len(data["x"]))
        loss += part
        gradients = {name: gradients[name] + own[name] for name in gradients}
        running = {name: MOMENTUM * running[name] + (1 - MOMENTUM) * batch
                   for name, batch in (("mean", mean), ("variance", variance))}
    return loss, gradients, running
