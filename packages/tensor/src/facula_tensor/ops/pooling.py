"""Pooling: the greatest element, or the mean, of each window of an image.

Greatest elements are kept by index, so their gradient is put there, and its gradient picked from there. Means of
windows, regular or adaptive, are one linear operator, and its gradient another; each is the other's rule.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import Layout, contiguous, float32, float64, int64

from .._declare import operator
from .._errors import ArgumentError, DTypeError
from .._geometry import Pair, hashable, is_integer, pair
from .._operator import recording
from .._tensor import Tensor, layout_of_tensor
from .._viewing import as_tensor, in_row_major

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["adaptive_avg_pool2d", "avg_pool2d", "max_pool2d"]

PARAMETERS = ("geometry", "size")  # the size is that of each plane of the result


def ready(F: Any, name: str, operands: tuple, parameters: tuple) -> Any:
    """The call again, on operands in row-major order, if any is not; None if all are."""
    dtype = layout_of_tensor(operands[0]).dtype
    if dtype not in (float32, float64):
        raise DTypeError(f"{name}: defined for float32 and float64; got {dtype.name}; convert with .float()")
    return in_row_major(F, name, operands, parameters)


def planes(layout: Layout, size: Pair) -> Layout:
    """As many planes of the given size."""
    return contiguous((*layout.shape[:-2], *size), layout.dtype, layout.device)


@operator
class _max_pool2d:
    """The greatest element of each window, and its index in the plane."""

    parameters = PARAMETERS
    results = ("out", "indices")

    def redirect(F, operands, parameters):
        return ready(F, "max_pool2d", operands, parameters)

    def outputs(layout, geometry, size):
        made = planes(layout, size)
        return made, made.to_dtype(int64)

    def reverse_input(F, g, indices, input_layout):
        return F.max_pool2d_grad(g, indices, (None, input_layout.shape[-2:]))


@operator
class _max_pool2d_grad:
    """Planes of zeros, with gradients added at indices."""

    inputs = ("input", "indices")
    parameters = PARAMETERS

    def redirect(F, operands, parameters):
        return ready(F, "max_pool2d_grad", operands, parameters)

    def outputs(layout, indices, geometry, size):
        return planes(layout, size)

    def reverse_input(F, g, indices, input_layout):
        return F.max_pool2d_pick(g, indices, (None, input_layout.shape[-2:]))


@operator
class _max_pool2d_pick:
    """The elements at indices in their planes."""

    inputs = ("input", "indices")
    parameters = PARAMETERS

    def redirect(F, operands, parameters):
        return ready(F, "max_pool2d_pick", operands, parameters)

    def outputs(layout, indices, geometry, size):
        return planes(layout, size)

    def reverse_input(F, g, indices, input_layout):
        return F.max_pool2d_grad(g, indices, (None, input_layout.shape[-2:]))


@operator
class _avg_pool2d:
    """The mean of each window."""

    parameters = PARAMETERS

    def redirect(F, operands, parameters):
        return ready(F, "avg_pool2d", operands, parameters)

    def outputs(layout, geometry, size):
        return planes(layout, size)

    def reverse_input(F, g, input_layout, geometry):
        return F.avg_pool2d_grad(g, (geometry, input_layout.shape[-2:]))


@operator
class _avg_pool2d_grad:
    """Each element's share of the windows it is in."""

    parameters = PARAMETERS

    def redirect(F, operands, parameters):
        return ready(F, "avg_pool2d_grad", operands, parameters)

    def outputs(layout, geometry, size):
        return planes(layout, size)

    def reverse_input(F, g, input_layout, geometry):
        return F.avg_pool2d(g, (geometry, input_layout.shape[-2:]))


# ------------------------------------------------------------------------------------------------ geometry
def check_images(operation: str, shape: tuple[int, ...]) -> None:
    """Raise unless `shape` is one of images with elements; there may be no images."""
    if len(shape) not in (3, 4) or not prod(shape[-3:]):
        raise ArgumentError(
            f"{operation}: expected input of shape (images, channels, height, width) or (channels, height, width), "
            f"and only images may be 0; got {shape}"
        )


def count_windows(
    operation: str, shape: tuple[int, ...], kernel: Pair, stride: Pair, padding: Pair, dilation: Pair, ceil_mode: bool
) -> Pair:
    """How many windows there are down and across; in `ceil_mode` the last may reach beyond the padding."""
    if 2 * padding[0] > kernel[0] or 2 * padding[1] > kernel[1]:
        raise ArgumentError(f"{operation}: expected padding of at most half the kernel_size {kernel}; got {padding}")
    size = shape[-2:]
    counts = []
    for length, taps, step, before, gap in zip(size, kernel, stride, padding, dilation, strict=True):
        rest = length + 2 * before - gap * (taps - 1) - 1
        count = rest // step + 1
        if ceil_mode and rest % step and count * step < length + before:  # one more that starts before the padding
            count += 1
        if count < 1:
            raise ArgumentError(
                f"{operation}: a window {kernel} with dilation {dilation} does not fit the input {size} with padding "
                f"{padding}; make it smaller, or padding larger"
            )
        if any(start % gap >= length for start in range(-before, min(0, count * step - before), step)):
            raise ArgumentError(
                f"{operation}: a window {kernel} with dilation {dilation} has nothing in it but padding {padding} of "
                f"the input {size}; make padding or dilation smaller"
            )
        counts.append(count)
    return counts[0], counts[1]


def stride_of(name: str, stride: Any, kernel: Pair) -> Pair:
    """The stride, which is the window where it is left out: None, or PyTorch's empty tuple."""
    return kernel if stride is None or (type(stride) is tuple and not stride) else pair(name, "stride", stride, 1)


@lru_cache(maxsize=1024, typed=True)
def max_parameters(
    shape: tuple[int, ...], kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> tuple:
    """The operator's parameters; raises where these make no windows."""
    name = "max_pool2d"
    check_images(name, shape)
    kernel, dilation = pair(name, "kernel_size", kernel_size, 1), pair(name, "dilation", dilation, 1)
    stride = stride_of(name, stride, kernel)
    padding = pair(name, "padding", padding, 0)
    return (kernel, stride, padding, dilation), count_windows(
        name, shape, kernel, stride, padding, dilation, bool(ceil_mode)
    )


@lru_cache(maxsize=1024, typed=True)
def avg_parameters(
    shape: tuple[int, ...], kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, padded: bool, divisor: Any
) -> tuple:
    """The same for means."""
    name = "avg_pool2d"
    check_images(name, shape)
    kernel, padding = pair(name, "kernel_size", kernel_size, 1), pair(name, "padding", padding, 0)
    stride = stride_of(name, stride, kernel)
    if divisor is not None and not (is_integer(divisor) and divisor):
        raise ArgumentError(f"{name}: expected divisor_override to be an int other than 0; got {divisor!r}")
    size = count_windows(name, shape, kernel, stride, padding, (1, 1), bool(ceil_mode))
    return (kernel, stride, padding, bool(padded), None if divisor is None else int(divisor)), size


@lru_cache(maxsize=1024, typed=True)
def adaptive_parameters(shape: tuple[int, ...], output_size: Any) -> tuple:
    """The same for windows that are found to give a size."""
    name = "adaptive_avg_pool2d"
    check_images(name, shape)
    both = output_size if isinstance(output_size, tuple) else (output_size, output_size)
    if len(both) == 2:
        both = tuple([length if wish is None else wish for wish, length in zip(both, shape[-2:], strict=True)])
    return None, pair(name, "output_size", both, 0)


# --------------------------------------------------------------------------------------------------- public
def max_pool2d(
    input: Tensor,
    kernel_size: int | Sequence[int],
    stride: int | Sequence[int] | None = None,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The greatest element of each window, `kernel_size` elements tall and wide, `stride` (kernel_size) apart.

    input: (images, channels, height, width), or one image without the first; float32 or float64. Numbers for height
    and width may differ: give two. padding: elements on each side that are never the greatest, at most half the
    kernel_size. dilation: the distance between a window's elements. Returns (images, channels, out height, out width),
    where a length is (length + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, or rounded up in ceil_mode if
    the last window then starts before the padding. With return_indices the pair (elements, indices): int64, into each
    flattened (height, width). The first of equal elements is taken; NaN counts as the greatest. ValueError where
    windows do not fit.

    >>> from facula_tensor import arange
    >>> max_pool2d(arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """
    try:
        shape = layout_of_tensor(as_tensor("max_pool2d", input)).shape
        parameters = max_parameters(
            shape, hashable(kernel_size), hashable(stride), hashable(padding), hashable(dilation), ceil_mode
        )
        pooled = recording.max_pool2d(input, parameters)
        return pooled if return_indices else pooled[0]
    except FaculaError as error:
        trim_traceback(error)
        raise


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
    zero padding unless count_include_pad is False; or by divisor_override. ValueError where windows do not fit.

    >>> from facula_tensor import arange
    >>> avg_pool2d(arange(16.0).reshape(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """
    try:
        shape = layout_of_tensor(as_tensor("avg_pool2d", input)).shape
        return recording.avg_pool2d(
            input,
            avg_parameters(
                shape,
                hashable(kernel_size),
                hashable(stride),
                hashable(padding),
                ceil_mode,
                count_include_pad,
                hashable(divisor_override),
            ),
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """Means of windows that divide an image into `output_size` parts down and across, as evenly as can be.

    input: (images, channels, height, width), or one image without the first; float32 or float64. None keeps a length.
    Part i of n covers elements from floor(i length / n) up to ceil((i + 1) length / n).

    >>> from facula_tensor import arange
    >>> adaptive_avg_pool2d(arange(16.0).reshape(1, 4, 4), (1, 2))
    tensor([[[6.5000, 8.5000]]])
    """
    try:
        shape = layout_of_tensor(as_tensor("adaptive_avg_pool2d", input)).shape
        return recording.avg_pool2d(input, adaptive_parameters(shape, hashable(output_size)))
    except FaculaError as error:
        trim_traceback(error)
        raise
