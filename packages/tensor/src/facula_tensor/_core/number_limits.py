"""What numbers a dtype holds: `finfo` of floating dtypes and `iinfo` of integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facula_errors import DTypeError
from facula_errors.extend import boundary
from facula_storage import bfloat16
from facula_storage.extend import COMPLEX, FLOATING, INTEGER

from .promotion import as_dtype, get_default_dtype

if TYPE_CHECKING:
    from .types import DTypeLike

__all__ = ["finfo", "iinfo"]

# Bits of the exponent and of the fraction, which say all the rest; bfloat16 is no type of NumPy's.
BFLOAT16 = {"bits": 16, "eps": 2.0**-7, "max": 2.0**127 * (2 - 2.0**-7), "tiny": 2.0**-126, "resolution": 0.01}


class finfo:
    """The limits of a floating dtype; the default dtype where none is given, the parts' where it is complex.

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
        if kind is bfloat16:
            known = BFLOAT16
        else:
            numpy = np.finfo(kind.numpy)  # type: ignore[arg-type]
            known = {name: getattr(numpy, name).item() for name in ("eps", "max", "tiny")}
            known |= {"bits": numpy.bits, "resolution": 10.0**-numpy.precision}
        for name, value in known.items():
            setattr(self, name, value)
        self.min, self.smallest_normal, self.dtype = -self.max, self.tiny, kind.name

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
