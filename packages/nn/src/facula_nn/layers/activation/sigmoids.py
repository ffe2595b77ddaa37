"""Bounded S-shaped functions, their logarithms and integrals."""

from __future__ import annotations

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor
from facula_tensor.extend.declaring import recorded_ops  # operators whose errors skip the layer's frames

from ... import functional as F
from ..._modules.layer import layer
from ..._modules.module import Module
from .base import Activation


@boundary
class Hardtanh(Module):
    """x, clamped between `min_val` and `max_val`. ValueError unless the first is less than the second.

    `min_value` and `max_value` are deprecated names of the two.

    Arguments:
        min_val: the minimum result.
        max_val: the maximum result.
        inplace: modify the input.
        min_value: a deprecated name of `min_val`.
        max_value: a deprecated name of `max_val`.

    >>> from facula_tensor import tensor
    >>> Hardtanh()(tensor([-3.0, 0.5]))
    tensor([-1.0000,  0.5000])
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
        """Apply the function to each element."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


@boundary
class ReLU6(Hardtanh):
    """min(max(x, 0), 6).

    >>> from facula_tensor import tensor
    >>> ReLU6()(tensor([-1.0, 8.0]))
    tensor([0., 6.])
    """

    _repr_items = "inplace=False"

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


@layer
class Softplus(Activation, function="softplus"):
    """log(1 + exp(beta · x)) / beta; x itself if beta · x is above `threshold`.

    >>> from facula_tensor import tensor
    >>> Softplus()(tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """

    beta: float = 1.0
    threshold: float = 20.0


@boundary
class Sigmoid(Module):
    """1 / (1 + exp(-x)).

    >>> from facula_tensor import tensor
    >>> Sigmoid()(tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return recorded_ops.sigmoid(input)


@boundary
class LogSigmoid(Activation, function="logsigmoid"):
    """log(sigmoid(x)), without underflow.

    >>> from facula_tensor import tensor
    >>> LogSigmoid()(tensor([0.0, -200.0]))
    tensor([  -0.6931, -200.0000])
    """


@boundary
class Tanh(Module):
    """The hyperbolic tangent.

    >>> from facula_tensor import tensor
    >>> Tanh()(tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return recorded_ops.tanh(input)


@layer
class Hardsigmoid(Activation, function="hardsigmoid"):
    """min(max(x + 3, 0), 6) / 6.

    >>> from facula_tensor import tensor
    >>> Hardsigmoid()(tensor([-4.0, 0.0]))
    tensor([0.0000, 0.5000])
    """

    inplace: bool = False


@boundary
class Softsign(Activation, function="softsign"):
    """x / (1 + abs(x)).

    >>> from facula_tensor import tensor
    >>> Softsign()(tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """
