"""Comparison of fused functions with unfused ones: values, gradients and second derivatives."""

import numpy as np

import facula_tensor as ft
from facula_autograd import grad

UNARY = {
    "sigmoid": ft.sigmoid,
    "tanh": lambda x: x.tanh(),
    "sin": ft.sin,
    "negative": lambda x: -x,
    "softplus": lambda x: ft.log1p(ft.exp(x)),
    "root": lambda x: (x * x + 1).sqrt(),
    "clamp": lambda x: ft.where(x > 0.3, x, 0.3),
}


def close(found, wanted, rtol=1e-8):
    assert found.dtype is wanted.dtype and found.shape == wanted.shape
    np.testing.assert_allclose(found.detach().numpy(), wanted.detach().numpy(), rtol=rtol, atol=1e-10)


def derivatives(function, operands):
    """Return the value of a function, its gradients, and the gradients of a function of these."""
    value = function(*operands)
    first = grad(value, operands, ft.ones_like(value), create_graph=True, allow_unused=True, materialize_grads=True)
    weighed = sum([(result * result.detach().cos()).sum() for result in first])
    if not weighed.requires_grad:
        return [value, *first]
    return [value, *first, *grad(weighed, operands, allow_unused=True, materialize_grads=True)]
