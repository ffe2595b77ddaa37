"""Numerical limits of dtypes: `finfo` of floating dtypes and `iinfo` of integer dtypes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import DTypeError
from facula_errors.extend import boundary
from facula_storage.extend.layouts import COMPLEX, FLOATING, INTEGER

from .promotion import as_dtype, get_default_dtype

if TYPE_CHECKING:
    from facula_storage import DType

    from .types import DTypeLike

# Limits of dtypes that NumPy lacks: eps, max, tiny, resolution. `min` is -max, but e8m0fnu has no sign.
LIMITS = {
    "bfloat16": (2.0**-7, 2.0**127 * (2 - 2.0**-7), 2.0**-126, 0.01),
    "float8_e4m3fn": (2.0**-3, 448.0, 2.0**-6, 1.0),
    "float8_e4m3fnuz": (2.0**-3, 240.0, 2.0**-7, 1.0),
    "float8_e5m2": (2.0**-2, 57344.0, 2.0**-14, 1.0),
    "float8_e5m2fnuz": (2.0**-3, 57344.0, 2.0**-15, 1.0),  # PyTorch's eps: half of the step above 1
    "float8_e8m0fnu": (1.0, 2.0**127, 2.0**-127, 1.0),
}


@cache
def _floating_limits(kind: DType) -> dict[str, float]:
    if kind.name in LIMITS:
        known = dict(zip(("eps", "max", "tiny", "resolution"), LIMITS[kind.name], strict=True))
        return known | {"bits": kind.itemsize * 8}
    numpy = np.finfo(kind.numpy)  # type: ignore[arg-type]
    known = {name: getattr(numpy, name).item() for name in ("eps", "max", "tiny")}
    return known | {"bits": numpy.bits, "resolution": 10.0**-numpy.precision}


class finfo:
    """The limits of a floating dtype (the default dtype if omitted), or of a complex dtype's parts.

    `bits`, `min`, `max`, `eps` (from 1 to the next number), `tiny` or `smallest_normal`, `resolution` (digits that
    surely survive, as a power of ten), and `dtype`, its name.

    >>> from facula_tensor import float16
    >>> finfo(float16).max
    65504.0
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    bits: int
    eps: float
    max: float
    min: float
    tiny: float
    smallest_normal: float
    resolution: float
    dtype: str

    @boundary
    def __init__(self, type: DTypeLike | None = None) -> None:
        kind = get_default_dtype() if type is None else as_dtype(type, "finfo")
        if kind.category == COMPLEX:
            kind = kind.to_real()
        if kind.category != FLOATING:
            raise DTypeError(f"finfo: expected a floating dtype; got {kind.name}; use iinfo for integers")
        for name, value in _floating_limits(kind).items():
            setattr(self, name, value)
        self.min = -self.max if kind.is_signed else self.tiny
        self.smallest_normal, self.dtype = self.tiny, kind.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(("finfo", self.dtype))

    def __repr__(self) -> str:
        shown = [f"{name}={getattr(self, name):g}" for name in ("resolution", "min", "max", "eps", "smallest_normal")]
        return f"finfo({', '.join(shown)}, tiny={self.tiny:g}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer dtype: `bits`, `min`, `max`, and `dtype`, its name.

    >>> from facula_tensor import int8
    >>> iinfo(int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    __slots__ = ("bits", "dtype", "max", "min")

    bits: int
    dtype: str
    max: int
    min: int

    @boundary
    def __init__(self, type: DTypeLike) -> None:
        kind = as_dtype(type, "iinfo")
        if kind.category != INTEGER:
            raise DTypeError(f"iinfo: expected an integer dtype; got {kind.name}; use finfo for floating ones")
        self.bits = 8 * kind.itemsize
        self.min = -(1 << (self.bits - 1)) if kind.is_signed else 0
        self.max = (1 << (self.bits - kind.is_signed)) - 1
        self.dtype = kind.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(("iinfo", self.dtype))

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
