"""Tensors and arrays for tests of operators: elements in every dtype and memory layout, and devices."""

from __future__ import annotations

import facula_tensor as ft
from facula_tensor.testing._comparing import TOLERANCE, compare, reference
from facula_tensor.testing._derivatives import check_slopes
from facula_tensor.testing._operands import call, draw, lay, layouts_of, make, operands, rounded, values_of
from facula_tensor.testing._samples import ALL
from facula_tensor.testing._values import other_devices

__all__ = [
    "DEVICES", "DTYPES", "TOLERANCE", "call", "check_slopes", "compare", "draw", "lay",
    "layouts_of", "make", "operands", "reference", "rounded", "values_of",
]  # fmt: skip

DTYPES = {name: getattr(ft, name) for name in ALL}
DEVICES = ["cpu", "meta", *other_devices()]
