"""Plans of convolutions by Winograd's algorithm: see Note [Winograd] in csrc/convolution/winograd.dispatch.c."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .._kernels import ffi, lib
from .._runtime.algorithms import check_algorithm, get_convolution_algorithm
from .._runtime.planners import bound_plan
from .._runtime.registry import LEVELS, kernel_for, level
from .depthwise import flags

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

    from .._runtime.types import Layouts, Parameters, Struct

STRUCT = ffi.typeof("struct facula_winograd *")
MIN_CHANNELS, MAX_CHANNELS = 16, 8192  # of a group: those of one vector, or as panels allow
MAX_SHARE = 0.6  # multiplications, as a fraction of those of direct sums: transformations also take time
SIDE = 6  # of a transformed tile
COST = 10  # picoseconds of a multiplication


def choose_algorithm(
    operator: str, parameters: Parameters, images: Layout, weights: Layout, results: Layout
) -> Literal["", "fast", "direct"]:
    """Return the algorithm of a convolution, or "" if there is only one.

    That depends on the geometry of a layer, never on the number of images or threads. `parameters` may end with one of
    the algorithms, which then replaces the setting.
    """
    stride, _, dilation, groups, _, *given = parameters
    channels, filters, taps = weights.shape[1], weights.shape[0] // groups, weights.shape[-1]
    made = images if operator == "conv2d_input" else results
    if (
        len(images.shape) != 4
        or made.dtype.name != "float32"
        or weights.shape[2:] not in ((3, 3), (5, 5))
        or (*stride, *dilation) != (1, 1, 1, 1)
        or not MIN_CHANNELS <= min(channels, filters) <= max(channels, filters) <= MAX_CHANNELS
        or 0 in (*images.shape, *results.shape)
        or products(made, taps) > MAX_SHARE * made.shape[-2] * made.shape[-1] * taps**2
    ):
        return ""
    return check_algorithm(operator, given[0]) if given else get_convolution_algorithm()


def plan_winograd(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    images: Layout,
    weights: Layout,
    results: Layout,
    steps: Parameters = (),
) -> Plan:
    """Plan a convolution for which `choose_algorithm` returned "fast", and further steps."""
    _, padding, _, groups = parameters[:4]
    channels, filters, taps = weights.shape[1], weights.shape[0] // groups, weights.shape[-1]
    read, made = images, results
    if operator == "conv2d_input":  # itself a convolution, of the results' gradient
        read, made, channels, filters = results, images, filters, channels
        padding = [taps - 1 - before for before in padding]
    geometry = images.shape[0], groups, channels, filters, *read.shape[-2:], *made.shape[-2:], taps, *padding
    struct: Struct = ffi.new(STRUCT, (*geometry, *flags(steps)))
    workspace = lib.facula_complete_winograd(
        struct, operator == "conv2d_weight", 4 << min(LEVELS.index(level()), 2), lib.facula_threads()
    )
    work = images.shape[0] * groups * channels * filters * products(made, taps) * COST
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel_for(f"{operator}_winograd", made.dtype.code).address,
        struct,
        arrays=len(inputs) + 1,
        cost=work / outputs[0].numel,
        workspace=workspace,
    )


def products(made: Layout, taps: int) -> int:
    """Return the number of multiplications for an image of the result, per channel and filter."""
    out = SIDE + 1 - taps
    return -(-made.shape[-2] // out) * -(-made.shape[-1] // out) * SIDE**2
