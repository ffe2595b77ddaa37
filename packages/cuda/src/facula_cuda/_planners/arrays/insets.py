"""Planners of `windows`, which copies elements that strides select, and of its inverse, `inset`."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_storage.extend.layouts import COMPLEX, FLOATING

from ..._dtype_codes import BFLOAT16, COMPLEX128
from ..dimensions import dimensions_of, merged, nest_of
from ..launches import Kernel, blocks_for, kernel_plan
from ..registry import planner
from .indexing import MOVED
from .moves import move_plan

if TYPE_CHECKING:
    from facula_storage import DType, Layout, Plan

    from ..launches import Constant


@planner("windows")
def plan_windows(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan o = the elements of contiguous `a` that (shape, strides, offset) select."""
    (o,), (shape, strides, offset, _) = outputs, parameters
    return move_plan(operator, inputs, outputs, parameters, list(zip(shape, o.strides, strides, strict=True)), offset)


@planner("inset")
def plan_inset(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan contiguous o = `value`, except for `a` at the elements that (strides, offset) select, in a's shape.

    Dimensions of `a` named in `shared` may select an element several times: it receives the sum.
    """
    (a,), (o,), (_, strides, offset, shared, value) = inputs, outputs, parameters
    size, fill = o.dtype.itemsize, _words_of(value, o.dtype)
    if a.dtype is not o.dtype or not o.is_contiguous or fill is None or (shared and o.dtype.code > COMPLEX128):
        return None
    steps = [step * size for step in a.strides]
    common = dimensions_of(*[[numbers[dim] for dim in shared] for numbers in (a.shape, strides, steps)])
    others = [dim for dim in range(a.ndim) if dim not in shared] if a.numel else []
    kept = merged([(a.shape[dim], strides[dim], steps[dim]) for dim in others])
    reach = 0  # the greatest distance of two places
    for length, step, _ in kept:
        if step <= reach:
            return None
        reach += (length - 1) * step
    constants: dict[str, Constant] = {
        "fill": fill,
        "offset": offset,
        "loops": prod([a.shape[dim] for dim in shared]) if a.numel else 0,
        "shared": len(common),
        "kept": len(kept),
        "nest": nest_of([*common, *kept]),
    }
    types = f"combined<{o.dtype.code}>::type, {o.dtype.code}" if shared else f"{MOVED[size]}, 0"
    kernel = Kernel(f"inset_{o.dtype.name}", f"inset_elements<{types}>(p);", blocks_for(o.numel))
    return kernel_plan(operator, parameters, outputs, ["insets"], [kernel], pointers="a o", constants=constants)


def _words_of(value: Any, dtype: DType) -> tuple[int, int] | None:
    """Return the bits of an element in two words; None if the value is not exact in a dtype that NumPy does not have.

    >>> from facula_storage import float32
    >>> _words_of(1.0, float32)
    (1065353216, 0)
    """
    if not value:
        return 0, 0
    if dtype.category == COMPLEX:
        bits = np.asarray(complex(value), dtype.numpy).tobytes()
    elif dtype.code == BFLOAT16 and not np.isnan(value) and not np.float32(value).view(np.uint32) & 0xFFFF:
        bits = np.asarray(np.float32(value).view(np.uint32) >> 16, np.uint16).tobytes()
    elif dtype.code > COMPLEX128 or dtype.code == BFLOAT16:
        return None
    else:
        number = float(value) if dtype.category == FLOATING else int(value)
        with np.errstate(over="ignore"):
            bits = np.asarray(number).astype(dtype.numpy).tobytes()
    low, high = (int.from_bytes(bits[start : start + 8], "little", signed=len(bits) - start >= 8) for start in (0, 8))
    return low, high
