"""Shrinkage functions, which move x towards 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._modules.layer import layer
from ..._modules.module import Module

if TYPE_CHECKING:
    pass


@layer
class Hardshrink(Module):
    """x, or 0 if |x| is at most `lambd`."""

    _repr_items = "lambd"
    lambd: float = 0.5

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.hardshrink(input, self.lambd)


@layer
class Softshrink(Module):
    """x, moved towards 0 by `lambd`; 0 if |x| is at most `lambd`."""

    _repr_items = "lambd"
    lambd: float = 0.5

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.softshrink(input, self.lambd)


@boundary
class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.tanhshrink(input)
