"""Contracts of matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .declared import Promise


def matmul(inputs: Any, parameters: Any) -> bool:
    """Accept stacks of matrices, or a vector as one of the operands: the declaration checks shapes."""
    return True


def linear(inputs: Any, parameters: Any) -> bool:
    """Check for rows times a matrix of rows, and a bias: the declaration checks shapes."""
    return bool(inputs[1].ndim == 2)


def linear_weight_grad(inputs: Any, parameters: Any) -> bool:
    """Check for the product g.T @ x."""
    g, x = inputs
    return g.ndim == x.ndim == 2 and g.shape[0] == x.shape[0]


PROMISES: dict[str, Promise] = {"matmul": matmul, "linear": linear, "linear_weight_grad": linear_weight_grad}
