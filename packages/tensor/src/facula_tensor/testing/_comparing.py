"""What a check finds beside what it expected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import FaculaError

from .._core.tensor import Tensor
from ._closeness import compare_values
from ._operands import CARRIERS, Array, values_of
from ._samples import ALL, COMPLEX, FLOATS, INTEGERS, Case

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Relative error of a result that is rounded once or twice, and of a sum of some dozen elements.
TOLERANCE = {
    "float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-5, "float64": 1e-12, "complex64": 1e-5, "complex128": 1e-12,
}  # fmt: skip


class CheckError(FaculaError, AssertionError):
    """An operator does not do what it owes: an AssertionError."""


def expect(condition: bool, message: str) -> None:
    """Raise CheckError with this message unless the condition holds."""
    if not condition:
        raise CheckError(message)


def expect_raises(kind: type[BaseException], action: Callable[[], Any], what: str, pattern: str = "") -> None:
    """Expect that `action` raises an error of one kind.

    Arguments:
        kind: the class of the error.
        action: what is called.
        what: what is called, in words.
        pattern: a regular expression that the error's message has.
    """
    try:
        action()
    except kind as error:
        expect(re.search(pattern, str(error)) is not None, f"{what}: expected {pattern!r} in the message: {error}")
    else:
        raise CheckError(f"{what} was accepted; expected {kind.__name__}")


def expect_close(got: Array, expected: Array, tolerance: float, what: str, *, equal_nan: bool = True) -> None:
    """Expect that elements differ by at most `tolerance`, or that share of what is expected."""
    with np.errstate(all="ignore"):
        problem = compare_values(got, np.asarray(expected), tolerance, tolerance, "", equal_nan, what + ": values")
    expect(problem is None, problem or "")


def reference(case: Case, arrays: Sequence[Array], dtype: str) -> Any:
    """What the reference makes of arrays, in the precision that the case's result has."""
    if case.result(dtype) in FLOATS and dtype in ("bool", *INTEGERS):
        arrays = [array.astype(np.float64) for array in arrays]
    with np.errstate(all="ignore"):
        return case.reference(*arrays)


def compare(case: Case, got: Any, expected: Any, dtype: str, what: str, device: str = "cpu") -> None:
    """Compare shape, dtype and values; of several results one by one, those after the first being positions."""
    if isinstance(expected, tuple):
        expect(isinstance(got, (tuple, list)), f"{case} {what}: {describe_kind(got)}, expected {len(expected)} results")
        expect(len(got) == len(expected), f"{case} {what}: {len(got)} results, expected {len(expected)}")
        compare(case, got[0], expected[0], dtype, what, device)
        for one, wanted in zip(got[1:], expected[1:], strict=True):
            compare(case, one, wanted, "int64", what, device)
        return
    expected = np.asarray(expected)
    name = case.result(dtype)
    expect(isinstance(got, Tensor), f"{case} {what} ({dtype}): returned {describe_kind(got)}, expected a tensor")
    expect(got.dtype.name == name, f"{case} {what} ({dtype}): dtype {got.dtype.name}, expected {name}")
    shape = tuple(got.shape)
    expect(shape == expected.shape, f"{case} {what} ({dtype}): shape {shape}, expected {expected.shape}")
    expect(got.device.type == device, f"{case} {what}: device {got.device.type}, expected {device}")
    if device == "meta":
        return
    tolerance = tolerance_of(case, name, dtype)
    exact = name in ("bool", *INTEGERS)
    expect_close(values_of(got), expected.astype(name) if exact else expected, tolerance, f"{case} {what} ({dtype})")


def describe_kind(value: object) -> str:
    """What a function returned in place of a tensor, in a few words."""
    return "None" if value is None else f"a {type(value).__name__}"


def tolerance_of(case: Case, result: str, dtype: str = "") -> float:
    """How far a result of one dtype may be from the reference, its operands having another; 0 for whole numbers."""
    if result not in FLOATS + COMPLEX:
        return 0.0
    return max(TOLERANCE[result], TOLERANCE[dtype] if dtype in CARRIERS else 0.0) * case.loose


assert {*COMPLEX, *FLOATS} == set(TOLERANCE) <= set(ALL)
