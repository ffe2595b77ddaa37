"""Planners of `conv2d` and its derivatives, `conv2d_input` and `conv2d_weight`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from facula_storage import Plan, contiguous

from .._kernels import ffi, lib
from .._runtime.planners import bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from facula_storage import Layout

    from .._runtime.types import Layouts, Parameters, Struct

PATCHES = 1 << 18  # bytes of a block's patches, which fit in the L2 cache
COLUMNS, LEAST_COLUMNS = 208, 64  # taps whose patches are in memory at once
LEAST_TASKS = 4
PACKED_FROM = 6  # elements of a band per element that a weight uses, below which the band is packed
MULTIPLY_COST = 10  # picoseconds
BFLOAT16 = 8
STRUCT = ffi.typeof("struct facula_convolution *")


class Sizes(NamedTuple):
    """The geometry of a convolution; `channels` and `filters` are those of one group.

    A volume is treated as one image per output plane, with a channel for each input plane under the filter.
    """

    images: int
    groups: int
    channels: int
    filters: int
    height: int
    width: int
    out_height: int
    out_width: int
    kernel_height: int
    kernel_width: int

    @property
    def taps(self) -> int:
        """The number of weights of a filter."""
        return self.channels * self.kernel_height * self.kernel_width


@planner("conv2d", "conv2d_input", "conv2d_then", "conv2d_weight")
def plan_convolution(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan convolutions of row-major arrays, float32 or float64: of images or of volumes; in bfloat16, of products.

    Parameters: stride, padding (above, left), dilation, groups, and the output's shape; all except groups are pairs, or
    triples for volumes. Plans from files have an algorithm of `choose_algorithm` as well.

    conv2d maps images, weights and a bias (or None) to results. conv2d_input maps the results' gradient and weights to
    the images' gradient. conv2d_weight maps the results' gradient and images to the weights' gradient.

    conv2d_then is conv2d with further steps, which a parameter after the shape names: ("batch_norm", epsilon) with
    running statistics, "max_pool2d" of 2 x 2 results, and "relu". Weights, biases (which may be None), means and
    variances of batch_norm follow the bias. The results are those of separate launches. Not all kernels support it.
    """
    from .winograd import choose_algorithm, plan_winograd  # `import facula` does not load it

    steps: Parameters = ()
    if operator == "conv2d_then":
        steps = parameters[5]
        parameters = *parameters[:5], *parameters[6:]
    code = outputs[0].dtype.code
    half = code == BFLOAT16 and operator != "conv2d_weight"  # which may be a product
    if (find_kernel("conv2d" if steps else operator, code) is None and not half) or not all(
        layout.dtype.code == code and layout.is_contiguous for layout in (*inputs, *outputs) if layout
    ):
        raise no_kernel(operator, inputs, outputs)
    if operator == "conv2d":
        images, weights, results = inputs[0], inputs[1], outputs[0]
    elif operator == "conv2d_then":
        images, weights = inputs[:2]
        results = contiguous((*outputs[0].shape[:2], *parameters[4]), outputs[0].dtype, outputs[0].device)
    elif operator == "conv2d_input":
        images, weights, results = outputs[0], inputs[1], inputs[0]
    else:
        images, weights, results = inputs[1], outputs[0], inputs[0]
    algorithm = choose_algorithm(operator, parameters, images, weights, results)
    make = plan_winograd if algorithm == "fast" else plan_direct
    named = "conv2d" if steps else operator
    plan = make(named, inputs, outputs, parameters, images, weights, results, steps)
    if steps:
        plan.operator, plan.parameters = operator, (*parameters[:5], steps)
    if algorithm:  # files contain the choice
        plan.request = operator, inputs, (*plan.parameters[: 6 if steps else 5], algorithm)
    return plan


def plan_direct(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    images: Layout,
    weights: Layout,
    results: Layout,
    steps: Parameters = (),
) -> Plan:
    """Plan convolutions as products of matrices: see Note [Convolution]. Those of few channels may have steps."""
    stride, padding, dilation, groups = parameters[:4]
    code = outputs[0].dtype.code
    in_volumes = len(images.shape) == 5
    shapes = images.shape, weights.shape, results.shape
    if operator != "conv2d_weight":
        from .pointwise import plan_pointwise  # `import facula` does not load these modules

        plan = plan_pointwise(operator, inputs, outputs, parameters, *shapes)
        if plan is not None and not steps:
            return plan
    if code == BFLOAT16 or (steps and plan is not None):
        raise no_kernel("conv2d_then" if steps else operator, inputs, outputs)
    kernel = kernel_for(operator, code)
    if not in_volumes:
        from .depthwise import plan_depthwise
        from .shallow import plan_shallow

        plan = plan_shallow(operator, inputs, outputs, parameters, images, weights, results, steps)
        if plan is None and weights.shape[1] == 1:
            plan = plan_depthwise(operator, inputs, outputs, parameters, *shapes, steps)
        if plan is not None:
            return plan
    if steps:
        raise no_kernel("conv2d_then", inputs, outputs)
    deep: tuple[int, ...] = 1, 1, 1, 1, 1, 0
    if in_volumes:
        deep = images.shape[2], results.shape[2], weights.shape[2], stride[0], dilation[0], padding[0]
        stride, padding, dilation = stride[1:], padding[1:], dilation[1:]
    sizes = Sizes(
        images.shape[0] * deep[1], groups, weights.shape[1] * deep[2], weights.shape[0] // groups, *images.shape[-2:],
        *results.shape[-2:], *weights.shape[-2:],
    )  # fmt: skip

    size, weighs, back = outputs[0].dtype.itemsize, operator == "conv2d_weight", operator == "conv2d_input"
    block_images, block_lines = cut(sizes, size, 1 if weighs or back else LEAST_TASKS)
    if in_volumes:  # blocks of which use only one of them
        block_images = next(count for count in range(min(block_images, deep[1]), 0, -1) if deep[1] % count == 0)
    full = block_images * block_lines * sizes.out_width
    packed_rows, rows, *in_rows = band(block_lines, sizes.kernel_height, stride[0], dilation[0])
    packed_columns, columns, *in_columns = band(sizes.out_width, sizes.kernel_width, stride[1], dilation[1])
    least, step = (1, 1) if operator == "conv2d" else (LEAST_TASKS, sizes.kernel_height * deep[2] if back else 1)
    part_rows = share(sizes, full * size, least, step)
    part_taps = part_rows * sizes.kernel_width
    channels = -(-(part_rows - 1) // sizes.kernel_height) + 1
    if part_rows % sizes.kernel_height == 0:
        channels = part_rows // sizes.kernel_height
    parts = -(-sizes.channels * sizes.kernel_height // part_rows)
    tasks = parts if weighs else -(-sizes.images // block_images) * -(-sizes.out_height // block_lines)
    if back:
        tasks = parts * (images.shape[0] if in_volumes else -(-sizes.images // block_images))
    work = sizes.images * groups * sizes.filters * sizes.taps * sizes.out_height * sizes.out_width * MULTIPLY_COST

    struct: Struct = ffi.new(STRUCT, sizes._asdict())
    struct.in_volumes = in_volumes
    struct.depth, struct.out_depth, struct.kernel_depth, struct.depth_stride, struct.depth_dilation, struct.front = deep
    struct.row_stride, struct.column_stride = stride
    struct.row_dilation, struct.column_dilation = dilation
    struct.packed_rows, struct.packed_columns = packed_rows, packed_columns
    struct.band_row_stride, struct.band_row_dilation = in_rows
    struct.band_column_stride, struct.band_column_dilation = in_columns
    struct.top, struct.left = padding
    struct.block_images, struct.block_lines = block_images, block_lines
    struct.tasks, struct.part_rows = tasks, part_rows
    # The product: left (m x k) times packed (k x n).
    m, n, k = sizes.filters, full, part_taps
    if weighs:
        n, k = part_taps, full
    elif back:
        m, k = part_taps, sizes.filters
    struct.band_bytes = whole(channels * block_images * rows * columns * size)
    struct.patches_bytes = whole(part_taps * full * size)
    struct.product_bytes = 0 if weighs or block_images == 1 else whole(sizes.filters * full * size)
    struct.left_bytes = whole((m if back else min(m, lib.FACULA_CONVOLUTION_ROWS)) * (k * size + 64))
    struct.packed_bytes = whole(k * (n + 64) * size)
    struct.pack = ffi.cast("facula_pack_b", kernel_for("pack_b", code).address)
    struct.multiply_packed = ffi.cast("facula_multiply_packed", kernel_for("multiply_packed", code).address)
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=len(inputs) + 1,
        cost=work / max(outputs[0].numel, 1),
        workspace=lib.facula_complete_convolution(struct, lib.facula_threads()),
    )


def whole(nbytes: int) -> int:
    """Round bytes up to whole cache lines."""
    return -(-nbytes // 64) * 64


def band(out: int, kernel: int, stride: int, dilation: int) -> tuple[bool, int, int, int]:
    """Return whether a block's band is packed along one dimension, its length, and its strides and dilations.

    Packing copies elements one by one, so it needs more reuse to be worthwhile.

    >>> band(8, 3, 1, 1), band(8, 1, 2, 1), band(3, 3, 1000, 999)
    ((False, 10, 1, 1), (False, 15, 2, 1), (True, 9, 3, 1))
    """
    length = (out - 1) * stride + (kernel - 1) * dilation + 1
    if length > PACKED_FROM * out * kernel:
        return True, out * kernel, kernel, 1
    return False, length, stride, dilation


def cut(sizes: Sizes, itemsize: int, least: int) -> tuple[int, int]:
    """Return a block: all lines of some images, or some lines of one. Depends on shapes only: see Note [Convolution].

    There are at least `least` blocks if there are so many images.

    >>> cut(Sizes(32, 1, 512, 512, 7, 7, 7, 7, 3, 3), 4, 4), cut(Sizes(1, 1, 64, 64, 99, 99, 99, 99, 3, 3), 4, 4)
    ((6, 7), (1, 3))
    """
    pixels = max(1, PATCHES // (COLUMNS * itemsize))
    image = sizes.out_height * sizes.out_width
    if image > pixels:
        blocks = -(-sizes.out_height // max(1, pixels // sizes.out_width))
        return 1, -(-sizes.out_height // blocks)
    blocks = max(1, -(-sizes.images // (pixels // image)), min(sizes.images, least))
    return max(1, -(-sizes.images // blocks)), sizes.out_height


def share(sizes: Sizes, nbytes: int, least: int, step: int) -> int:
    """Return the rows of kernels that are processed at once, a multiple of `step`.

    A weight has patches of `nbytes`. There are at least `least` parts if each has enough columns.

    >>> sizes = Sizes(8, 1, 512, 512, 7, 7, 7, 7, 3, 3)
    >>> share(sizes, 1176, 1, 3), share(sizes._replace(channels=3), 1176, 4, 1)
    (69, 9)
    """
    rows = sizes.channels * sizes.kernel_height
    columns = max(1, min(COLUMNS, 4 * PATCHES // max(nbytes, 1)))
    parts = max(-(-rows * sizes.kernel_width // columns),
                min(-(-least // sizes.groups), rows * sizes.kernel_width // LEAST_COLUMNS), 1)  # fmt: skip
    each = -(-rows // parts)
    if step == 1 and each >= 16:
        step = 16  # complete vectors
    return max(1, min(-(-each // step) * step, rows))
