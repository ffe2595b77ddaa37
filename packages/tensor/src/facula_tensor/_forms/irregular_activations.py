"""The public functions of `ops/irregular_activations.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from .._core.promotion import as_real
from .._dispatch.arguments import floats, source
from .._dispatch.namespaces import recorded_ops as ops
from .._dispatch.overrides import overridable
from .._dispatch.written import bodies_of

if TYPE_CHECKING:
    from .._core.tensor import Tensor

__all__ = ["rrelu", "rrelu_"]

bodies = bodies_of("irregular_activations")


def rrelu(
    input: Tensor,
    lower: float = 0.125,
    upper: float = 0.3333333333333333,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """x where it is positive, else x times a slope, which is random in training. B. Xu and others, 2015.

    Arguments:
        input: a tensor of a floating dtype.
        lower: the least slope.
        upper: the greatest slope.
        training: whether slopes are drawn evenly, one for each element; else all are the mean of the two.
        inplace: whether `input` itself takes the result.

    Raises:
        ValueError: where `lower` is greater than `upper`.

    >>> from facula_tensor import tensor
    >>> rrelu(tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    try:
        input = floats("rrelu", input)
        if type(lower) is not float:
            lower = float(as_real(lower, "rrelu", "lower"))
        if type(upper) is not float:
            upper = float(as_real(upper, "rrelu", "upper"))
        if not lower <= upper:
            raise ArgumentError(f"rrelu: expected lower <= upper; got {lower} and {upper}")
        if inplace:
            before = source("rrelu", input)
            return input.copy_(bodies.rrelu(ops, before, lower, upper, training))
        return bodies.rrelu(ops, input, lower, upper, training)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def rrelu_(input: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False) -> Tensor:
    """`rrelu` in place.

    Arguments:
        input: the tensor that changes.
        lower: the least slope.
        upper: the greatest slope.
        training: whether slopes are drawn evenly, one for each element; else all are the mean of the two.

    Returns:
        `input`.
    """
    try:
        input = floats("rrelu_", input)
        if type(lower) is not float:
            lower = float(as_real(lower, "rrelu_", "lower"))
        if type(upper) is not float:
            upper = float(as_real(upper, "rrelu_", "upper"))
        if not lower <= upper:
            raise ArgumentError(f"rrelu_: expected lower <= upper; got {lower} and {upper}")
        before = source("rrelu_", input)
        return input.copy_(bodies.rrelu(ops, before, lower, upper, training))
    except FaculaError as error:
        trim_traceback(error)
        raise
