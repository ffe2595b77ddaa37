"""Rectifiers: x if it is positive, and a smaller value otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty

from ... import functional as F
from ... import init
from ..._modules.layer import layer
from ..._modules.module import Module
from .base import Activation

if TYPE_CHECKING:
    from facula_tensor.extend.arguments import DeviceLike, DTypeLike


@layer
class ReLU(Activation, function="relu"):
    """max(x, 0).

    >>> from facula_tensor import tensor
    >>> ReLU()(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    inplace: bool = False


@layer
class LeakyReLU(Activation, function="leaky_relu"):
    """x if it is positive, else x · negative_slope.

    >>> from facula_tensor import tensor
    >>> LeakyReLU(0.1)(tensor([-1.0, 2.0]))
    tensor([-0.1000,  2.0000])
    """

    negative_slope: float = 1e-2
    inplace: bool = False


@layer
class ELU(Activation, function="elu"):
    """x if it is positive, else alpha · (exp(x) - 1).

    D. Clevert et al., Fast and Accurate Deep Network Learning by Exponential Linear Units, ICLR 2016.

    >>> from facula_tensor import tensor
    >>> ELU()(tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    alpha: float = 1.0
    inplace: bool = False


@layer
class CELU(Activation, function="celu"):
    """x if it is positive, else alpha · (exp(x / alpha) - 1).

    J. T. Barron, Continuously Differentiable Exponential Linear Units, 2017.

    >>> from facula_tensor import tensor
    >>> CELU(alpha=2.0)(tensor([-1.0, 2.0]))
    tensor([-0.7869,  2.0000])
    """

    alpha: float = 1.0
    inplace: bool = False


@layer
class SELU(Activation, function="selu"):
    """`ELU` with scales that preserve mean 0 and variance 1 through layers.

    G. Klambauer et al., Self-Normalizing Neural Networks, NeurIPS 2017.

    >>> from facula_tensor import tensor
    >>> SELU()(tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """

    inplace: bool = False


@boundary
class PReLU(Module):
    """x if it is positive, else x times the trainable `weight`: one number, or one per channel (dimension 1).

    State: `weight` (num_parameters), initially `init`. K. He et al., Delving Deep into Rectifiers, ICCV 2015.

    Arguments:
        num_parameters: 1, or the number of channels.
        init: the initial slope.
        device: the parameters' device; the default device if None.
        dtype: the parameters' dtype; the default dtype if None.

    >>> from facula_tensor import tensor
    >>> PReLU()(tensor([-1.0, 2.0])).detach()
    tensor([-0.2500,  2.0000])
    """

    _repr_items = "num_parameters="
    weight: Parameter

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        device: DeviceLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reset the weight to its initial value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to `input` of any shape, or (N, num_parameters, ...)."""
        return F.prelu(input, self.weight)


@layer
class RReLU(Module):
    """x if it is positive, else x times a slope: random for each element in training, else the mean of the bounds.

    Arguments:
        lower: the minimum slope.
        upper: the maximum slope.
        inplace: modify the input.

    B. Xu et al., Empirical Evaluation of Rectified Activations in Convolutional Network, 2015.

    >>> from facula_tensor import tensor
    >>> RReLU(0.1, 0.3).eval()(tensor([-1.0, 2.0]))
    tensor([-0.2000,  2.0000])
    """

    lower: float = 1 / 8
    upper: float = 1 / 3
    inplace: bool = False

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


@layer
class Threshold(Activation, function="threshold"):
    """x if it is greater than `threshold`, else `value`.

    Arguments:
        threshold: the threshold.
        value: the result for inputs up to the threshold.
        inplace: modify the input.

    >>> from facula_tensor import tensor
    >>> Threshold(0.5, 9.0)(tensor([0.25, 2.0]))
    tensor([9., 2.])
    """

    threshold: float
    value: float
    inplace: bool = False
