"""Pooling: the greatest element, or the mean, of each window of an image; functions of images.

Greatest elements are kept by index, so their gradient is put there, and its gradient picked from there. Means of
windows, regular or adaptive, are one linear operator, and its gradient another; each is the other's rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import Layout, contiguous, float32, float64, int64

from .._core.geometry import Pair, hashable
from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.declaration import operator
from .._dispatch.namespaces import recorded_ops
from .._dispatch.view_call import as_tensor, in_row_major
from .pooling_geometry import adaptive_size, avg_geometry, max_geometry
from .widening import INTEGER, whole_means, widened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core.types import Operands, Parameters
    from .._dispatch.namespaces import Namespace

__all__ = ["adaptive_avg_pool2d", "avg_pool2d", "max_pool2d", "max_pool2d_with_indices"]

PARAMETERS = ("geometry", "size")  # the size is that of each plane of the result


def ready(F: Namespace, name: str, operands: Operands, parameters: Parameters) -> Sequence[Tensor] | Tensor | None:
    """The call again, on operands in row-major order and a dtype of the kernel, if any is not; None if all are."""
    dtype = layout_of_tensor(operands[0]).dtype
    if dtype in (float32, float64) or (dtype is int64 and name == "max_pool2d"):
        return in_row_major(F, name, operands, parameters)
    if dtype.category == INTEGER and name == "avg_pool2d":
        return whole_means(F, operands[0], *parameters)
    return widened(F, name, operands, parameters, name, int64 if name == "max_pool2d" else float64)


def planes(layout: Layout, size: Pair) -> Layout:
    """As many planes of the given size."""
    return contiguous((*layout.shape[:-2], *size), layout.dtype, layout.device)


@operator
class _max_pool2d:
    """The greatest element of each window, and its index in the plane."""

    parameters = PARAMETERS
    results = ("out", "indices")
    batching = "leading"

    def decompose(F, operands, parameters):
        return ready(F, "max_pool2d", operands, parameters)

    def outputs(layout, geometry, size):
        made = planes(layout, size)
        return made, made.to_dtype(int64)

    def vjp_input(F, g, indices, input_layout):
        return F.max_pool2d_grad(g, indices, (None, input_layout.shape[-2:]))


@operator
class _max_pool2d_grad:
    """Planes of zeros, with gradients added at indices."""

    inputs = ("input", "indices")
    parameters = PARAMETERS
    batching = "leading"

    def decompose(F, operands, parameters):
        return ready(F, "max_pool2d_grad", operands, parameters)

    def outputs(layout, indices, geometry, size):
        return planes(layout, size)

    def vjp_input(F, g, indices, input_layout):
        return F.max_pool2d_pick(g, indices, (None, input_layout.shape[-2:]))


@operator
class _max_pool2d_pick:
    """The elements at indices in their planes."""

    inputs = ("input", "indices")
    parameters = PARAMETERS
    batching = "leading"

    def decompose(F, operands, parameters):
        return ready(F, "max_pool2d_pick", operands, parameters)

    def outputs(layout, indices, geometry, size):
        return planes(layout, size)

    def vjp_input(F, g, indices, input_layout):
        return F.max_pool2d_grad(g, indices, (None, input_layout.shape[-2:]))


@operator
class _avg_pool2d:
    """The mean of each window."""

    parameters = PARAMETERS
    batching = "leading"

    def decompose(F, operands, parameters):
        return ready(F, "avg_pool2d", operands, parameters)

    def outputs(layout, geometry, size):
        return planes(layout, size)

    def vjp_input(F, g, input_layout, geometry):
        return F.avg_pool2d_grad(g, (geometry, input_layout.shape[-2:]))


@operator
class _avg_pool2d_grad:
    """Each element's share of the windows it is in."""

    parameters = PARAMETERS
    batching = "leading"

    def decompose(F, operands, parameters):
        return ready(F, "avg_pool2d_grad", operands, parameters)

    def outputs(layout, geometry, size):
        return planes(layout, size)

    def vjp_input(F, g, input_layout, geometry):
        return F.avg_pool2d(g, (geometry, input_layout.shape[-2:]))


# --------------------------------------------------------------------------------------------------- public
def max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The greatest element of each window, `kernel_size` elements tall and wide, `stride` (kernel_size) apart.

    A length of the result is (length + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, or rounded up in
    ceil_mode if the last window then starts before the padding. Elements of the padding are never the greatest; the
    first of equal elements is taken; NaN counts as the greatest. ValueError where windows do not fit.

    Arguments:
        input: real numbers (images, channels, height, width), or one image without the first.
        kernel_size: height and width of a window: one number, or two.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements are added at each border; at most half of `kernel_size`.
        dilation: the distance of a window's elements.
        ceil_mode: whether lengths are rounded up.
        return_indices: whether to return the pair (elements, indices), the indices (int64) being into each
            flattened (height, width).

    >>> from facula_tensor import arange
    >>> max_pool2d(arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """
    try:
        shape = layout_of_tensor(as_tensor("max_pool2d", input)).shape
        parameters = max_geometry(
            2,
            shape,
            hashable(kernel_size),
            hashable(stride),
            hashable(padding),
            hashable(dilation),
            hashable(ceil_mode),
        )
        pooled = recorded_ops.max_pool2d(input, parameters)
        return pooled if return_indices else pooled[0]
    except FaculaError as error:
        trim_traceback(error)
        raise


def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> tuple[Tensor, Tensor]:
    """`max_pool2d` with the indices.

    Arguments:
        input: images (N, C, H, W), or one image without N.
        kernel_size: the lengths of a window: one number, or one for each dimension.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements are added at each border; at most half of `kernel_size`.
        dilation: the distance of a window's elements.
        ceil_mode: whether lengths are rounded up.
        return_indices: ignored.

    >>> from facula_tensor import arange
    >>> max_pool2d_with_indices(arange(16.0).reshape(1, 4, 4), 2)[1]
    tensor([[[ 5,  7],
             [13, 15]]])
    """
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)  # type: ignore[return-value]


def avg_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window, `kernel_size` elements tall and wide, `stride` (kernel_size) apart.

    Shapes, padding and ceil_mode are as for `max_pool2d`. Sums are divided by the window's elements, with those in the
    zero padding unless count_include_pad is False; or by divisor_override. Means of integers are cut towards 0.
    ValueError where windows do not fit.

    Arguments:
        input: images (N, C, H, W), or one image without N.
        kernel_size: the lengths of a window: one number, or one for each dimension.
        stride: the distance of windows; `kernel_size` if None.
        padding: how many elements are added at each border; at most half of `kernel_size`.
        ceil_mode: whether lengths are rounded up.
        count_include_pad: whether elements of the padding count in means.
        divisor_override: what sums are divided by, in place of the number of elements.

    >>> from facula_tensor import arange
    >>> avg_pool2d(arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """
    try:
        shape = layout_of_tensor(as_tensor("avg_pool2d", input)).shape
        return recorded_ops.avg_pool2d(
            input,
            avg_geometry(
                2,
                shape,
                hashable(kernel_size),
                hashable(stride),
                hashable(padding),
                hashable(ceil_mode),
                hashable(count_include_pad),
                hashable(divisor_override),
            ),
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """Means of windows that divide an image into `output_size` parts down and across, as evenly as can be.

    input: (images, channels, height, width), or one image without the first. None keeps a length.
    Part i of n covers elements from floor(i length / n) up to ceil((i + 1) length / n).

    >>> from facula_tensor import arange
    >>> adaptive_avg_pool2d(arange(16.0).reshape(1, 4, 4), (1, 2))
    tensor([[[6.5000, 8.5000]]])
    """
    try:
        shape = layout_of_tensor(as_tensor("adaptive_avg_pool2d", input)).shape
        return recorded_ops.avg_pool2d(
            input, (None, adaptive_size("adaptive_avg_pool2d", 2, shape, hashable(output_size)))
        )
    except FaculaError as error:
        trim_traceback(error)
        raise
