"""Softmax along a dimension, and its logarithm."""

from __future__ import annotations

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import check_input
from ..._modules.layer import layer
from ..._modules.module import Module
from .base import Activation


@layer
class Softmax(Activation, function="softmax"):
    """exp(x), divided by its sum along a dimension.

    >>> from facula_tensor import zeros
    >>> Softmax(dim=0)(zeros(2))
    tensor([0.5000, 0.5000])
    """

    dim: int | None = None


@layer
class LogSoftmax(Activation, function="log_softmax"):
    """The logarithm of `Softmax`, without underflow.

    >>> from facula_tensor import zeros
    >>> LogSoftmax(dim=0)(zeros(2))
    tensor([-0.6931, -0.6931])
    """

    dim: int | None = None


@boundary
class Softmax2d(Module):
    """Softmax over the channels at each position of images (N, C, H, W), or (C, H, W). ValueError for other shapes.

    >>> from facula_tensor import zeros
    >>> Softmax2d()(zeros(2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Apply softmax over dimension -3."""
        check_input("Softmax2d", input)
        if input.ndim not in (3, 4):
            raise InvalidValueError(f"Softmax2d: expected 3 or 4 dimensions; got shape {tuple(input.shape)}")
        return F.softmax(input, -3)


@layer
class Softmin(Activation, function="softmin"):
    """exp(-x), divided by its sum along a dimension.

    >>> from facula_tensor import tensor
    >>> Softmin(dim=0)(tensor([0.0, 1.0]))
    tensor([0.7311, 0.2689])
    """

    dim: int | None = None
