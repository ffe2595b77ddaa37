"""Softmax along a dimension, and its logarithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._arguments import check_input
from ..._modules.layer import layer
from ..._modules.module import Module

if TYPE_CHECKING:
    pass


@layer
class Softmax(Module):
    """exp(x), divided by its sum along a dimension.

    >>> from facula_tensor import zeros
    >>> Softmax(dim=0)(zeros(2))
    tensor([0.5000, 0.5000])
    """

    dim: int | None = None

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function along the dimension."""
        return F.softmax(input, self.dim)


@layer
class LogSoftmax(Module):
    """The logarithm of `Softmax`, without underflow."""

    dim: int | None = None

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function along the dimension."""
        return F.log_softmax(input, self.dim)


@boundary
class Softmax2d(Module):
    """Softmax over the channels at each position of images (N, C, H, W), or (C, H, W). ValueError for other shapes."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply softmax over dimension -3."""
        check_input("Softmax2d", input)
        if input.ndim not in (3, 4):
            raise InvalidValueError(f"Softmax2d: expected 3 or 4 dimensions; got shape {tuple(input.shape)}")
        return F.softmax(input, -3)


@layer
class Softmin(Module):
    """exp(-x), divided by its sum along a dimension."""

    dim: int | None = None

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function along the dimension."""
        return F.softmin(input, self.dim)
