"""The parts of complex numbers, each a tensor of its own, and the conjugate."""

from __future__ import annotations

from typing import Any

from facula_storage import DType

from .._declare import elementwise
from .._operator import composite
from .._tensor import Tensor


def magnitude(dtype: DType) -> DType:
    """The dtype of the parts of a complex number."""
    return dtype.to_real()


@composite
def conj(F: Any, input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is its own."""
    if not input.is_complex():
        return input
    return F.conjugate(input)


@elementwise
class _conjugate:
    """The complex conjugate of each element."""

    holomorphic = False
    kernel = "conj"

    def reverse_input(F, g):
        return F.conjugate(g)


@elementwise
class _real_part:
    """The real part of each complex element, as a tensor of its own."""

    holomorphic = False
    kernel = "real"
    result = magnitude


@elementwise
class _imaginary_part:
    """The imaginary part of each complex element, as a tensor of its own."""

    holomorphic = False
    kernel = "imag"
    result = magnitude
