"""Dtypes that a kernel does not know, computed in one that it does: half precisions in float32, integers in float64."""

from __future__ import annotations

from typing import Any

from facula_storage import float32, float64
from facula_storage.extend import FLOATING, INTEGER

from .._errors import DTypeError
from .._tensor import layout_of_tensor

__all__: list[str] = []


def widened(F: Any, name: str, operands: tuple, parameters: tuple, called: str) -> Any:
    """The operator on operands in the kernel's dtype, its result in theirs; TypeError for bool and complex."""
    dtype = layout_of_tensor(operands[0]).dtype
    if dtype.category not in (FLOATING, INTEGER):
        raise DTypeError(f"{called}: not defined for {dtype.name}; convert with .float()")
    wide = float32 if dtype.category == FLOATING else float64
    made = getattr(F, name)(*[None if one is None else F.to(one, (wide,)) for one in operands], parameters)
    return F.to(made, (dtype,))
