"""Planners of batch normalization and its gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..launches import THREADS, Kernel, blocks_for, kernel_plan
from ..registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

TYPES = {9: "float", 10: "double"}
COLUMNS = 32  # channels that a block adds if they are adjacent
BLOCKS = 512  # that add channels, if there is work for so many
LEAST = 4096  # elements that a block adds, at least

POINTERS = {
    "batch_norm": "x weight bias mean variance o kept_mean kept_inverse",
    "batch_norm_counted": "x weight bias mean variance count o kept_mean kept_inverse",
    "batch_norm_eval": "x weight bias mean variance o",
    "batch_norm_grad": "g x kept_mean kept_inverse weight o weight_gradient bias_gradient",
}
SCALARS: dict[str, dict[str, type]] = {
    "batch_norm": {"momentum": float, "epsilon": float},
    "batch_norm_counted": {"epsilon": float},
    "batch_norm_eval": {"epsilon": float},
    "batch_norm_grad": {},
}


def splits_of(batch: int, channels: int, inner: int) -> int:
    """Return the number of blocks that add one channel (or, if `inner` is 1, COLUMNS channels).

    >>> splits_of(32, 64, 112 * 112), splits_of(8, 16, 4), splits_of(4096, 32, 1)
    (8, 1, 32)
    """
    groups, each = (-(-channels // COLUMNS), batch * COLUMNS) if inner == 1 else (channels, batch * inner)
    most = batch if inner == 1 else each
    return max(1, min(BLOCKS // max(groups, 1), each // LEAST, most))


@planner(*POINTERS)
def plan_batch_norm(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan normalization of channels: operands and parameters as for the CPU's planner of these operators."""
    o = outputs[0]
    operands = inputs[:5] if operator == "batch_norm_counted" else inputs
    given = [layout for layout in (*operands, *outputs) if layout is not None]
    if o.dtype.code not in TYPES or any([one.dtype is not o.dtype or not one.is_contiguous for one in given]):
        return None
    T, batch, channels = TYPES[o.dtype.code], o.shape[0], o.shape[1]
    inner = o.numel // (batch * channels) if batch * channels else 1
    splits = splits_of(batch, channels, inner)
    constants = {"batch": batch, "channels": channels, "inner": inner}
    name = f"{operator}_{o.dtype.name}"
    by_channel, by_element = blocks_for(channels), blocks_for(o.numel)
    if operator == "batch_norm_eval":
        kernels = [
            Kernel(f"{name}_factors", f"given_factors<{T}>(p);", by_channel),
            Kernel(name, f"write_channels<{T}, false>(p, (const {T} *)p.workspace);", by_element),
        ]
    else:
        constants["splits"] = splits
        tasks = splits * (-(-channels // COLUMNS) if inner == 1 else channels)
        blocks, threads = blocks_for(tasks, 1), 64 if inner == 1 else THREADS

        def sums(kind: str) -> Kernel:
            return Kernel(f"{name}_{kind.lower()}", f"sum_channels<SUM_{kind}, {T}>(p);", blocks, threads, waits=True)

        gradient = operator == "batch_norm_grad"
        write = Kernel(name, f"write_channels<{T}, {str(gradient).lower()}>(p, channel_factors<{T}>(p));", by_element)
        if gradient:
            kernels = [sums("SLOPES"), Kernel(f"{name}_factors", f"gradient_factors<{T}>(p);", by_channel), write]
        else:
            counted = str(operator == "batch_norm_counted").lower()
            factors = Kernel(f"{name}_factors", f"training_factors<{T}, {counted}>(p);", by_channel)
            means = Kernel(f"{name}_means", "find_means(p);", by_channel)
            kernels = [sums("PLAIN"), means, sums("SQUARES"), factors, write]
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["batch_norm"],
        kernels,
        pointers=POINTERS[operator],
        scalars=SCALARS[operator],
        constants=constants,
        workspace=64 + channels * (16 * splits + 8 + 4 * o.dtype.itemsize),
    )
