"""Plans of convolutions of few channels: see Note [Shallow] in csrc/convolution/shallow.inc."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from facula_storage import Plan
from facula_storage.extend.plans import workspace_of

from .._kernels import lib
from .._runtime.planners import shaped_launches
from .._runtime.registry import kernel_for
from .depthwise import flags
from .winograd import MIN_CHANNELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import Layout

    from .._runtime.types import ForLayouts, Layouts, Parameters

MAX_CHANNELS = 32
BAND = 96 << 10  # bytes of a band, which should stay in a cache close to the core
KINDS = {
    "conv2d": lib.FACULA_SHALLOW_RESULTS, "conv2d_input": lib.FACULA_SHALLOW_INPUT,
    "conv2d_weight": lib.FACULA_SHALLOW_WEIGHTS,
}  # fmt: skip
LEAST_USED, LEAST_USED_FOR_WEIGHTS = 0.6, 0.75  # of the lanes of vectors


def plan_shallow(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    images: Layout,
    weights: Layout,
    results: Layout,
    steps: Parameters = (),
) -> Plan | None:
    """Plan a convolution of two dimensions and further steps, or a derivative, from these layouts.

    Return None if there are many channels or large strides, or if most lanes of vectors would be empty.
    """
    weighs = operator == "conv2d_weight"
    limits = BAND, MAX_CHANNELS, LEAST_USED_FOR_WEIGHTS if weighs else LEAST_USED
    kernel = kernel_for(f"{operator}_shallow", outputs[0].dtype.code)  # another one at each level
    kind, size = KINDS[operator], outputs[0].dtype.itemsize
    launches = launches_of(kernel.address, kind, size, len(inputs) + 1, parameters[:4], steps, limits)
    launch = launches(results, images, weights) if operator == "conv2d" else launches(*outputs, *inputs)
    if launch is None:
        return None
    for_layouts = None if steps else partial(launch_shallow, launches, 0 if weighs else 2, parameters[3])
    return Plan(operator, parameters, outputs, launch, workspace_of(launch), for_layouts=for_layouts)


def launch_shallow(launches: ForLayouts, place: int, groups: int, *arrays: Layout) -> Callable[..., None] | None:
    """Return the launch for other layouts; None if another algorithm may be faster, or if none is worthwhile.

    Arguments:
        launches: a result of `launches_of`.
        place: the place of the weights among the arrays.
        groups: the groups of the convolution.
        arrays: results, then operands.
    """
    filters, channels, *kernel = arrays[place].shape
    if kernel == [1, 1] or min(channels, filters // groups) >= MIN_CHANNELS:
        return None
    return launches(*arrays)


@lru_cache(maxsize=1024)
def launches_of(
    kernel: int, kind: int, size: int, arrays: int, geometry: Parameters, steps: Parameters,
    limits: tuple[int, int, float],
) -> ForLayouts:  # fmt: skip
    """Return `for_layouts` of convolutions with this stride, padding, dilation and groups, and further steps."""
    pooled, rectified, normalized, epsilon = flags(steps)
    stride, padding, dilation, groups = geometry
    band, channels, least_used = limits
    return shaped_launches(
        kernel, "shallow_shape", "facula_shallow", arrays,
        option=kind, itemsize=size, dim=groups, geometry=[0, 0, *stride, *padding, *dilation],
        sizes=[band, channels], number=least_used, flag=pooled, backwards=rectified, root=normalized, epsilon=epsilon,
    )  # fmt: skip
