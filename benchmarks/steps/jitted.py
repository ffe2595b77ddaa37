"""Training steps of the perceptrons of networks.py under `jax.jit`, with SGD or Adam, and their buffers donated."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from ..libraries import facula, numbers
from ..measure import Loop, own_code
from .networks import begin

RATE, BETA1, BETA2, EPSILON = 0.001, 0.9, 0.999, 1e-8


def jax_step(widths: tuple[int, ...], kind: str, batch: int) -> tuple[Callable, Any, Any]:
    """Return `step(pixels, targets) -> loss`, a batch, and its classes. Weights are those of `networks.begin`."""
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_platforms", "cpu")
    shapes = [shape for inputs, outputs in pairwise(widths) for shape in ((outputs, inputs), (outputs,))]
    parameters = [jnp.asarray((numbers(*shape) - 0.5) * (2 / shape[-1] ** 0.5)) for shape in shapes]

    def loss_of(parameters, pixels, targets):
        hidden = pixels
        for weight, bias in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
            hidden = jax.nn.relu(hidden @ weight.T + bias)
        scores = jax.nn.log_softmax(hidden @ parameters[-2].T + parameters[-1])
        return -scores[jnp.arange(len(targets)), targets].mean()

    def sgd(state, pixels, targets):
        (parameters,) = state
        loss, gradients = jax.value_and_grad(loss_of)(parameters, pixels, targets)
        return ([p - RATE * g for p, g in zip(parameters, gradients, strict=True)],), loss

    def adam(state, pixels, targets):
        parameters, means, squares, count = state
        loss, gradients = jax.value_and_grad(loss_of)(parameters, pixels, targets)
        count = count + 1
        means = [BETA1 * m + (1 - BETA1) * g for m, g in zip(means, gradients, strict=True)]
        squares = [BETA2 * s + (1 - BETA2) * g * g for s, g in zip(squares, gradients, strict=True)]
        rate, scale = RATE / (1 - BETA1**count), 1 / jnp.sqrt(1 - BETA2**count)
        updates = [rate * m / (jnp.sqrt(s) * scale + EPSILON) for m, s in zip(means, squares, strict=True)]
        return ([p - u for p, u in zip(parameters, updates, strict=True)], means, squares, count), loss

    state: Any = (parameters,)
    if kind == "Adam":
        zeros = [jnp.zeros_like(p) for p in parameters], [jnp.zeros_like(p) for p in parameters]
        state = (parameters, *zeros, jnp.zeros(()))
    update = jax.jit({"SGD": sgd, "Adam": adam}[kind], donate_argnums=0)

    def step(pixels, targets):
        nonlocal state
        state, loss = update(state, pixels, targets)
        return loss

    return own_code(step), jnp.asarray(numbers(batch, widths[0])), jnp.asarray(np.arange(batch) % 10)


def jitted(widths: tuple[int, ...], kind: str, batch: int) -> Loop:
    """Return the loop of a step under `jax.jit` on one batch; it waits for each step, as facula's return when done."""
    step, inputs, targets = jax_step(widths, kind, batch)

    def loop(times):
        for _ in times:
            loss = step(inputs, targets)
        loss.block_until_ready()

    return own_code(loop)


def agrees_with_jax(make: Callable[[Any], Any], widths: tuple[int, ...], kind: str, batch: int) -> None:
    """Raise ValueError if JAX's step does not train like facula's."""
    ours, theirs = begin(facula, make, kind, (batch, widths[0])), jax_step(widths, kind, batch)
    for number in range(5):
        loss, expected = (float(step(inputs, targets)) for step, inputs, targets in (ours, theirs))
        if not abs(loss - expected) < 1e-4 * expected:
            raise ValueError(f"jitted: losses of step {number}: {loss} facula, {expected} JAX")
