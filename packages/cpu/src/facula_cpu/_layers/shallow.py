"""Plans of convolutions of few channels: see Note [Shallow] in csrc/convolution/shallow.inc."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._kernels import ffi, lib
from .._runtime.planners import SERIAL, bound_plan
from .._runtime.registry import kernel_for
from .depthwise import Axis, flags, set_axes

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters, Struct

STRUCT = ffi.typeof("struct facula_shallow *")
VECTOR = 64  # bytes of the longest one
MAX_CHANNELS = 32
FEW_CHANNELS = 8  # of which products with the results' gradient would leave most lanes empty
BAND = 96 << 10  # bytes of a band, which should stay in a cache close to the core
PIXELS = 1024  # of images whose products are added up together, for the weights' gradient
LEAST_USED, LEAST_USED_FOR_WEIGHTS = 0.6, 0.75  # of the lanes of vectors
LEAST_TASKS = 4
COST = 12  # picoseconds of a multiplication


def plan_shallow(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    images: tuple[int, ...],
    weights: tuple[int, ...],
    results: tuple[int, ...],
    steps: Parameters = (),
) -> Plan | None:
    """Plan a convolution of two dimensions and further steps, or a derivative, from these shapes.

    Return None if there are many channels or large strides, or if most lanes of vectors would be empty.
    """
    stride, padding, dilation, groups = parameters[:4]
    channels, filters, kernel = weights[1], weights[0] // groups, weights[2:]
    back, weighs = operator == "conv2d_input", operator == "conv2d_weight"
    read, made = images, results
    if back:  # itself a convolution, of the results' gradient
        read, made, channels, filters = results, images, filters, channels
        padding = [(taps - 1) * step - before for taps, step, before in zip(kernel, dilation, padding)]
    rows, columns = (
        Axis(read[k], made[k], kernel[k - 2], stride[k - 2], dilation[k - 2], padding[k - 2]) for k in (2, 3)
    )
    taps, size = channels * kernel[0] * kernel[1], outputs[0].dtype.itemsize
    if (
        0 in (*images, *weights, *results)
        or channels > MAX_CHANNELS
        or (weights[1] == 1 and (weights[0] // groups < 4 or (taps == 9 and not weighs)))  # depthwise
        or taps > lib.FACULA_SHALLOW_TAPS
        or (weighs and filters * taps * VECTOR > lib.FACULA_SHALLOW_SUMS)
        or (back and filters < (4 if channels > 16 else 2))  # whose sums do not use each vector often enough
        or {*stride} - ({1} if back else {1, 2})
        or (taps == channels and {*stride} == {1} and not (weighs and channels <= FEW_CHANNELS))  # a product
    ):
        return None
    half = -(-columns.band(columns.out, back=False) // columns.stride)
    pitch = half * (1 if columns.kernel == 1 else columns.stride)
    work = read[0] * groups * filters * taps * rows.out * columns.out * COST
    row = channels * pitch * size  # bytes
    least = 1 if weighs else min(rows.out, -(-LEAST_TASKS // (read[0] * groups))) if work > SERIAL else 1
    most = max(1, (BAND // row - rows.band(1, back=False)) // rows.stride + 1)
    lines = -(-rows.out // max(least, -(-rows.out // most)))
    band = rows.band(lines, back=False) * row
    if band > 4 * BAND:
        return None
    joined_line = (lines - 1) * pitch + columns.out
    used = columns.out / whole(columns.out, VECTOR // size)
    joined = not weighs and stride == (1, 1) and lines * columns.out / whole(joined_line, VECTOR // size) > used + 0.1
    if joined:
        used = lines * columns.out / whole(joined_line, VECTOR // size)
    if back:  # weights also multiply the padding around the results' gradient
        used *= min(1, rows.length * columns.length / (rows.out * columns.out))
    if used < (LEAST_USED_FOR_WEIGHTS if weighs else LEAST_USED):
        return None

    pooled, rectified, normalized, epsilon = flags(steps)
    if pooled and lines < rows.out:
        lines += lines % 2
    struct: Struct = ffi.new(STRUCT)
    struct.pooled, struct.rectified = pooled, rectified
    struct.normalized, struct.epsilon = normalized, epsilon
    struct.images, struct.groups, struct.channels, struct.filters = read[0], groups, channels, filters
    set_axes(struct, rows, columns)
    struct.block_lines, struct.joined = lines, joined
    struct.parts = min(read[0] * -(-rows.out // lines), 2 * LEAST_TASKS, 1 + int(work / groups) // SERIAL)
    struct.together = 1
    if weighs and lines == rows.out:
        struct.together = max(1, min(read[0], PIXELS // (rows.out * columns.out), BAND // band))
    workspace = lib.facula_complete_shallow(struct, 2 * weighs + back, size, lib.facula_threads())
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel_for(f"{operator}_shallow", outputs[0].dtype.code).address,
        struct,
        arrays=len(inputs) + 1,
        cost=work / outputs[0].numel,
        workspace=workspace,
    )


def whole(length: int, step: int) -> int:
    """Round a length up to a multiple of a step."""
    return -(-length // step) * step
