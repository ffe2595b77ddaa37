"""Plans of convolutions with one channel in each group; see Note [Depthwise] in depthwise.inc."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._kernels import ffi, lib
from .._runtime.planners import GRAIN, SERIAL, bound_plan
from .._runtime.registry import kernel_for

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters, Struct

VECTOR = 64  # bytes of the longest one
NARROWEST = 32  # columns of a block
MULTIPLY_COST, ELEMENT_COST = 20, 150  # picoseconds of a multiply-add, and of an element of each array


class Axis(NamedTuple):
    """Rows or columns: lengths of images, of results and of the kernel, with the distances between elements."""

    length: int
    out: int
    kernel: int
    stride: int
    dilation: int
    padding: int

    def band(self, block: int, back: bool) -> int:
        """Return how many elements a block of results reads, or (`back`) a block of the images' gradient.

        >>> Axis(9, 9, 3, 1, 1, 1).band(9, back=False), Axis(9, 5, 3, 2, 1, 1).band(9, back=True)
        (11, 6)
        """
        reach = (self.kernel - 1) * self.dilation
        if back:
            return (block - 1 + self.padding) // self.stride - (self.padding - reach) // self.stride + 1
        return (block - 1) * self.stride + reach + 1


def flags(steps: Parameters) -> tuple[bool, bool, bool, float]:
    """Return whether the steps after a convolution include maxima of 2 x 2 results, relu, and batch normalization.

    The last number is the epsilon of the latter.

    >>> flags(("max_pool2d",)), flags((("batch_norm", 1e-05), "relu"))
    ((True, False, False, 0.0), (False, True, True, 1e-05))
    """
    normalized = bool(steps) and not isinstance(steps[0], str)
    return "max_pool2d" in steps, "relu" in steps, normalized, steps[0][1] if normalized else 0.0


def set_axes(struct: Struct, rows: Axis, columns: Axis) -> None:
    """Set the lengths and distances of a convolution's plan."""
    struct.height, struct.out_height, struct.kernel_height = rows[:3]
    struct.width, struct.out_width, struct.kernel_width = columns[:3]
    struct.row_stride, struct.row_dilation, struct.top = rows[3:]
    struct.column_stride, struct.column_dilation, struct.left = columns[3:]


def plan_depthwise(
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

    Return None unless the kernels support it.
    """
    stride, padding, dilation, groups = parameters[:4]
    rows, columns = (
        Axis(images[k], results[k], weights[k], stride[k - 2], dilation[k - 2], padding[k - 2]) for k in (2, 3)
    )
    filters, taps, size = weights[0] // groups, weights[2] * weights[3], outputs[0].dtype.itemsize
    back = operator == "conv2d_input"
    if taps * (1 if operator == "conv2d" else filters) > lib.FACULA_DEPTHWISE_TAPS or {*stride} - {1, 2}:
        return None
    block = cut(rows, columns, filters if back else 1, size, back)
    if block is None:
        return None
    if steps:  # by lines
        if block[1] < columns.out or 8 * columns.out * size > lib.FACULA_DEPTHWISE_LINES or block[0] < 2 <= rows.out:
            return None
        block = block[0] if block[0] >= rows.out else block[0] // 2 * 2, block[1]

    kernel = kernel_for(operator.replace("conv2d", "depthwise"), outputs[0].dtype.code)
    of_plane = rows.out * columns.out * filters
    work = taps * of_plane * MULTIPLY_COST + (of_plane + rows.length * columns.length) * ELEMENT_COST
    struct: Struct = ffi.new("struct facula_depthwise *")
    struct.images, struct.groups, struct.filters = images[0], groups, filters
    set_axes(struct, rows, columns)
    struct.block_rows, struct.block_columns = block
    struct.pooled, struct.rectified, struct.normalized, struct.epsilon = flags(steps)
    struct.serial = work * images[0] * groups <= SERIAL
    if operator == "conv2d_weight":
        struct.group = max(1, min(lib.FACULA_DEPTHWISE_SUMS // (filters * taps), GRAIN // (work * images[0] or 1)))
    else:
        struct.group = max(1, GRAIN // (work or 1))
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=len(inputs) + 1,
        cost=work * images[0] * groups / max(outputs[0].numel, 1),
    )


def cut(rows: Axis, columns: Axis, planes: int, itemsize: int, back: bool) -> tuple[int, int] | None:
    """Return the rows and columns of a block whose bands of so many planes fit into the buffer; None if none do.

    >>> axis = Axis(56, 56, 3, 1, 1, 1)
    >>> cut(axis, axis, 1, 4, back=False), cut(axis, axis, 1, 8, back=False)
    ((56, 56), (28, 56))
    """
    steps = (rows.stride, columns.stride) if back else (1, 1)
    phases = 1 if back else columns.stride
    height, width = (whole(axis.length if back else axis.out, step) for axis, step in zip((rows, columns), steps))
    while True:
        pitch = phases * (-(-columns.band(width, back) // phases) * itemsize + VECTOR) * planes
        fitting = lib.FACULA_DEPTHWISE_BAND // pitch - rows.band(steps[0], back)  # rows of a band beyond the first
        if fitting >= 0:
            most = steps[0] + fitting * steps[0] // (1 if back else rows.stride)
            return whole(-(-height // max(1, -(-height // most))), steps[0]), width
        if width < 2 * NARROWEST:
            return None
        width = whole(-(-width // 2), steps[1])


def whole(length: int, step: int) -> int:
    """Round a length up to a multiple of a step."""
    return -(-length // step) * step
