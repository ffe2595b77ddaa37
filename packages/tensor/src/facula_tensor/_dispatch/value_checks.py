"""Checks of elements by launches that fail. Elements are read only to describe an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import bool_
from facula_storage.extend.recording import current_recorder, recorders

from .._core.errors import UnmetRequirementError
from .._core.reports import refusing
from .._core.tensor import Tensor, elements
from .declaration import elementwise
from .namespaces import no_record_ops

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from facula_storage import DType

    T = TypeVar("T")


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


def refuse_unless(holds: Tensor, describe: Callable[[], Exception], in_short: Callable[[], Exception]) -> None:
    """Raise the error that `describe` returns if an element of the bools `holds` is false.

    Arguments:
        holds: the bools.
        describe: a function that makes the error and may read elements.
        in_short: a function that makes an error like it without reading elements, for devices that report it later and
            for replays of captured programs.

    >>> from facula_tensor import tensor
    >>> error = ValueError("the second is wrong")
    >>> refuse_unless(tensor([True, False]), lambda: error, lambda: error)
    Traceback (most recent call last):
    ValueError: the second is wrong
    """
    every = elements(holds)
    with_words(every, lambda: no_record_ops.all_true(every), describe, in_short)


def refuse_outside(
    input: Tensor, low: float, high: float, describe: Callable[[], Exception], in_short: Callable[[], Exception]
) -> None:
    """Raise what `describe` gives where an element is not from `low` to `high`.

    Arguments:
        input: the elements.
        low: the least that one may be.
        high: the greatest.
        describe: a function that makes the error and may read elements.
        in_short: as for `refuse_unless`.

    >>> from facula_tensor import tensor
    >>> error = IndexError("3 is too large")
    >>> refuse_outside(tensor([0, 3]), 0, 2, lambda: error, lambda: error)
    Traceback (most recent call last):
    IndexError: 3 is too large
    """
    every = elements(input).detach()
    with_words(every, lambda: no_record_ops.within(every, low, high), describe, in_short)


def with_words(
    operand: Tensor, compute: Callable[[], T], describe: Callable[[], Exception], in_short: Callable[[], Exception]
) -> T:
    """Return what `compute` returns, the result of a program with requirements; see `refuse_unless`.

    Arguments:
        operand: a tensor on the device that computes.
        compute: the call.
        describe: a function that makes the error and may read elements.
        in_short: a function that makes an error without reading elements.
    """
    recorder = current_recorder() if recorders else None
    try:
        if recorder is None and operand.device.type == "cpu":
            return compute()
        with refusing(error := in_short()):  # Note [Reports of devices]
            if recorder is None:
                return compute()
            with recorder.refuses(error):
                return compute()
    except UnmetRequirementError:
        raise describe() from None


def check_within(operation: str, what: str, input: Tensor, low: float = 0, high: float = 1) -> None:
    """ArgumentError where an element is not from `low` to `high`, with the first such element and its place."""
    expected = f"{operation}: expected every element of {what} to be from {low} to {high}"

    def describe() -> Exception:
        every = elements(input).detach()
        inside = no_record_ops.bitwise_and(no_record_ops.ge(every, low), no_record_ops.le(every, high))  # NaN is not
        place = no_record_ops.bitwise_not(inside).nonzero()[0].tolist()
        where = f" at {place}" if place else ""
        return ArgumentError(f"{expected}; got {every[tuple(place)].item():.6g}{where}")

    refuse_outside(input, low, high, describe, lambda: ArgumentError(f"{expected}; got another"))
