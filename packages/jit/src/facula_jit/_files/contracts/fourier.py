"""Contracts of Fourier transforms, which NumPy computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .decompositions import MOST_DIMS, PRECISE
from .shapes import is_flag, is_size, without

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import Layout

NORMS = ("backward", "ortho", "forward")


def _along(a: Layout, o: Layout, dims: Any, norm: Any) -> bool:
    """Whether these are of the same precision and differ along the last of some dimensions alone, none of which is
    empty."""
    return (
        norm in NORMS
        and type(dims) is tuple
        and 1 <= len(dims) == len(set(dims))
        and all([type(one) is int and 0 <= one < a.ndim and a.shape[one] for one in dims])
        and a.ndim == o.ndim <= MOST_DIMS
        and a.dtype in PRECISE
        and o.dtype in PRECISE
        and a.dtype.to_complex() is o.dtype.to_complex()
        and without(a.shape, dims[-1:]) == without(o.shape, dims[-1:])
    )


def to_complex(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The whole transform, or its inverse."""
    (a,), (o,), (dims, is_inverse, norm) = inputs, outputs, parameters
    return is_flag(is_inverse) and _along(a, o, dims, norm) and a.shape == o.shape and o.dtype.is_complex


def from_real(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Real numbers to the half of their transform."""
    (a,), (o,), (dims, norm) = inputs, outputs, parameters
    return (
        _along(a, o, dims, norm)
        and a.dtype.is_floating_point
        and o.dtype.is_complex
        and o.shape[dims[-1]] == a.shape[dims[-1]] // 2 + 1
    )


def to_real(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """The half of a transform to real numbers, of which there are `length`."""
    (a,), (o,), (dims, length, norm) = inputs, outputs, parameters
    return (
        is_size(length, 1)
        and _along(a, o, dims, norm)
        and a.dtype.is_complex
        and o.dtype.is_floating_point
        and o.shape[dims[-1]] == length
        and a.shape[dims[-1]] == length // 2 + 1
    )


CONTRACTS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "fft_complex": to_complex,
    "fft_from_real": from_real,
    "fft_to_real": to_real,
}
