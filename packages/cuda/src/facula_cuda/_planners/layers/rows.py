"""Softmax, its logarithm and their gradients: kernels/layers/rows.cuh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._generate import FEW
from ..arrays.reductions import CODES, FLOATS, LANE_ELEMENTS
from ..dimensions import merged, packed, room_for, suffix_of
from ..launches import THREADS, Kernel, blocks_for, kernel_plan
from ..registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

    from ..launches import Constant

#: By operator: the macro, and whether it is of the logarithm.
KERNELS = {
    "softmax": ("SOFTMAX", 0),
    "log_softmax": ("SOFTMAX", 1),
    "softmax_grad": ("SOFTMAX_GRADIENT", 0),
    "log_softmax_grad": ("SOFTMAX_GRADIENT", 1),
}


def source_of(operator: str, code: int, room: int = FEW) -> tuple[str, str]:
    """Return the text of a kernel, and its name."""
    macro, logarithmic = KERNELS[operator]
    name = f"{operator}_{CODES[code]}{suffix_of(room)}".lower()
    return f'#include "facula/rows.cuh"\n{macro}({name}, {room}, {CODES[code]}, {logarithmic})\n', name


@planner(*KERNELS)
def plan_rows(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan softmax and its kin; None if it has no kernel, or more dimensions than the kernel's parameters hold."""
    (o,) = outputs
    if o.dtype.code not in FLOATS or any([layout.dtype is not o.dtype for layout in inputs]):
        return None
    (dim,) = parameters
    size, shape = o.dtype.itemsize, o.shape
    each = [inputs[0], inputs[-1], o]
    length, along = 1, [0, 0, 0]
    others = [(shape[d], *[layout.strides[d] * size for layout in each]) for d in range(len(shape))]
    if shape:  # a scalar is a row of one element
        length, *along = others.pop(dim % len(shape))
    dims = merged(others[::-1])
    room = room_for(dims)
    if not room:
        return None
    rows = 1
    for other in dims:
        rows *= other[0]
    group = min(THREADS, 1 << max(0, -(-length // LANE_ELEMENTS) - 1).bit_length())
    source, name = source_of(operator, o.dtype.code, room)
    constants: dict[str, Constant] = {
        "rows": rows if o.numel else 0,
        "length": length,
        "group": group,
        "along": along,
        "others": packed(dims, 3, room),
    }
    return kernel_plan(
        operator,
        parameters,
        outputs,
        [source],
        [Kernel(name, "", blocks_for(rows * group))],
        pointers="g y o" if len(inputs) > 1 else "x o",
        constants=constants,
    )
