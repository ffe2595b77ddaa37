"""Planners of `attention` and of its gradient."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_storage import Plan

from .._kernels import ffi, lib
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from facula_storage import Layout

    from .._runtime.types import Layouts, Parameters

BOOL, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 = 1, 7, 8, 9, 10
FORMATS = {FLOAT32: 0, FLOAT64: 0, FLOAT16: 1, BFLOAT16: 2, BOOL: 3}  # as in the kernel
PANEL, STRIP = 32, 16
QUERY_BLOCK, KEY_BLOCK = 64, 128
SCORE_COST, MULTIPLY_COST = 300, 10  # picoseconds
SCALARS = (float, float, int, int)


@planner("attention", "attention_grad")
def plan_attention(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan (out, lse) from (q, k, v, mask), or gradients of q, k and v from (g, q, k, v, mask, out, lse).

    Shapes: q (..., length, width), k (..., keys, width) and v (..., keys, value width) with equal leading dimensions, g
    and out (..., length, value width), mask (..., length, keys) or None. Strides are arbitrary, but columns of all
    except the mask must be adjacent, and lse is row-major. Floating dtypes; the mask is bool, or has the
    computation's dtype or q's. lse (..., length) is float64 for float64, else float32. Parameters (is_causal,). Launch:
    after the addresses the scale and the dropout probability (floats), seed and offset.
    """
    is_causal = parameters[0]
    gradient = operator == "attention_grad"
    if gradient:
        g, q, k, v, mask, out, _ = inputs
        made: tuple[Layout | None, ...] = outputs
    else:
        (q, k, v, mask), g, out, made = inputs, None, outputs[0], (None,) * 3
    arrays = (q, k, v, mask, g, out, *made)  # in the order of enum facula_attention_array
    matrices = [layout for place, layout in enumerate(arrays) if layout is not None and place != lib.FACULA_MASK]
    code = q.dtype.code
    kernel = find_kernel(operator, code)
    same = all(layout.dtype.code == code for layout in matrices)
    masks = (BOOL, code) if code == FLOAT64 else (BOOL, code, FLOAT32)
    rows_ready = all(layout.shape[-1] <= 1 or layout.strides[-1] == 1 or not layout.numel for layout in matrices)
    if kernel is None or not same or not rows_ready or (mask is not None and mask.dtype.code not in masks):
        raise no_kernel(operator, inputs, outputs)
    *batch, length, width = q.shape
    keys, value_width = v.shape[-2:]
    nest = [
        number
        for axis, extent in reversed(list(enumerate(batch)))
        for number in (extent, *[0 if layout is None else layout.strides[axis] for layout in arrays])
    ]
    batches, size = prod(batch), 8 if code == FLOAT64 else 4
    row = keys * (SCORE_COST + (width + value_width) * MULTIPLY_COST) * (3 if gradient else 1)
    work = batches * length * row

    threads = lib.facula_threads() if work > SERIAL else 1
    parts = 1 if gradient else max(1, min(-(-length // QUERY_BLOCK), -(-4 * threads // max(batches, 1))))
    task_rows = -(-max(length, 1) // (parts * QUERY_BLOCK)) * QUERY_BLOCK if threads > 1 else max(length, 1)
    tasks = batches * -(-length // task_rows) if not gradient else batches
    struct = ffi.new("struct facula_attention *", {"nest": nest or [0]})
    struct.length, struct.keys, struct.width, struct.value_width = length, keys, width, value_width
    struct.rows = [0 if layout is None else layout.strides[-2] for layout in arrays]
    if mask is not None:
        struct.mask_col, struct.mask_format = mask.strides[-1], FORMATS[mask.dtype.code]
    struct.batches, struct.dims, struct.format, struct.is_causal = batches, len(batch), FORMATS[code], is_causal
    struct.query_block, struct.key_block, struct.task_rows = QUERY_BLOCK, KEY_BLOCK, task_rows
    struct.tasks, struct.slots = tasks, max(1, min(tasks, threads))
    struct.slot_bytes = slot_bytes(length, keys, width, value_width, size, gradient)
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=len(inputs) + len(outputs),
        scalars=SCALARS,
        cost=work / max(outputs[0].numel, 1),
        workspace=struct.slots * struct.slot_bytes,
    )


def slot_bytes(length: int, keys: int, width: int, value_width: int, size: int, gradient: bool) -> int:
    """Return the bytes of one task's workspace: the kernel's buffers, each in whole cache lines."""
    wide, wide_values = whole(width, PANEL), whole(value_width, PANEL)
    tile = QUERY_BLOCK * (KEY_BLOCK + STRIP)
    if gradient:
        counts = [length * width, length * value_width, length * wide, length * wide_values, length * width, length]
        counts += [whole(KEY_BLOCK, PANEL) * width, KEY_BLOCK * wide, whole(KEY_BLOCK, PANEL) * value_width]
        counts += [KEY_BLOCK * width, KEY_BLOCK * value_width, tile, tile, KEY_BLOCK]
    else:
        counts = [whole(keys, PANEL) * width, keys * wide_values, QUERY_BLOCK * width, tile]
        counts += [QUERY_BLOCK * wide_values, QUERY_BLOCK, QUERY_BLOCK, KEY_BLOCK]
    return sum([whole(count * size, 64) for count in counts])


def whole(count: int, unit: int) -> int:
    """Round `count` up to whole units.

    >>> whole(3, 32), whole(64, 32)
    (32, 64)
    """
    return -(-count // unit) * unit
