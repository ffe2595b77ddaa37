"""Positions where a mask is true: one launch counts them, another writes them."""

from __future__ import annotations

from facula_storage import contiguous, int64
from facula_storage.extend.plans import PlanTable
from facula_storage.extend.recording import recorders

from ..._core.allocation import fresh
from ..._core.tensor import Tensor, layout_of_tensor, readable, snapshot
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.slow_path.launching import launch

_table = PlanTable("nonzero")


def where_true(kernel: str, mask: Tensor, further: tuple[int, ...], count: int | None = None) -> Tensor:
    """Return an int64 tensor (count, *further) of the positions where a mask is true, in row-major order.

    Arguments:
        kernel: "nonzero" or "nonzero_flat".
        mask: the mask.
        further: the other dimensions of the result.
        count: the number of true elements, if known.
    """
    mask = snapshot(readable(mask, kernel.removesuffix("_flat")) if count is None else mask)
    layout = mask._layout
    if count is None:
        count = int(no_record_ops.count_true(mask).item())
    target = contiguous((count, *further), int64, layout.device)
    result = fresh(target)
    plan = _table.by_key.get((kernel, layout))
    if plan is None:
        plan = _table.add((kernel, layout), layout.device.backend.plan(kernel, (layout,), (target,), ()))
    if recorders or plan.workspace:
        launch(plan, (mask,), [(result._storage, 0)], n=target.numel)
    else:  # the same, without lists
        plan.launch(target.numel, mask._storage.ptr + mask._offset, result._storage.ptr)
    return result


@operator
class _count_true:
    """The number of true elements."""

    def batching(F, call):
        (mask,) = call.operands
        return F.sum(mask, (tuple(range(layout_of_tensor(mask).ndim)), False))

    def outputs(layout):
        return contiguous((), int64, layout.device)
