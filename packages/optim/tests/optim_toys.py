"""References in NumPy, in float64, written from the papers' formulas; and parameters to step."""

import numpy as np

import facula_tensor as ft

SHAPES = [(3, 4), (4,), (), (2, 1, 5), (0,)]


def values(seed, shapes=SHAPES):
    """Arrays of these shapes, always the same for a seed."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def leaves(arrays, dtype=ft.float64):
    """Leaf tensors with these values that require gradients."""
    return [ft.tensor(a, dtype=dtype, requires_grad=True) for a in arrays]


def give(parameters, arrays):
    """Set the gradients; None takes one away."""
    for p, g in zip(parameters, arrays, strict=True):
        p.grad = None if g is None else ft.tensor(g, dtype=p.dtype)


class SGDReference:
    """Gradient descent as Sutskever et al. 2013 and the documentation of the options have it."""

    def __init__(self, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False):
        self.options = lr, momentum, dampening, weight_decay, nesterov, maximize
        self.buffers = {}

    def step(self, number, p, g):
        lr, momentum, dampening, decay, nesterov, maximize = self.options
        d = (-g if maximize else g) + decay * p
        if momentum:
            before = self.buffers.get(number)
            b = d if before is None else momentum * before + (1 - dampening) * d
            self.buffers[number] = b
            d = d + momentum * b if nesterov else b
        return p - lr * d


class AdamReference:
    """Algorithm 1 of Kingma and Ba 2015; AMSGrad of Reddi et al. 2018; Loshchilov and Hutter 2019 for the decay."""

    def __init__(
        self, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, maximize=False, decoupled=False
    ):
        self.options = lr, betas, eps, weight_decay, amsgrad, maximize, decoupled
        self.state = {}

    def step(self, number, p, g):
        lr, (b1, b2), eps, decay, amsgrad, maximize, decoupled = self.options
        t, m, v, most = self.state.get(number, (0, 0, 0, 0))
        g = -g if maximize else g
        if decoupled:
            p = p - lr * decay * p
        else:
            g = g + decay * p
        t, m, v = t + 1, b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g**2
        most = np.maximum(most, v)
        self.state[number] = t, m, v, most
        return p - lr * (m / (1 - b1**t)) / (np.sqrt((most if amsgrad else v) / (1 - b2**t)) + eps)


def trained(optimizer, parameters, reference, steps=6, seed=1):
    """Steps both with the same gradients, now and then leaving one out; the reference's values."""
    expected = [p.detach().numpy().astype(np.float64) for p in parameters]
    for step in range(steps):
        gradients = values([seed, step], [tuple(p.shape) for p in parameters])
        gradients = [None if (step + number) % 4 == 1 else g for number, g in enumerate(gradients)]
        give(parameters, gradients)
        optimizer.step()
        for number, g in enumerate(gradients):
            if g is not None:
                expected[number] = reference.step(number, expected[number], g)
    return expected


def assert_close(parameters, expected, rtol=1e-12):
    for p, e in zip(parameters, expected, strict=True):
        np.testing.assert_allclose(p.detach().numpy(), e, rtol=rtol, atol=rtol)
