"""The converter of attention."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from facula_storage import bool_

from .table import converter

if TYPE_CHECKING:
    from .._nodes import Builder
    from .table import Call


@converter("attention")
def _attention(b: Builder, call: Call) -> list[str | None]:
    """Convert softmax(scale query @ key.T + mask) @ value; rows that are masked completely are 0."""
    query, key, value, mask = call.name(0), call.name(1), call.name(2), call.optional(3)
    dtype, ndim = call.dtype, len(call.shape)
    length, keys = call.shape[-2], call.layout(1).shape[-2]
    scale, share = call.numbers[:2]
    if share:
        raise call.refuse("dropout draws random numbers", "call model.eval() first")
    turned = b.add("Transpose", key, perm=[*range(ndim - 2), ndim - 1, ndim - 2])
    scores = b.add("MatMul", b.add("Mul", query, b.number(scale, dtype)), turned)
    nothing = b.number(-inf, dtype)
    is_masked = bool(call.parameters[0])
    if is_masked:
        seen = b.add("Trilu", b.add("Expand", b.constant(np.array(1, np.float32)), b.integers(length, keys)), upper=0)
        scores = b.add("Where", b.cast(seen, bool_), scores, nothing)
    if mask is not None and call.layout(3).dtype is bool_:
        scores, is_masked = b.add("Where", mask, scores, nothing), True
    elif mask is not None:
        given = mask if call.layout(3).dtype is dtype else b.cast(mask, dtype)
        scores, is_masked = b.add("Add", scores, given), True
    shares = b.add("Softmax", scores, axis=-1)
    if mask is not None:
        shares = b.add("Where", b.add("IsNaN", shares), b.number(0, dtype), shares)
    return [b.add("MatMul", shares, value), None]
