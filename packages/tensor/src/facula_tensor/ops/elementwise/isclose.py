"""Comparisons of tensors: with a tolerance, as a whole, and membership. Results are bool and have no gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_storage import bool_, float32
from facula_storage.extend.layouts import COMPLEX, FLOATING

from ..._core.promotion import as_real, get_default_dtype, result_type
from ..._core.tensor import Tensor, layout_of_tensor
from ..._creation.from_data import tensor
from ..._creation.from_memory import from_numpy
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.written import function

if TYPE_CHECKING:
    from ..._core.types import Operand
    from ..._dispatch.kinds import Checked
    from ..._dispatch.namespaces import Namespace

MAX_COMPARED = 16  # maximum number of test elements compared one by one; sorting is faster for more


@function(method=True)
def isclose(
    input: Checked, other: Checked, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
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
    return _close("isclose", input.detach(), other.detach(), rtol, atol, equal_nan)


def _close(operation: str, a: Tensor, b: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    """Return `isclose` of detached tensors; errors name `operation`."""
    if a.dtype is not b.dtype:
        raise DTypeError(
            f"{operation}: expected both in one dtype; got {a.dtype.name} and {b.dtype.name}; convert one with .to()"
        )
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not as_real(tolerance, operation, name) >= 0:
            raise ArgumentError(f"{operation}: expected {name} >= 0; got {tolerance}")
    close = no_record_ops.eq(a, b)
    if equal_nan and a.dtype.category >= FLOATING:
        close = no_record_ops.bitwise_or(
            close, no_record_ops.bitwise_and(no_record_ops.isnan(a), no_record_ops.isnan(b))
        )
    if not (rtol or atol):
        return close
    if a.dtype.category < FLOATING:
        a, b = no_record_ops.to(a, (get_default_dtype(),)), no_record_ops.to(b, (get_default_dtype(),))
    distance = no_record_ops.abs(no_record_ops.sub(a, b))
    allowed = no_record_ops.add(no_record_ops.mul(no_record_ops.abs(b), rtol), atol)
    # If a number is infinite, the distance is infinite or NaN, which the tolerance around a finite number excludes.
    within = no_record_ops.bitwise_and(no_record_ops.le(distance, allowed), no_record_ops.lt(distance, float("inf")))
    return no_record_ops.bitwise_or(close, within)


def _all(answers: Tensor) -> bool:
    return bool(no_record_ops.all(answers, (tuple(range(answers.ndim)), False)).item())


@function(method=True)
def allclose(input: Checked, other: Checked, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
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
    return _all(_close("allclose", input.detach(), other.detach(), rtol, atol, equal_nan))


@function(method=True)
def equal(input: Checked, other: Checked) -> bool:
    """Return whether two tensors have the same shape and equal elements. NaN is not equal to NaN.

    >>> from facula_tensor import tensor
    >>> equal(tensor([1, 2]), tensor([1, 2])), equal(tensor([1, 2]), tensor([[1, 2]]))
    (True, False)
    """
    a, b = input.detach(), other.detach()
    if a.device is not b.device:
        raise ArgumentError(f"equal: expected both on one device; got {a.device} and {b.device}; move one with .to()")
    return a.shape == b.shape and _all(no_record_ops.eq(a, b))


@function(overridable=True, out=True)
def isin(elements: Operand, test_elements: Operand, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
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
    if not (isinstance(elements, Tensor) or isinstance(test_elements, Tensor)):
        raise InvalidTypeError(
            f"isin: expected elements or test_elements to be a Tensor; got {type(elements).__name__} and "
            f"{type(test_elements).__name__}"
        )
    dtype = result_type(elements, test_elements)
    device = next(operand.device for operand in (elements, test_elements) if isinstance(operand, Tensor))
    operands = []
    for operand in (elements, test_elements):
        if not isinstance(operand, Tensor):
            operand = tensor(operand, device=device)
        if operand.dtype is bool_ or operand.dtype.category == COMPLEX:
            raise DTypeError(f"isin: not defined for {operand.dtype.name}; convert with .to()")
        if operand.device is not device:
            raise ArgumentError(
                f"isin: expected both on one device; got {device} and {operand.device}; move one with .to()"
            )
        operands.append(no_record_ops.to(operand.detach(), (dtype,)))
    found = _is_among(*operands)
    return no_record_ops.bitwise_not(found) if invert else found


def _is_among(elements: Tensor, tests: Tensor) -> Tensor:
    count = layout_of_tensor(tests).numel
    if count > MAX_COMPARED and elements.device.type not in ("cpu", "meta"):
        return _found_by_search(no_record_ops, elements, no_record_ops.reshape(tests, (count,)))
    if count <= MAX_COMPARED or elements.device.type == "meta":
        answers = no_record_ops.eq(no_record_ops.unsqueeze(elements, -1), no_record_ops.reshape(tests, (count,)))
        return no_record_ops.any(answers, ((elements.ndim,), False))
    if elements.dtype.category == FLOATING and elements.dtype.itemsize == 2:  # NumPy has no bfloat16
        elements, tests = no_record_ops.to(elements, (float32,)), no_record_ops.to(tests, (float32,))
    return from_numpy(np.asarray(np.isin(elements.numpy(), tests.numpy())))


def _found_by_search(F: Namespace, elements: Tensor, tests: Tensor) -> Tensor:
    """Return whether elements are among tests (n,), by a binary search of each on the device."""
    known = tests
    if tests.dtype.category == FLOATING:  # a search does not pass NaN, which equals nothing
        known = F.where(F.ne(tests, tests), 0, tests)
    known = F.sort(known, (0, False))[0]
    at = F.search_sorted(known, F.reshape(elements, (-1,)), (False,))
    near = F.take(known, F.clamp_max(at, layout_of_tensor(known).numel - 1), (0,))
    found = F.eq(F.reshape(near, tuple(elements.shape)), elements)
    if tests.dtype.category != FLOATING:
        return found
    zero = F.any(F.eq(tests, 0), ((0,), False))
    return F.bitwise_and(found, F.bitwise_or(F.ne(elements, 0), zero))
