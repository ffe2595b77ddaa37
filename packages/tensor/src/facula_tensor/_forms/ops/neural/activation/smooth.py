"""The public functions of `ops/neural/activation/smooth.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import as_real
from ....._dispatch.arguments import floats, refuse_choice, source
from ....._dispatch.namespaces import recorded_ops as ops
from ....._dispatch.written import bodies_of
from .....ops.memory.assignment import assign_inplace

if TYPE_CHECKING:
    from ....._core.tensor import Tensor

bodies = bodies_of("ops.neural.activation.smooth")


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """Compute log(1 + exp(beta * x)) / beta of each element; returns x where beta * x is above `threshold`.

    Arguments:
        input: a tensor of real numbers.
        beta: the steepness; must not be 0.
        threshold: the bound above which the result is x itself.

    Raises:
        ValueError: `beta` is 0.

    >>> from facula_tensor import tensor
    >>> softplus(tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """
    try:
        if type(beta) is not float and type(beta) is not int:
            beta = as_real(beta, "softplus", "beta")
        if type(threshold) is not float and type(threshold) is not int:
            threshold = as_real(threshold, "softplus", "threshold")
        if beta == 0:
            raise ArgumentError("softplus: expected a beta other than 0, since it divides by it; got 0")
        return bodies.softplus(ops, input, beta, threshold)
    except FaculaError as error:
        trim_traceback(error)
        raise


def logsigmoid(input: Tensor) -> Tensor:
    """Compute log(sigmoid(x)) of each element, without overflow.

    >>> from facula_tensor import tensor
    >>> logsigmoid(tensor([0.0, -100.0]))
    tensor([  -0.6931, -100.0000])
    """
    try:
        return bodies.logsigmoid(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Compute x * sigmoid(x) of each element.

    >>> from facula_tensor import tensor
    >>> silu(tensor([0.0, 2.0]))
    tensor([0.0000, 1.7616])
    """
    try:
        if inplace:
            before = source("silu", input)
            return assign_inplace("silu", input, ops.silu(before))
        return ops.silu(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def softsign(input: Tensor) -> Tensor:
    """Compute x / (1 + abs(x)) of each element.

    >>> from facula_tensor import tensor
    >>> softsign(tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """
    try:
        return ops.softsign(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def tanhshrink(input: Tensor) -> Tensor:
    """Compute x - tanh(x) of each element.

    >>> from facula_tensor import tensor
    >>> tanhshrink(tensor([0.0, 1.0]))
    tensor([0.0000, 0.2384])
    """
    try:
        return ops.tanhshrink(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Compute x * tanh(softplus(x)) of each element. D. Misra: Mish, 2019.

    >>> from facula_tensor import tensor
    >>> mish(tensor([0.0, 1.0]))
    tensor([0.0000, 0.8651])
    """
    try:
        input = floats("mish", input)
        if inplace:
            before = source("mish", input)
            return assign_inplace("mish", input, ops.mish(before))
        return ops.mish(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Compute x times the cumulative normal distribution at x. D. Hendrycks, K. Gimpel, 2016.

    Arguments:
        input: a tensor of real numbers.
        approximate: "none", or "tanh" for x / 2 (1 + tanh(y)), y = sqrt(2 / pi) (x + 0.044715 x**3).

    >>> from facula_tensor import tensor
    >>> gelu(tensor([0.0, 2.0]))
    tensor([0.0000, 1.9545])
    """
    try:
        if approximate not in ("none", "tanh"):
            approximate = refuse_choice("gelu", "approximate", approximate, "'none' or 'tanh'")
        return bodies.gelu(ops, input, approximate)
    except FaculaError as error:
        trim_traceback(error)
        raise
