"""Gated units: the input, or half of it, times a gate between 0 and 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import functional as F
from ..._modules.layer import layer
from ..._modules.module import Module
from .base import OnlyInplace

if TYPE_CHECKING:
    pass


@layer
class GELU(Module):
    """x · Φ(x), where Φ is the normal distribution function; `approximate="tanh"` selects an approximation.

    D. Hendrycks and K. Gimpel, Gaussian Error Linear Units, 2016.
    """

    _repr_items = "approximate!r="
    approximate: str = "none"

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.gelu(input, approximate=self.approximate)


@boundary
class SiLU(OnlyInplace):
    """x · sigmoid(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.silu(input, self.inplace)


@boundary
class Hardswish(OnlyInplace):
    """x · min(max(x + 3, 0), 6) / 6.

    A. Howard et al., Searching for MobileNetV3, ICCV 2019.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.hardswish(input, self.inplace)


@boundary
class Mish(OnlyInplace):
    """x · tanh(log(1 + exp(x))).

    D. Misra, Mish: A Self Regularized Non-Monotonic Activation Function, BMVC 2020.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.mish(input, self.inplace)


@layer
class GLU(Module):
    """The first half along a dimension, times the sigmoid of the second half: halves the length of the dimension.

    Y. Dauphin et al., Language Modeling with Gated Convolutional Networks, ICML 2017.
    """

    dim: int = -1

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function along the dimension."""
        return F.glu(input, self.dim)
