"""Checks of elements by launches that fail. Elements are read only to describe an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import bool_
from facula_storage.extend.recording import current_recorder, recorders

from .._core.errors import UnmetRequirementError
from .._core.tensor import Tensor, elements
from .declaration import elementwise
from .namespaces import no_record_ops

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import DType


def _boolean(dtype: DType) -> DType:
    return bool_


def _is_ordered(dtype: DType) -> bool:
    return not dtype.is_complex


@elementwise
class _within:
    """True for each element from `low` to `high`. The launch fails if another element exists, including NaN."""

    inputs = ("input", "low", "high")
    result_dtype = _boolean
    accepts = _is_ordered

    def value(F, input, low, high):
        inside = (input >= low) & (input <= high)
        F.require(inside)
        return inside


@elementwise
class _all_true:
    """True for each element. The launch fails if one of these bools is false."""

    result_dtype = _boolean

    def value(F, input):
        F.require(input)
        return input


def refuse_unless(holds: Tensor, describe: Callable[[], Exception], in_short: Exception | None = None) -> None:
    """Raise the error that `describe` returns if an element of the bools `holds` is false.

    Arguments:
        holds: the bools.
        describe: a function that makes the error and may read elements.
        in_short: an error like it, for replays of captured programs, which have nobody to read elements.

    >>> from facula_tensor import tensor
    >>> refuse_unless(tensor([True, False]), lambda: ValueError("the second is wrong"))
    Traceback (most recent call last):
    ValueError: the second is wrong
    """
    if in_short is not None and recorders and (recorder := current_recorder()) is not None:
        recorder.refuses(in_short)
    try:
        no_record_ops.all_true(elements(holds))
    except UnmetRequirementError:
        raise describe() from None


def refuse_outside(input: Tensor, low: float, high: float, describe: Callable[[], Exception]) -> None:
    """Raise what `describe` gives where an element is not from `low` to `high`.

    Arguments:
        input: the elements.
        low: the least that one may be.
        high: the greatest.
        describe: a function that makes the error and may read elements.

    >>> from facula_tensor import tensor
    >>> refuse_outside(tensor([0, 3]), 0, 2, lambda: IndexError("3 is too large"))
    Traceback (most recent call last):
    IndexError: 3 is too large
    """
    try:
        no_record_ops.within(elements(input).detach(), low, high)
    except UnmetRequirementError:
        raise describe() from None


def check_within(operation: str, what: str, input: Tensor, low: float = 0, high: float = 1) -> None:
    """ArgumentError where an element is not from `low` to `high`, with the first such element and its place."""

    def describe() -> Exception:
        every = elements(input).detach()
        inside = no_record_ops.bitwise_and(no_record_ops.ge(every, low), no_record_ops.le(every, high))  # NaN is not
        place = no_record_ops.bitwise_not(inside).nonzero()[0].tolist()
        where = f" at {place}" if place else ""
        return ArgumentError(
            f"{operation}: expected every element of {what} to be from {low} to {high}; "
            f"got {every[tuple(place)].item():.6g}{where}"
        )

    refuse_outside(input, low, high, describe)
