"""More nonlinearities, element by element or along a dimension; see `activation.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, empty

from .. import functional as F
from .. import init
from .._arguments import check_input
from .._layer import layer
from .._module import Module
from .activation import OnlyInplace

if TYPE_CHECKING:
    from facula_tensor.extend import DeviceLike, DTypeLike


@layer
class CELU(Module):
    """x where it is positive, else alpha · (exp(x / alpha) - 1).

    J. T. Barron, Continuously Differentiable Exponential Linear Units, 2017.
    """

    alpha: float = 1.0
    inplace: bool = False

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.celu(input, self.alpha, self.inplace)


@layer
class GLU(Module):
    """The first half along a dimension, times the sigmoid of the second: that dimension becomes half as long.

    Y. Dauphin et al., Language Modeling with Gated Convolutional Networks, ICML 2017.
    """

    dim: int = -1

    def forward(self, input: Tensor) -> Tensor:
        """Along the dimension."""
        return F.glu(input, self.dim)


@layer
class Hardshrink(Module):
    """x, or 0 where it is at most `lambd` from 0."""

    _repr_items = "lambd"
    lambd: float = 0.5

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.hardshrink(input, self.lambd)


@boundary
class Hardsigmoid(OnlyInplace):
    """min(max(x + 3, 0), 6) / 6."""

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.hardsigmoid(input, self.inplace)


@boundary
class Hardswish(OnlyInplace):
    """x · min(max(x + 3, 0), 6) / 6.

    A. Howard et al., Searching for MobileNetV3, ICCV 2019.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.hardswish(input, self.inplace)


@boundary
class Mish(OnlyInplace):
    """x · tanh(log(1 + exp(x))).

    D. Misra, Mish: A Self Regularized Non-Monotonic Activation Function, BMVC 2020.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.mish(input, self.inplace)


@boundary
class PReLU(Module):
    """x where it is positive, else x times `weight`, which is learnt: one number, or one a channel (dimension 1).

    State: `weight` (num_parameters), which begins as `init`. K. He et al., Delving Deep into Rectifiers, ICCV 2015.

    Arguments:
        num_parameters: 1, or the number of channels.
        init: the slope at first.
        device: where the parameters lie; the default device's if None.
        dtype: of the parameters; the default dtype if None.

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
        """Let the weight begin again."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """`input` of any shape, or (N, num_parameters, ...)."""
        return F.prelu(input, self.weight)


@layer
class RReLU(Module):
    """x where it is positive, else x times a slope: in training drawn for each number, else the mean of the two.

    Arguments:
        lower: the least slope.
        upper: the greatest slope.
        inplace: change the input.

    B. Xu et al., Empirical Evaluation of Rectified Activations in Convolutional Network, 2015.
    """

    lower: float = 1 / 8
    upper: float = 1 / 3
    inplace: bool = False

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


@boundary
class SELU(OnlyInplace):
    """`ELU` with scales that let mean 0 and variance 1 pass through layers.

    G. Klambauer et al., Self-Normalizing Neural Networks, NeurIPS 2017.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.selu(input, self.inplace)


@boundary
class Softmax2d(Module):
    """Softmax over the channels at each place of images (N, C, H, W), or (C, H, W). ValueError for other dimensions."""

    def forward(self, input: Tensor) -> Tensor:
        """Over dimension -3."""
        check_input("Softmax2d", input)
        if input.ndim not in (3, 4):
            raise InvalidValueError(f"Softmax2d: expected 3 or 4 dimensions; got shape {tuple(input.shape)}")
        return F.softmax(input, -3)


@layer
class Softmin(Module):
    """exp(-x), divided by its sum along a dimension."""

    dim: int | None = None

    def forward(self, input: Tensor) -> Tensor:
        """Along the dimension."""
        return F.softmin(input, self.dim)


@layer
class Softshrink(Module):
    """x, `lambd` nearer to 0; 0 where it is as near as that."""

    _repr_items = "lambd"
    lambd: float = 0.5

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.softshrink(input, self.lambd)


@boundary
class Softsign(Module):
    """x / (1 + abs(x))."""

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.softsign(input)


@boundary
class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.tanhshrink(input)


@layer
class Threshold(Module):
    """x, or `value` where x is not greater than `threshold`.

    Arguments:
        threshold: the limit.
        value: the result up to the limit.
        inplace: change the input.
    """

    threshold: float
    value: float
    inplace: bool = False

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.threshold(input, self.threshold, self.value, self.inplace)
