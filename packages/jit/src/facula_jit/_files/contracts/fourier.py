"""Contracts of Fourier transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .decompositions import MAX_DIMS, PRECISE
from .shapes import is_flag, is_size

if TYPE_CHECKING:
    from facula_storage import Layout

    from .declared import Promise

NORMS = ("backward", "ortho", "forward")


def _along(a: Layout, dims: Any, norm: Any) -> bool:
    """Return True for distinct, nonempty dimensions that can be transformed."""
    return (
        norm in NORMS
        and type(dims) is tuple
        and 1 <= len(dims) == len(set(dims))
        and all([type(dim) is int and 0 <= dim < a.ndim and a.shape[dim] for dim in dims])
        and a.ndim <= MAX_DIMS
        and a.dtype in PRECISE
    )


def to_complex(inputs: Any, parameters: Any) -> bool:
    """Check for the full transform, or its inverse."""
    (a,), (dims, is_inverse, norm) = inputs, parameters
    return is_flag(is_inverse) and _along(a, dims, norm)


def from_real(inputs: Any, parameters: Any) -> bool:
    """Check for a transform of real numbers, which returns half of the frequencies."""
    (a,) = inputs
    return _along(a, *parameters) and a.dtype.is_floating_point


def to_real(inputs: Any, parameters: Any) -> bool:
    """Check for a transform from half of the frequencies to `length` real numbers."""
    (a,), (dims, length, norm) = inputs, parameters
    return is_size(length, 1) and _along(a, dims, norm) and a.dtype.is_complex and a.shape[dims[-1]] == length // 2 + 1


PROMISES: dict[str, Promise] = {"fft_complex": to_complex, "fft_from_real": from_real, "fft_to_real": to_real}
