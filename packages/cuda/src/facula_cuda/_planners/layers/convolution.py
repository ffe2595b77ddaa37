"""Planners of `conv2d` and its derivatives, `conv2d_input` and `conv2d_weight`: kernels/layers/convolution.cuh."""

from __future__ import annotations

from math import gcd, prod
from typing import TYPE_CHECKING, Any

from ..launches import Kernel, blocks_for, kernel_plan
from ..registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

TYPES = {9: "float", 10: "double"}
#: By operator: what the kernel computes, and the names of the launch's addresses.
KERNELS = {
    "conv2d": ("CONVOLVE", "from by bias o", ""),
    "conv2d_input": ("INPUT_GRADIENT", "from by o", "bias"),
    "conv2d_weight": ("WEIGHT_GRADIENT", "by from o", "bias"),
}
WIDE, FLAT = (16, 4, 4), (2, 2, 1)  # ROWS, EACH_M and EACH_N of a tile
MAX_FLAT = 16  # rows of a product up to which its tiles are flat
BLOCKS, LEAST = 264, 256  # blocks from which k is not split, and the least k of a split
MAX_COUNT, MAX_PLACE = 1 << 31, 1 << 29  # limits of indices and of coordinates, which have 32 bits


@planner(*KERNELS)
def plan_convolution(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan convolutions of row-major arrays: operands and parameters as for the CPU's planner of these operators."""
    o = outputs[0]
    given = [layout for layout in (*inputs, o) if layout is not None]
    if o.dtype.code not in TYPES or any([one.dtype is not o.dtype or not one.is_contiguous for one in given]):
        return None
    if operator == "conv2d":
        images, weights, results = inputs[0], inputs[1], o
    elif operator == "conv2d_input":
        images, weights, results = o, inputs[1], inputs[0]
    else:
        images, weights, results = inputs[1], o, inputs[0]
    groups = parameters[3]
    size, out, kernel = (_volume(layout.shape[2:], 1) for layout in (images, results, weights))
    stride, padding, dilation = (
        _volume(numbers, fill) for numbers, fill in zip(parameters[:3], (1, 0, 1), strict=True)
    )
    channels, filters, plane = weights.shape[1], weights.shape[0] // groups, prod(out)

    # Phases: see Note [Implicit patches].
    divisor = [gcd(*both) for both in zip(stride, dilation, strict=True)]
    step = [s // d for s, d in zip(stride, divisor, strict=True)]
    inverse = [pow(by // d, -1, s) for by, d, s in zip(dilation, divisor, step, strict=True)]
    phases = [min(both) for both in zip(stride, size, strict=True)]
    lengths = [-(-whole // s) for whole, s in zip(size, stride, strict=True)]
    products = groups
    if operator == "conv2d":
        m, n, k = filters, images.shape[0] * plane, channels * prod(kernel)
    elif operator == "conv2d_input":
        m, n = channels, images.shape[0] * prod(lengths)
        k = filters * prod([-(-taps // s) for taps, s in zip(kernel, step, strict=True)])
        products *= prod(phases)
    else:
        m, n, k = filters, channels * prod(kernel), images.shape[0] * plane
    reach = [
        max(whole, (count - 1) * s + abs(before), (taps - 1) * by)
        for whole, count, s, before, taps, by in zip(size, out, stride, padding, kernel, dilation, strict=True)
    ]
    if max(n, k, products) >= MAX_COUNT or max(reach) >= MAX_PLACE:
        return None

    shape = FLAT if m <= MAX_FLAT else WIDE
    tile_m, tile_n = shape[0] * shape[1], 256 // shape[0] * shape[2]
    tiles_m, tiles_n = -(-m // tile_m), -(-n // tile_n)
    tiles = products * tiles_m * tiles_n
    splits = max(1, min(BLOCKS // tiles, k // LEAST)) if tiles else 1
    what, pointers, absent = KERNELS[operator]
    T, name = TYPES[o.dtype.code], f"{operator}_{o.dtype.name}"
    body = f"convolve<{what}, {T}, {', '.join(map(str, shape))}>(p);"
    kernels = [Kernel(name, body, blocks_for(tiles * splits, 1), waits=True)]
    if splits > 1:
        kernels.append(Kernel(f"{name}_join", f"join_splits<{T}>(p);", blocks_for(o.numel)))
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["convolution"],
        kernels,
        pointers=pointers,
        absent=absent if splits > 1 else f"{absent} workspace",
        constants={
            "in": size,
            "out": out,
            "kernel": kernel,
            "stride": stride,
            "padding": padding,
            "dilation": dilation,
            "phases": phases,
            "lengths": lengths,
            "step": step,
            "inverse": inverse,
            "divisor": divisor,
            "images": images.shape[0],
            "groups": groups,
            "channels": channels,
            "filters": filters,
            "columns": n,
            "tiles": tiles * splits,
            "tiles_m": max(tiles_m, 1),
            "tiles_n": max(tiles_n, 1),
            "splits": splits,
            "k_each": -(-k // splits),
            "plane": plane,
        },
        workspace=splits * o.numel * o.dtype.itemsize if splits > 1 else 0,
    )


def _volume(numbers: tuple[int, ...], fill: int) -> tuple[int, ...]:
    """Return the numbers of three dimensions: those of images are volumes of one plane.

    >>> _volume((4, 5), 1)
    (1, 4, 5)
    """
    return (fill,) * (3 - len(numbers)) + tuple(numbers)
