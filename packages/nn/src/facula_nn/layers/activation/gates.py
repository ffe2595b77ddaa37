"""Gated units: the input, or half of it, times a gate between 0 and 1."""

from __future__ import annotations

from facula_tensor import Tensor

from ... import functional as F
from ..._modules.layer import layer
from ..._modules.module import Module
from .base import Activation


@layer
class GELU(Module):
    """x · Φ(x), where Φ is the normal distribution function; `approximate="tanh"` selects an approximation.

    D. Hendrycks and K. Gimpel, Gaussian Error Linear Units, 2016.

    >>> from facula_tensor import tensor
    >>> GELU()(tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """

    _repr_items = "approximate!r="
    approximate: str = "none"

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.gelu(input, approximate=self.approximate)


@layer
class SiLU(Activation, function="silu"):
    """x · sigmoid(x).

    >>> from facula_tensor import tensor
    >>> SiLU()(tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """

    inplace: bool = False


@layer
class Hardswish(Activation, function="hardswish"):
    """x · min(max(x + 3, 0), 6) / 6.

    A. Howard et al., Searching for MobileNetV3, ICCV 2019.

    >>> from facula_tensor import tensor
    >>> Hardswish()(tensor([-1.0, 4.0]))
    tensor([-0.3333,  4.0000])
    """

    inplace: bool = False


@layer
class Mish(Activation, function="mish"):
    """x · tanh(log(1 + exp(x))).

    D. Misra, Mish: A Self Regularized Non-Monotonic Activation Function, BMVC 2020.

    >>> from facula_tensor import tensor
    >>> Mish()(tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """

    inplace: bool = False


@layer
class GLU(Activation, function="glu"):
    """The first half along a dimension, times the sigmoid of the second half: halves the length of the dimension.

    Y. Dauphin et al., Language Modeling with Gated Convolutional Networks, ICML 2017.

    >>> from facula_tensor import tensor
    >>> GLU()(tensor([2.0, 4.0, 0.0, 0.0]))
    tensor([1., 2.])
    """

    dim: int = -1
