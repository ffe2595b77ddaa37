"""The public functions of `ops/elementwise/isclose.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.types import Operand

bodies = bodies_of("ops.elementwise.isclose")


@overridable
@method()
@boundary
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Return whether |input - other| <= atol + rtol |other|, for each pair of elements.

    The operands broadcast and have the same dtype. An infinity is close only to itself.

    Arguments:
        input: a tensor.
        other: the reference tensor, to which `rtol` is relative.
        rtol: the relative tolerance, not negative.
        atol: the absolute tolerance, not negative.
        equal_nan: whether NaN is close to NaN.

    >>> from facula_tensor import tensor
    >>> isclose(tensor([1.0, 2.0]), tensor([1.0, 2.1]))
    tensor([ True, False])
    """
    if type(input) is not Tensor:
        input = as_tensor("isclose", input)
    if type(other) is not Tensor:
        other = as_tensor("isclose", other)
    return bodies.isclose(input, other, rtol, atol, equal_nan)


@overridable
@method()
@boundary
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Return whether |input - other| <= atol + rtol |other| for all pairs of elements.

    Arguments:
        input: a tensor.
        other: the reference tensor, to which `rtol` is relative, of the same dtype; the operands broadcast.
        rtol: the relative tolerance, not negative.
        atol: the absolute tolerance, not negative.
        equal_nan: whether NaN is close to NaN.

    >>> from facula_tensor import tensor
    >>> allclose(tensor([1.0, 2.0]), tensor([1.0, 2.000001]))
    True
    """
    if type(input) is not Tensor:
        input = as_tensor("allclose", input)
    if type(other) is not Tensor:
        other = as_tensor("allclose", other)
    return bodies.allclose(input, other, rtol, atol, equal_nan)


@overridable
@method()
@boundary
def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape and equal elements. NaN is not equal to NaN.

    >>> from facula_tensor import tensor
    >>> equal(tensor([1, 2]), tensor([1, 2])), equal(tensor([1, 2]), tensor([[1, 2]]))
    (True, False)
    """
    if type(input) is not Tensor:
        input = as_tensor("equal", input)
    if type(other) is not Tensor:
        other = as_tensor("equal", other)
    return bodies.equal(input, other)


@overridable
def isin(
    elements: Operand,
    test_elements: Operand,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return whether each element of `elements` is among `test_elements`, as a bool tensor.

    Not defined for bool and complex numbers.

    Arguments:
        elements: a tensor, or a number if `test_elements` is a tensor.
        test_elements: a tensor or number.
        assume_unique: has no effect.
        invert: whether to invert the result.

    >>> from facula_tensor import tensor
    >>> isin(tensor([[1, 2], [3, 4]]), tensor([2, 3]))
    tensor([[False,  True],
            [ True, False]])
    """
    try:
        result = bodies.isin(elements, test_elements, assume_unique=assume_unique, invert=invert)
        return result if out is None else write_out("isin", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
