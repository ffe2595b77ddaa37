"""Nonlinearities, element by element or along a dimension. Each takes a tensor of any shape and keeps it."""

from __future__ import annotations

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor
from facula_tensor.extend import recorded_ops  # operators that know that a layer's line is not the user's

from .. import functional as F
from .._layer import layer
from .._module import Module


@layer
class OnlyInplace(Module):
    """Layers without other options."""

    inplace: bool = False


@boundary
class ReLU(OnlyInplace):
    """max(x, 0).

    >>> from facula_tensor import tensor
    >>> ReLU()(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.relu(input, self.inplace)


@layer
class LeakyReLU(Module):
    """x where it is positive, else x · negative_slope."""

    negative_slope: float = 1e-2
    inplace: bool = False

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)


@layer
class ELU(Module):
    """x where it is positive, else alpha · (exp(x) - 1).

    D. Clevert et al., Fast and Accurate Deep Network Learning by Exponential Linear Units, ICLR 2016.
    """

    alpha: float = 1.0
    inplace: bool = False

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.elu(input, self.alpha, self.inplace)


@layer
class GELU(Module):
    """x · Φ(x), Φ the normal distribution's function; with `approximate="tanh"` an approximation of it.

    D. Hendrycks and K. Gimpel, Gaussian Error Linear Units, 2016.
    """

    _repr_items = "approximate!r="
    approximate: str = "none"

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.gelu(input, approximate=self.approximate)


@boundary
class SiLU(OnlyInplace):
    """x · sigmoid(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.silu(input, self.inplace)


@boundary
class Hardtanh(Module):
    """x, at least `min_val` and at most `max_val`. ValueError unless the first is less than the second.

    `min_value` and `max_value` are older names of the two.

    Arguments:
        min_val: the least result.
        max_val: the greatest result.
        inplace: change the input.
        min_value: an older name of `min_val`.
        max_value: an older name of `max_val`.
    """

    _repr_items = "min_val=, max_val=, inplace=False"
    min_val: float
    max_val: float

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        min_val = min_val if min_value is None else min_value
        max_val = max_val if max_value is None else max_value
        if not min_val < max_val:
            raise InvalidValueError(f"{type(self).__name__}: expected min_val < max_val; got {min_val} and {max_val}")
        self.min_val, self.max_val, self.inplace = min_val, max_val, inplace

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


@boundary
class ReLU6(Hardtanh):
    """min(max(x, 0), 6)."""

    _repr_items = "inplace=False"

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


@layer
class Softplus(Module):
    """log(1 + exp(beta · x)) / beta; x itself where beta · x is above `threshold`."""

    beta: float = 1.0
    threshold: float = 20.0

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.softplus(input, self.beta, self.threshold)


@boundary
class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return recorded_ops.sigmoid(input)


@boundary
class LogSigmoid(Module):
    """log(sigmoid(x)), without underflow."""

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return F.logsigmoid(input)


@boundary
class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        """Element by element."""
        return recorded_ops.tanh(input)


@layer
class Softmax(Module):
    """exp(x), divided by its sum along a dimension.

    >>> from facula_tensor import zeros
    >>> Softmax(dim=0)(zeros(2))
    tensor([0.5000, 0.5000])
    """

    dim: int | None = None

    def forward(self, input: Tensor) -> Tensor:
        """Along the dimension."""
        return F.softmax(input, self.dim)


@layer
class LogSoftmax(Module):
    """The logarithm of `Softmax`, without underflow."""

    dim: int | None = None

    def forward(self, input: Tensor) -> Tensor:
        """Along the dimension."""
        return F.log_softmax(input, self.dim)
