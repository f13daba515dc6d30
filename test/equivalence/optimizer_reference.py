"""Optimizers as their papers and PyTorch's documentation define them, in NumPy and f64.

`create(kind, options)` gives an object whose `update(name, parameter, gradient, rate, step, decay)` returns the new
parameter; `rate` is the learning rate of the step, which counts from 1. What it keeps of a parameter it keeps by name.
"""

from collections import defaultdict

import numpy as np


class Sgd:
    """Momentum with PyTorch's convention: the learning rate scales the velocity, not what enters it."""

    def __init__(self, momentum=0.0, nesterov=False):
        self.momentum, self.nesterov, self.velocity = momentum, nesterov, defaultdict(float)

    def update(self, name, parameter, gradient, rate, step, decay):
        gradient = gradient + decay * parameter
        self.velocity[name] = self.momentum * self.velocity[name] + gradient
        ahead = gradient + self.momentum * self.velocity[name]
        return parameter - rate * (ahead if self.nesterov else self.velocity[name])


class Adam:
    """Kingma and Ba 2015, algorithm 1; decay is L2 regularization."""

    decoupled = False

    def __init__(self, betas=(0.9, 0.999), eps=1e-8):
        (self.beta1, self.beta2), self.eps = betas, eps
        self.mean, self.square = defaultdict(float), defaultdict(float)

    def update(self, name, parameter, gradient, rate, step, decay):
        if self.decoupled:
            parameter = parameter - rate * decay * parameter
        else:
            gradient = gradient + decay * parameter
        self.mean[name] = self.beta1 * self.mean[name] + (1 - self.beta1) * gradient
        self.square[name] = self.beta2 * self.square[name] + (1 - self.beta2) * gradient**2
        mean = self.mean[name] / (1 - self.beta1**step)
        square = self.square[name] / (1 - self.beta2**step)
        return parameter - rate * mean / (np.sqrt(square) + self.eps)


class AdamW(Adam):
    """Loshchilov and Hutter 2019, algorithm 2, the decay times the learning rate as PyTorch has it."""

    decoupled = True


KINDS = {"sgd": Sgd, "adam": Adam, "adamw": AdamW}


def create(kind, options):
    return KINDS[kind](**options)
