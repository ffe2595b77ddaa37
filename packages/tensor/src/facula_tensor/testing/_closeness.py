"""Comparison of tensors in tests: `assert_close`, with the name and the arguments of `torch.testing`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import ArgumentError, FaculaError, InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import bfloat16, bool_, complex64, complex128, float16, float32, float64, meta
from facula_storage.extend.layouts import COMPLEX, FLOATING

from .._core.promotion import promote_types
from .._core.tensor import Tensor
from .._creation.from_data import as_tensor

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeGuard

    from facula_storage import DType

# Default relative and absolute tolerances by dtype; elements of other dtypes must be equal.
TOLERANCES = {
    float16: (1e-3, 1e-5), bfloat16: (1.6e-2, 1e-5), float32: (1.3e-6, 1e-5), float64: (1e-7, 1e-7),
    complex64: (1.3e-6, 1e-5), complex128: (1e-7, 1e-7),
}  # fmt: skip


class NotCloseError(FaculaError, AssertionError):
    """Raised if values that should be close are not; an AssertionError."""


@boundary
def assert_close(
    actual: object,
    expected: object,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError unless |actual - expected| <= atol + rtol · |expected| for all elements.

    Shapes and infinities must be equal. The error message shows the elements with the greatest differences.

    Arguments:
        actual: the computed values: tensors, arrays and numbers, or sequences and mappings of them.
        expected: the expected values, with the same structure.
        allow_subclasses: whether types may differ.
        rtol: the relative tolerance; pass both tolerances or neither. The default depends on the dtype: float32
            1.3e-6, float64 1e-7, float16 1e-3, bfloat16 1.6e-2, others 0.
        atol: the absolute tolerance. The default depends on the dtype: float32 1e-5, float64 1e-7, float16 1e-5,
            bfloat16 1e-5, others 0.
        equal_nan: whether NaN is close to NaN.
        check_device: whether devices must be equal.
        check_dtype: whether dtypes must be equal.
        check_layout: ignored, because there is only one layout.
        check_stride: whether strides must be equal.
        msg: the error message, or a function that computes it from the default message.

    >>> from facula_tensor import tensor
    >>> assert_close(tensor([1.0, 2.0]), tensor([1.0, 2.000001]))
    """
    if (rtol is None) != (atol is None):
        raise ArgumentError(f"assert_close: expected both rtol and atol or neither; got rtol={rtol} and atol={atol}")
    options: dict[str, Any] = {
        "rtol": rtol, "atol": atol, "equal_nan": equal_nan, "device": check_device, "dtype": check_dtype,
        "stride": check_stride, "subclasses": allow_subclasses,
    }  # fmt: skip
    problem = first_difference(actual, expected, "", options)
    if problem is not None:
        raise NotCloseError(problem if msg is None else msg(problem) if callable(msg) else msg)


def first_difference(actual: object, expected: object, where: str, options: dict[str, Any]) -> str | None:
    """Describe the first difference; None if there is none. `where` is the path to the values, such as `[1]['a']`."""
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            missing, more = (
                sorted(map(repr, set(expected) - set(actual))),
                sorted(map(repr, set(actual) - set(expected))),
            )
            return _at(where, f"The keys of the mappings differ: missing are {missing}, not expected {more}.")
        pairs = [(f"{where}[{key!r}]", actual[key], expected[key]) for key in expected]
        return next(filter(None, (first_difference(a, b, at, options) for at, a, b in pairs)), None)
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            return _at(where, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        found = (
            first_difference(a, b, f"{where}[{i}]", options)
            for i, (a, b) in enumerate(zip(actual, expected, strict=True))
        )
        return next(filter(None, found), None)
    if actual is None and expected is None:
        return None
    numbers = not isinstance(actual, Tensor) and not isinstance(expected, Tensor)
    if not options["subclasses"] and type(actual) is not type(expected):
        raise InvalidTypeError(
            f"assert_close: expected equal types; got {type(actual).__name__} and {type(expected).__name__}"
        )
    first, second = _as_tensor(actual), _as_tensor(expected)
    return _compare_tensors(first, second, where, options, "Scalars" if numbers and not first.ndim else "Tensor-likes")


def _is_sequence(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _as_tensor(value: object) -> Tensor:
    if isinstance(value, Tensor):
        return value.detach()
    if isinstance(value, (bool, int, float, complex)):  # the precision of Python's numbers
        kinds = {bool: bool_, float: float64, complex: complex128}
        return as_tensor(value, dtype=kinds.get(type(value)))
    if isinstance(value, (np.ndarray, np.generic)):
        return as_tensor(value)  # type: ignore[arg-type]
    raise InvalidTypeError(
        f"assert_close: expected tensors, arrays, numbers, sequences or mappings of those; got {type(value).__name__}"
    )


def _at(where: str, problem: str) -> str:
    return f"{problem}\n\nThe failure occurred for item {where}" if where else problem


def _compare_tensors(a: Tensor, b: Tensor, where: str, options: dict[str, Any], kind: str) -> str | None:
    """Describe the difference of two tensors; None if there is none. `kind` names them in the description."""
    if a.shape != b.shape:
        return _at(where, f"The values for attribute 'shape' do not match: {a.shape} != {b.shape}.")
    for name in ("device", "dtype", "stride"):
        if options[name]:
            mine, yours = (tensor.stride() if name == "stride" else getattr(tensor, name) for tensor in (a, b))
            if mine != yours:
                label = "stride()" if name == "stride" else name
                return _at(where, f"The values for attribute '{label}' do not match: {mine} != {yours}.")
    if a.device is meta or b.device is meta:
        return None
    dtype = promote_types(a.dtype, b.dtype)
    rtol, atol = options["rtol"], options["atol"]
    if rtol is None:
        both = [TOLERANCES.get(element_type, (0.0, 0.0)) for element_type in (a.dtype, b.dtype)]
        rtol, atol = max(tolerance[0] for tolerance in both), max(tolerance[1] for tolerance in both)
    return compare_values(_values(a, dtype), _values(b, dtype), rtol, atol, where, options["equal_nan"], kind)


def _values(tensor: Tensor, dtype: DType) -> np.ndarray:
    """Return the elements as an array that can be subtracted: floating dtypes in float64, integers unchanged."""
    wide = complex128 if dtype.category == COMPLEX else float64 if dtype.category == FLOATING else dtype
    return tensor.cpu().to(wide).numpy()


def compare_values(
    a: np.ndarray, b: np.ndarray, rtol: float, atol: float, where: str, equal_nan: bool, kind: str
) -> str | None:
    """Describe the difference of two arrays; None if all elements are close."""
    with np.errstate(all="ignore"):
        exact = a.dtype.kind in "biu"
        close = a == b
        if exact:
            difference = np.abs(a.astype(object) - b.astype(object)).astype(np.float64) if not close.all() else None
            size = np.abs(b.astype(np.float64))
        else:
            difference, size = np.abs(a - b), np.abs(b)
        if difference is not None and (rtol or atol):
            close |= np.isfinite(b) & (difference <= atol + rtol * size)
        if equal_nan and not exact:
            close |= np.isnan(a) & np.isnan(b)
        if close.all():
            return None
        assert difference is not None
        wrong = np.where(close, 0.0, np.where(np.isnan(difference), np.inf, difference))
        ratio = wrong / size
        relative = np.where(close, 0.0, np.where(np.isnan(ratio), np.inf, ratio))
    equal = not (rtol or atol)
    head = f"{kind} are not {'equal' if equal else 'close'}!"
    if not a.ndim:
        return _at(
            where,
            f"{head}\n\nExpected {b.item()} but got {a.item()}.\n"
            f"Absolute difference: {wrong.item()}{'' if equal else f' (up to {atol} allowed)'}\n"
            f"Relative difference: {relative.item()}{'' if equal else f' (up to {rtol} allowed)'}",
        )
    count = int(a.size - np.count_nonzero(close))
    lines = [
        _worst(what, which, a, b, None if equal else allowed)
        for what, which, allowed in (("absolute", wrong, atol), ("relative", relative, rtol))
    ]
    share = 100 * count / a.size
    return _at(where, f"{head}\n\nMismatched elements: {count} / {a.size} ({share:.1f}%)\n" + "\n".join(lines))


def _worst(what: str, by: np.ndarray, a: np.ndarray, b: np.ndarray, allowed: float | None) -> str:
    """Describe the greatest difference, its index and the two values."""
    index = np.unravel_index(int(np.argmax(by)), by.shape)
    place = tuple([int(position) for position in index])
    limit = "" if allowed is None else f" (up to {allowed} allowed)"
    return (
        f"Greatest {what} difference: {by[index].item()} at index {place}{limit}: "
        f"got {a[index].item()}, expected {b[index].item()}"
    )
