"""Activations that change their input and return it: `relu_(x)` is `relu(x, inplace=True)`."""

from __future__ import annotations

from facula_errors.extend import boundary

from .._core.tensor import Tensor
from .._dispatch.overrides import overridable
from .activation import elu, hardtanh, leaky_relu, relu
from .further_activations import celu, rrelu, selu
from .further_activations import threshold as threshold_of

__all__ = ["celu_", "elu_", "hardtanh_", "leaky_relu_", "relu_", "rrelu_", "selu_", "threshold_"]


@overridable
@boundary
def relu_(input: Tensor) -> Tensor:
    """`relu` in place.

    >>> from facula_tensor import tensor
    >>> relu_(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return relu(input, True)


@overridable
@boundary
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`leaky_relu` in place."""
    return leaky_relu(input, negative_slope, True)


@overridable
@boundary
def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`elu` in place."""
    return elu(input, alpha, True)


@overridable
@boundary
def selu_(input: Tensor) -> Tensor:
    """`selu` in place."""
    return selu(input, True)


@overridable
@boundary
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`celu` in place."""
    return celu(input, alpha, True)


@overridable
@boundary
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh` in place.

    Arguments:
        input: the tensor that changes.
        min_val: the lower bound.
        max_val: the upper bound.

    Returns:
        `input`.
    """
    return hardtanh(input, min_val, max_val, True)


@overridable
@boundary
def rrelu_(input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Tensor:
    """`rrelu` in place.

    Arguments:
        input: the tensor that changes.
        lower: the least slope.
        upper: the greatest slope.
        training: whether slopes are drawn evenly, one for each element; else all are the mean of the two.

    Returns:
        `input`.
    """
    return rrelu(input, lower, upper, training, True)


@overridable
@boundary
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """`threshold` in place.

    Arguments:
        input: the tensor that changes.
        threshold: the bound.
        value: the number in place of elements up to the bound.

    Returns:
        `input`.
    """
    return threshold_of(input, threshold, value, True)
