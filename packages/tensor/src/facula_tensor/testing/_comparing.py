"""Comparison of results with a reference, and of errors with expected ones."""

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

# Relative errors allowed by dtype: enough for one or two roundings, or for a sum of a few dozen elements.
TOLERANCE = {
    "float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-5, "float64": 1e-12, "complex64": 1e-5, "complex128": 1e-12,
}  # fmt: skip


class CheckError(FaculaError, AssertionError):
    """Raised if an operator fails a check; an AssertionError."""


def expect(condition: bool, message: str) -> None:
    """Raise CheckError with this message unless the condition holds."""
    if not condition:
        raise CheckError(message)


def expect_raises(kind: type[BaseException], action: Callable[[], Any], what: str, pattern: str = "") -> None:
    """Raise CheckError unless `action` raises an error of the class `kind`.

    Arguments:
        kind: the class of the error.
        action: the callable to run.
        what: a description of the call, for messages.
        pattern: a regular expression that must match part of the error message.
    """
    try:
        action()
    except kind as error:
        expect(re.search(pattern, str(error)) is not None, f"{what}: expected {pattern!r} in the message: {error}")
    else:
        raise CheckError(f"{what} was accepted; expected {kind.__name__}")


def expect_close(got: Array, expected: Array, tolerance: float, what: str, *, equal_nan: bool = True) -> None:
    """Raise CheckError unless elements are close, with `tolerance` as the absolute and the relative tolerance."""
    with np.errstate(all="ignore"):
        problem = compare_values(got, np.asarray(expected), tolerance, tolerance, "", equal_nan, what + ": values")
    expect(problem is None, (problem or "").replace("!\n\n", ";\n", 1))


def reference(case: Case, arrays: Sequence[Array], dtype: str) -> Any:
    """Return the result of the reference, in float64 if integers or bools have a floating result."""
    if case.result(dtype) in FLOATS and dtype in ("bool", *INTEGERS):
        arrays = [array.astype(np.float64) for array in arrays]
    with np.errstate(all="ignore"):
        return case.reference(*arrays)


def compare(case: Case, got: Any, expected: Any, dtype: str, what: str, device: str = "cpu") -> None:
    """Compare shapes, dtypes and values of one or several results; results after the first are indices."""
    if isinstance(expected, tuple):
        expect(isinstance(got, (tuple, list)), f"{case} {what}: {describe_kind(got)}; expected {len(expected)} results")
        expect(len(got) == len(expected), f"{case} {what}: {len(got)} results; expected {len(expected)}")
        compare(case, got[0], expected[0], dtype, what, device)
        for found, wanted in zip(got[1:], expected[1:], strict=True):
            compare(case, found, wanted, "int64", what, device)
        return
    expected = np.asarray(expected)
    name = case.result(dtype)
    expect(isinstance(got, Tensor), f"{case} {what} ({dtype}): returned {describe_kind(got)}; expected a tensor")
    expect(got.dtype.name == name, f"{case} {what} ({dtype}): dtype {got.dtype.name}; expected {name}")
    shape = tuple(got.shape)
    expect(shape == expected.shape, f"{case} {what} ({dtype}): shape {shape}; expected {expected.shape}")
    expect(got.device.type == device, f"{case} {what}: device {got.device.type}; expected {device}")
    if device == "meta":
        return
    tolerance = tolerance_of(case, name, dtype)
    exact = name in ("bool", *INTEGERS)
    expect_close(values_of(got), expected.astype(name) if exact else expected, tolerance, f"{case} {what} ({dtype})")


def describe_kind(value: object) -> str:
    """Describe the type of a value that should have been a tensor."""
    return "None" if value is None else f"a {type(value).__name__}"


def tolerance_of(case: Case, result: str, dtype: str = "") -> float:
    """Return the tolerance for a result dtype and an operand dtype; 0 for integers and bools."""
    if result not in FLOATS + COMPLEX:
        return 0.0
    return max(TOLERANCE[result], TOLERANCE[dtype] if dtype in CARRIERS else 0.0) * case.loose


assert {*COMPLEX, *FLOATS} == set(TOLERANCE) <= set(ALL)
