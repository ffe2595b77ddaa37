"""The public functions of `ops/logic.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from .._core.tensor import Tensor, method
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from .._dispatch.written import bodies_of

__all__ = ["isfinite", "isinf", "logical_and", "logical_not", "logical_or", "logical_xor"]

bodies = bodies_of("logic")


@overridable
@method()
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is infinite; for complex ones, whether a part is.

    Arguments:
        input: the tensor.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> isinf(tensor([1.0, float("-inf")]))
    tensor([False,  True])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("isinf", input)
        result = bodies.isinf(input)
        return result if out is None else write_out("isinf", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is neither infinite nor NaN.

    Arguments:
        input: the tensor.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> isfinite(tensor([1.0, float("inf"), float("nan")]))
    tensor([ True, False, False])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("isfinite", input)
        result = bodies.isfinite(input)
        return result if out is None else write_out("isfinite", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether both elements of each pair are nonzero.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> logical_and(tensor([0, 1, 2]), tensor([1, 0, 1]))
    tensor([False, False,  True])
    """
    if type(input) is not Tensor:
        input = as_tensor("logical_and", input)
    if type(other) is not Tensor:
        other = as_tensor("logical_and", other)
    result = bodies.logical_and(input, other)
    return result if out is None else write_out("logical_and", result, out)


@overridable
@method()
@boundary
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether an element of each pair is nonzero.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> logical_or(tensor([0, 1, 0]), tensor([1, 0, 0]))
    tensor([ True,  True, False])
    """
    if type(input) is not Tensor:
        input = as_tensor("logical_or", input)
    if type(other) is not Tensor:
        other = as_tensor("logical_or", other)
    result = bodies.logical_or(input, other)
    return result if out is None else write_out("logical_or", result, out)


@overridable
@method()
@boundary
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether just one element of each pair is nonzero.

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> logical_xor(tensor([0, 1, 2]), tensor([1, 0, 1]))
    tensor([ True,  True, False])
    """
    if type(input) is not Tensor:
        input = as_tensor("logical_xor", input)
    if type(other) is not Tensor:
        other = as_tensor("logical_xor", other)
    result = bodies.logical_xor(input, other)
    return result if out is None else write_out("logical_xor", result, out)


@overridable
@method()
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether each element is zero.

    Arguments:
        input: the tensor.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> logical_not(tensor([0, 1, 2]))
    tensor([ True, False, False])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("logical_not", input)
        result = bodies.logical_not(input)
        return result if out is None else write_out("logical_not", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
