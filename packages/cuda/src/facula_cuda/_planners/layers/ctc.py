"""Planners of connectionist temporal classification and of its gradient: kernels/layers/ctc.cuh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._dtype_codes import INT64
from ..launches import THREADS, WARP, Kernel, blocks_for, kernel_plan
from ..registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

TYPES = {9: "float", 10: "double"}


@planner("ctc_loss", "ctc_loss_grad")
def plan_ctc_loss(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan the losses or their gradient: operands and parameters as for the CPU's planner of these operators."""
    (longest,) = parameters
    gradient = operator == "ctc_loss_grad"
    x, targets, lengths = inputs[1:4] if gradient else inputs
    rest = (inputs[0], *inputs[4:], outputs[0]) if gradient else outputs
    if (
        x.dtype.code not in TYPES
        or targets.dtype.code != INT64
        or any([one.dtype is not x.dtype for one in rest])
        or any([not one.is_contiguous for one in (targets, lengths, *rest)])
    ):
        return None
    steps, batch, classes = x.shape
    states, size = 2 * longest + 1, x.dtype.itemsize
    widest = max(states, classes) if gradient else states
    body = f"ctc_{'gradients' if gradient else 'losses'}<{TYPES[x.dtype.code]}>(p);"
    threads = min(THREADS, -(-widest // WARP) * WARP)
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["ctc"],
        [Kernel(f"{operator}_{x.dtype.name}", body, blocks_for(batch, 1), threads, waits=True)],
        pointers="g x targets lengths loss alpha o" if gradient else "x targets lengths loss alpha",
        scalars={"blank": int, "zero_infinity": int},
        constants={
            "steps": steps,
            "batch": batch,
            "classes": classes,
            "count": targets.numel,
            "longest": longest,
            **dict(zip(("by_step", "by_example", "by_class"), [step * size for step in x.strides], strict=True)),
        },
        workspace=max(64, batch * states * (8 + 3 * size)) if gradient else 0,
        checks=inputs,
    )
