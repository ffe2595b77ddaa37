"""Helpers to define cases: samples of an operator with its function and reference, and dtypes of results."""

from __future__ import annotations

from collections.abc import Callable

from facula_tensor.testing._samples import ALL, COMPLEX, FLOATS, INTEGERS, NUMBERS, REALS, Case, same

__all__ = [
    "ALL", "COMPLEX", "FLOATS", "INTEGERS", "NUMBERS", "REALS", "SCALES", "Case", "accumulated", "always", "boolean",
    "floating", "real_part", "same",
]  # fmt: skip

SCALES = (1e20, 1e-20)  # squares that neither overflow nor vanish in float64, but do in float32


def floating(dtype: str) -> str:
    """Integers and bool become the default floating dtype."""
    return dtype if dtype in FLOATS + COMPLEX else "float32"


def boolean(dtype: str) -> str:
    """The result is bool."""
    return "bool"


def accumulated(dtype: str) -> str:
    """Integers and bool become int64."""
    return dtype if dtype in FLOATS + COMPLEX else "int64"


def real_part(dtype: str) -> str:
    """Complex numbers become real ones."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def always(name: str) -> Callable[[str], str]:
    """The result has this dtype for all operands."""
    return lambda dtype: name
