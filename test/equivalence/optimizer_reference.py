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


def rms(x):
    return np.sqrt((x**2).mean())


class Adafactor:
    """Shazeer and Stern 2018: algorithm 4 of matrices, 5 of vectors, in sums of rows and columns as printed there."""

    def __init__(self, eps=1e-30, relative_step=False):
        self.eps, self.relative = eps, relative_step
        self.rows, self.columns, self.square = defaultdict(float), defaultdict(float), defaultdict(float)

    def update(self, name, parameter, gradient, rate, step, decay):
        beta2 = 1 - step**-0.8
        square = gradient**2 + self.eps
        if parameter.ndim == 2:
            self.rows[name] = beta2 * self.rows[name] + (1 - beta2) * square.sum(axis=1)
            self.columns[name] = beta2 * self.columns[name] + (1 - beta2) * square.sum(axis=0)
            second = np.outer(self.rows[name], self.columns[name]) / self.rows[name].sum()
        else:
            self.square[name] = beta2 * self.square[name] + (1 - beta2) * square
            second = self.square[name]
        change = gradient / np.sqrt(second)
        change = change / max(1.0, rms(change))
        size = max(1e-3, rms(parameter)) if self.relative else 1.0
        return parameter - rate * decay * parameter - rate * size * change


class Lion:
    """Chen et al. 2023, program 1."""

    def __init__(self, betas=(0.9, 0.99)):
        (self.beta1, self.beta2), self.momentum = betas, defaultdict(float)

    def update(self, name, parameter, gradient, rate, step, decay):
        change = np.sign(self.beta1 * self.momentum[name] + (1 - self.beta1) * gradient)
        self.momentum[name] = self.beta2 * self.momentum[name] + (1 - self.beta2) * gradient
        return parameter - rate * (change + decay * parameter)


class Muon:
    """Jordan 2024 with the size of updates of Liu et al. 2025, equation 4. The polynomial acts on singular values."""

    def __init__(self, momentum=0.95, betas=(0.9, 0.999), eps=1e-8, adamw_for=()):
        self.momentum, self.adamw, self.adamw_for = momentum, AdamW(betas, eps), adamw_for
        self.velocity = defaultdict(float)

    def update(self, name, parameter, gradient, rate, step, decay):
        if parameter.ndim != 2 or name in self.adamw_for:
            return self.adamw.update(name, parameter, gradient, rate, step, decay)
        self.velocity[name] = self.momentum * self.velocity[name] + gradient
        ahead = gradient + self.momentum * self.velocity[name]
        left, values, right = np.linalg.svd(ahead, full_matrices=False)
        values = values / (np.sqrt((values**2).sum()) + 1e-7)
        for _ in range(5):
            values = 3.4445 * values - 4.7750 * values**3 + 2.0315 * values**5
        change = 0.2 * np.sqrt(max(parameter.shape)) * (left * values) @ right
        return parameter - rate * (change + decay * parameter)


KINDS = {"adafactor": Adafactor, "adam": Adam, "adamw": AdamW, "lion": Lion, "muon": Muon, "sgd": Sgd}


def create(kind, options):
    return KINDS[kind](**options)
