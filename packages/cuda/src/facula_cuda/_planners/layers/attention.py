"""Planners of scaled dot product attention and of its gradient: kernels/layers/attention.cuh."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..._dtype_codes import BOOL, FLOAT32, FLOAT64
from ..arrays.reductions import FLOATS
from ..dimensions import dimensions_of, nest_of
from ..launches import WARP, Kernel, blocks_for, kernel_plan
from ..products import TILE
from ..registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

ARRAYS = ("q", "k", "v", "mask", "g", "out", "dq", "dk", "dv")  # in the order of `at` in the kernels
MAX_TASKS = (1 << 31) - 1  # which the kernels count with 32 bits


@planner("attention", "attention_grad")
def plan_attention(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan attention or its gradient: operands and parameters as for the CPU's planner of these operators."""
    (causal,) = parameters
    gradient = operator == "attention_grad"
    if gradient:
        g, q, k, v, mask, out, _ = inputs
        made: tuple[Any, ...] = outputs
    else:
        (q, k, v, mask), g, out, made = inputs, None, outputs[0], (None,) * 3
    arrays = dict(zip(ARRAYS, (q, k, v, mask, g, out, *made), strict=True))
    code, matrices = q.dtype.code, [one for name, one in arrays.items() if one is not None and name != "mask"]
    masks = (BOOL, code) if code == FLOAT64 else (BOOL, code, FLOAT32)
    if (
        code not in FLOATS
        or any([one.dtype is not q.dtype for one in matrices])
        or any([one.shape[-1] > 1 and one.strides[-1] != 1 and one.numel for one in matrices])
        or (mask is not None and mask.dtype.code not in masks)
    ):
        return None
    *batch, length, width = q.shape
    keys, value_width = v.shape[-2:]
    steps = [
        [0] * len(q.shape) if one is None else [step * one.dtype.itemsize for step in one.strides]
        for one in arrays.values()
    ]
    dims = dimensions_of(batch, *[of[:-2] for of in steps])
    batches = prod(batch)

    def tasks(rows: int, columns: int) -> int:
        return batches * -(-rows // TILE) * max(1, -(-columns // TILE))

    constants = {
        "batches": batches,
        "length": length,
        "keys": keys,
        "width": width,
        "value_width": value_width,
        "causal": int(causal),
        **{f"{name}_row": of[-2] for name, of in zip(ARRAYS, steps, strict=True)},
        "mask_col": steps[ARRAYS.index("mask")][-1],
        "tasks": tasks(length, value_width),
        "query_tasks": tasks(length, width),
        "key_tasks": tasks(keys, max(width, value_width)),
        "dims": len(dims),
        "nest": nest_of(dims),
    }
    if max(constants["tasks"], constants["query_tasks"], constants["key_tasks"]) > MAX_TASKS:
        return None
    name, of = f"{operator}_{q.dtype.name}", f"<{code}, {code if mask is None else mask.dtype.code}>(p);"
    if gradient:
        kernels = [
            Kernel(f"{name}_inner", f"attention_inner{of}", blocks_for(batches * length * WARP), waits=True),
            Kernel(name, f"attend_back_to_queries{of}", blocks_for(constants["query_tasks"], 1), waits=True),
            Kernel(f"{name}_keys", f"attend_back_to_keys{of}", blocks_for(constants["key_tasks"], 1), waits=True),
        ]
    else:
        kernels = [Kernel(name, f"attend{of}", blocks_for(constants["tasks"], 1), waits=True)]
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["attention"],
        kernels,
        pointers="g q k v mask out lse dq dk dv" if gradient else "q k v mask out lse",
        scalars={"scale": float, "share": float, "seed": int, "offset": int},
        constants=constants,
        workspace=max(1, batches * length) * (8 if code == FLOAT64 else 4) if gradient else 0,
    )
