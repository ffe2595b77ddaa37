"""NumPy references in float64, written from the papers' formulas, and parameters to optimize."""

from collections import defaultdict

import numpy as np

import facula_tensor as ft

SHAPES = [(3, 4), (4,), (), (2, 1, 5), (0,)]


def values(seed, shapes=SHAPES):
    """Return arrays of these shapes, determined by a seed."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def leaves(arrays, dtype=ft.float64):
    """Return leaf tensors with these values that require gradients."""
    return [ft.tensor(a, dtype=dtype, requires_grad=True) for a in arrays]


def give(parameters, arrays):
    """Set the gradients; None removes one."""
    for p, g in zip(parameters, arrays, strict=True):
        p.grad = None if g is None else ft.tensor(g, dtype=p.dtype)


class SGDReference:
    """Gradient descent as defined by Sutskever et al. 2013 and the documentation of the options."""

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


class Reference:
    """An optimizer defined by `move(p, d, state, t)`, the parameter after step t, with d = gradient + decay * p.

    `state` contains the arrays stored for a parameter, which are initially zero.
    """

    def __init__(self, move, weight_decay=0, maximize=False, decoupled_rate=0):
        self.move, self.options = move, (weight_decay, maximize, decoupled_rate)
        self.state, self.count = {}, {}

    def step(self, number, p, g):
        decay, maximize, rate = self.options
        state = self.state.setdefault(number, defaultdict(lambda: np.zeros(())))
        self.count[number] = t = self.count.get(number, 0) + 1
        d = -g if maximize else g
        if rate:
            p = p - rate * decay * p
        else:
            d = d + decay * p
        return self.move(p, d, state, t)


def averaged(state, key, value, share):
    """Update the running mean under `key` with this value, and return it; `share` is its factor."""
    state[key] = share * state[key] + (1 - share) * value
    return state[key]


def rmsprop(lr, alpha=0.99, eps=1e-8, momentum=0, centered=False, **shared):
    def move(p, d, state, t):
        spread = averaged(state, "square", d * d, alpha)
        if centered:
            spread = np.maximum(spread - averaged(state, "mean", d, alpha) ** 2, 0)
        state["buffer"] = momentum * state["buffer"] + d / (np.sqrt(spread) + eps)
        return p - lr * state["buffer"]

    return Reference(move, **shared)


def adadelta(lr, rho=0.9, eps=1e-6, **shared):
    def move(p, d, state, t):
        square = averaged(state, "square", d * d, rho)
        change = np.sqrt(state["delta"] + eps) / np.sqrt(square + eps) * d
        averaged(state, "delta", change * change, rho)
        return p - lr * change

    return Reference(move, **shared)


def adagrad(lr, lr_decay=0, initial_accumulator_value=0, eps=1e-10, **shared):
    def move(p, d, state, t):
        state["sum"] = state["sum"] + d * d
        return p - lr / (1 + (t - 1) * lr_decay) * d / (np.sqrt(initial_accumulator_value + state["sum"]) + eps)

    return Reference(move, **shared)


def adamax(lr, betas=(0.9, 0.999), eps=1e-8, **shared):
    def move(p, d, state, t):
        mean = averaged(state, "mean", d, betas[0])
        state["most"] = np.maximum(betas[1] * state["most"], np.abs(d) + eps)
        return p - lr / (1 - betas[0] ** t) * mean / state["most"]

    return Reference(move, **shared)


def nadam(lr, betas=(0.9, 0.999), eps=1e-8, momentum_decay=4e-3, **shared):
    def factor(t):
        return betas[0] * (1 - 0.5 * 0.96 ** (t * momentum_decay))

    def move(p, d, state, t):
        mean, square = averaged(state, "mean", d, betas[0]), averaged(state, "square", d * d, betas[1])
        done = np.prod([factor(i + 1) for i in range(t)])
        ahead = (1 - factor(t)) / (1 - done) * d + factor(t + 1) / (1 - done * factor(t + 1)) * mean
        return p - lr * ahead / (np.sqrt(square / (1 - betas[1] ** t)) + eps)

    return Reference(move, **shared)


def radam(lr, betas=(0.9, 0.999), eps=1e-8, **shared):
    def move(p, d, state, t):
        mean, square = averaged(state, "mean", d, betas[0]), averaged(state, "square", d * d, betas[1])
        mean, last = mean / (1 - betas[0] ** t), 2 / (1 - betas[1]) - 1
        length = last - 2 * t * betas[1] ** t / (1 - betas[1] ** t)
        if length <= 5:
            return p - lr * mean
        known = np.sqrt((length - 4) * (length - 2) * last / ((last - 4) * (last - 2) * length))
        return p - lr * known * mean * np.sqrt(1 - betas[1] ** t) / (np.sqrt(square) + eps)

    return Reference(move, **shared)


def asgd(lr, lambd=1e-4, alpha=0.75, t0=1e6, **shared):
    def move(p, d, state, t):
        eta = lr / (1 + lambd * lr * (t - 1)) ** alpha
        p = p * (1 - lambd * eta) - eta * d
        state["average"] = state["average"] + (p - state["average"]) / max(1, t - 1 - t0)
        return p

    return Reference(move, **shared)


def rprop(lr, etas=(0.5, 1.2), step_sizes=(1e-6, 50), **shared):
    def move(p, d, state, t):
        agree = np.sign(d * state["before"])
        size = state["size"] if t > 1 else np.full(p.shape, lr)
        state["size"] = np.clip(size * np.where(agree > 0, etas[1], np.where(agree < 0, etas[0], 1)), *step_sizes)
        state["before"] = np.where(agree < 0, 0, d)
        return p - np.sign(state["before"]) * state["size"]

    return Reference(move, **shared)


def adafactor(lr, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0, maximize=False):
    def rms(x):
        return np.sqrt((x * x).mean()) if x.size else 0.0

    def move(p, g, state, t):
        share, smallest = t**beta2_decay, 2.0**-52 if eps[0] is None else eps[0]
        pace = max(eps[1], rms(p)) * min(lr, t**-0.5)
        if p.ndim > 1:
            rows = averaged(state, "rows", (g * g).mean(-1, keepdims=True), 1 - share)
            columns = averaged(state, "columns", (g * g).mean(-2, keepdims=True), 1 - share)
            moment = rows * columns / np.maximum(rows.mean(-2, keepdims=True), smallest)
        else:
            moment = averaged(state, "moment", g * g, 1 - share)
        update = g / np.sqrt(np.maximum(moment, smallest**2))
        return p * (1 - lr * weight_decay) - pace * update / max(1, rms(update) / d)

    return Reference(move, maximize=maximize)


def muon(lr, weight_decay=0.1, momentum=0.95, nesterov=True, adjust_lr_fn=None):
    def move(p, d, state, t):
        mean = averaged(state, "mean", d, momentum)
        x = momentum * mean + (1 - momentum) * d if nesterov else mean
        x = x / np.linalg.norm(x)
        for _ in range(5):
            gram = x @ x.T
            x = 3.4445 * x + (-4.775 * gram + 2.0315 * gram @ gram) @ x
        rows, columns = p.shape
        factor = 0.2 * max(rows, columns) ** 0.5 if adjust_lr_fn else max(1, rows / columns) ** 0.5
        return p * (1 - lr * weight_decay) - lr * factor * x

    return Reference(move)


def trained(optimizer, parameters, reference, steps=6, seed=1):
    """Step both with the same gradients, occasionally omitting one; return the reference's values."""
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
