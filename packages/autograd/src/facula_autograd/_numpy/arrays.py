"""Properties and conversions of numbers and arrays of any library, for Variables."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._types import Array, DType, NumPy


def shape_of(value: object) -> tuple[int, ...]:
    return getattr(value, "shape", ())


def dtype_of(value: object) -> DType | None:
    """Return the dtype of an array; None for numbers, and for arrays without dimensions, which become numbers."""
    return value.dtype if shape_of(value) else None  # type: ignore[attr-defined,no-any-return]  # an array


def numpy() -> NumPy:
    """Return NumPy if it is already loaded, or else import it; this package does not depend on it."""
    if "numpy" not in sys.modules:
        from importlib import import_module

        import_module("numpy")
    return sys.modules["numpy"]  # type: ignore[return-value]


def library_of(value: object) -> NumPy:
    """Return the array library that `value` comes from."""
    return sys.modules[type(value).__module__.partition(".")[0]]  # type: ignore[return-value]


def false_like(value: Array) -> Array:
    """Return an array of False in the shape of `value`. Adding it changes only shapes, and not even dtypes."""
    return (value != value) & False


def like_scalar(value: object, like: Array) -> object:
    """Return a Python number with the precision of `like`'s elements, so that it does not promote them."""
    if not isinstance(value, float) or not hasattr(like, "dtype") or hasattr(value, "dtype"):
        return value
    return like.dtype.type(value)


def reduce_to(value: Array, like: Array) -> Array:
    """Return `value` summed over the dimensions broadcast from the shape of `like`, with the dtype of `like`."""
    shape = shape_of(like)
    if shape_of(value) != shape:
        extra = len(shape_of(value)) - len(shape)
        if extra:
            value = value.sum(axis=tuple(range(extra)))
        grown = tuple(k for k, n in enumerate(shape) if n == 1 and value.shape[k] != 1)
        if grown:
            value = value.sum(axis=grown, keepdims=True)
    if is_complex(value) and not is_complex(like):
        value = value.real
    dtype = getattr(like, "dtype", None)
    return value if dtype is None or getattr(value, "dtype", dtype) is dtype else value.astype(dtype)


def is_complex(value: object) -> bool:
    dtype = getattr(value, "dtype", None)
    return isinstance(value, complex) if dtype is None else getattr(dtype, "kind", "") == "c"


def place(value: Array, like: Array, key: object) -> Array:
    """Return zeros in the shape of `like`, with `value` added at `key`."""
    library = library_of(like)
    out = library.zeros(like.shape, getattr(value, "dtype", like.dtype))
    library.add.at(out, key, value)
    return out
