"""Window positions over sequences, images and volumes: checked arguments of pooling."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_storage import int64

from ...._core.geometry import is_integer, several
from ...._dispatch.arguments import geometry
from ..convolution_geometry import LENGTHS, WHAT, as_images

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import DType

    from ...._core.types import Lengths

Numbers = tuple[int, ...]


def check_planes(operation: str, dims: int, shape: Numbers) -> None:
    """Check that `shape` is one of nonempty images (sequences, volumes); the number of images may be 0."""
    if len(shape) not in (dims + 1, dims + 2) or not prod(shape[-dims - 1 :]):
        lengths, what = ", ".join(LENGTHS[dims]), WHAT[dims]
        raise ArgumentError(
            f"{operation}: expected input of shape ({what}, channels, {lengths}) or (channels, {lengths}), "
            f"and only {what} may be 0; got {shape}"
        )


def count_windows(
    operation: str, size: Numbers, kernel: Numbers, stride: Numbers, padding: Numbers, dilation: Numbers, ceil: bool
) -> Numbers:
    """Return the number of windows along each dimension; in ceil_mode the last may extend beyond the padding."""
    for before, taps in zip(padding, kernel, strict=True):
        if 2 * before > taps:
            raise ArgumentError(
                f"{operation}: expected padding of at most half the kernel_size {kernel}; got {padding}"
            )
    counts = []
    for length, taps, step, before, gap in zip(size, kernel, stride, padding, dilation, strict=True):
        rest = length + 2 * before - gap * (taps - 1) - 1
        count = rest // step + 1
        if ceil and rest % step and count * step < length + before:  # one more starts before the padding
            count += 1
        if count < 1:
            raise ArgumentError(
                f"{operation}: a window {kernel} with dilation {dilation} does not fit the input {size} with padding "
                f"{padding}; make it smaller, or padding larger"
            )
        if before and any([start % gap >= length for start in range(-before, min(0, count * step - before), step)]):
            raise ArgumentError(
                f"{operation}: a window {kernel} with dilation {dilation} has nothing in it but padding {padding} of "
                f"the input {size}; make padding or dilation smaller"
            )
        counts.append(count)
    return tuple(counts)


def flag(name: str, argument: str, value: object) -> bool:
    """Return `value` after checking that it is True or False."""
    if value not in (True, False):
        raise InvalidTypeError(f"{name}: expected {argument} to be True or False; got {value!r}")
    return bool(value)


def stride_of(name: str, stride: Lengths | None, kernel: Numbers) -> Numbers:
    """Return the stride; the window size if it is omitted: None, or PyTorch's empty tuple."""
    left_out = stride is None or (type(stride) is tuple and not stride)
    return kernel if left_out else several(name, "stride", stride, len(kernel), 1)


@geometry
def max_geometry(
    name: str,
    operands: tuple[tuple[Numbers, DType], ...],
    dims: int,
    kernel_size: Lengths,
    stride: Lengths | None,
    padding: Lengths,
    dilation: Lengths,
    ceil_mode: bool,
) -> tuple[tuple[Numbers, Numbers, Numbers, Numbers], Numbers]:
    """Return the geometry of max pooling and the result's sizes; raise an error if no windows fit.

    Sequences are images of height 1.
    """
    ((shape, _),) = operands
    check_planes(name, dims, shape)
    kernel = several(name, "kernel_size", kernel_size, dims, 1)
    dilation = several(name, "dilation", dilation, dims, 1)
    stride = stride_of(name, stride, kernel)
    padding = several(name, "padding", padding, dims, 0)
    size = count_windows(name, shape[-dims:], kernel, stride, padding, dilation, flag(name, "ceil_mode", ceil_mode))
    windows = as_images(kernel, 1), as_images(stride, 1), as_images(padding, 0), as_images(dilation, 1)
    return windows, as_images(size, 1)


@geometry
def avg_geometry(
    name: str,
    operands: tuple[tuple[Numbers, DType], ...],
    dims: int,
    kernel_size: Lengths,
    stride: Lengths | None,
    padding: Lengths,
    ceil_mode: bool,
    padded: bool,
    divisor: int | None,
) -> tuple[tuple[Numbers, Numbers, Numbers, bool, int | None], Numbers]:
    """Return the geometry of average pooling and the result's sizes."""
    ((shape, _),) = operands
    check_planes(name, dims, shape)
    kernel = several(name, "kernel_size", kernel_size, dims, 1)
    padding = several(name, "padding", padding, dims, 0)
    stride = stride_of(name, stride, kernel)
    if divisor is not None and not (is_integer(divisor) and divisor):
        raise ArgumentError(f"{name}: expected divisor_override to be an int other than 0; got {divisor!r}")
    size = count_windows(name, shape[-dims:], kernel, stride, padding, (1,) * dims, flag(name, "ceil_mode", ceil_mode))
    padded = flag(name, "count_include_pad", padded)
    windows = as_images(kernel, 1), as_images(stride, 1), as_images(padding, 0)
    return (*windows, padded, None if divisor is None else int(divisor)), as_images(size, 1)


@geometry
def adaptive_geometry(
    name: str, operands: tuple[tuple[Numbers, DType], ...], dims: int, output_size: Lengths
) -> tuple[None, Numbers]:
    """Return the same for windows that divide planes evenly into `output_size` parts; None keeps a length."""
    ((shape, _),) = operands
    check_planes(name, dims, shape)
    lengths = output_size if isinstance(output_size, tuple) else (output_size,) * dims
    if len(lengths) == dims:
        lengths = tuple([length if wish is None else wish for wish, length in zip(lengths, shape[-dims:], strict=True)])
    return None, as_images(several(name, "output_size", lengths, dims, 0), 1)


@geometry
def unpooled_size(
    name: str,
    operands: tuple[tuple[Numbers, DType], ...],
    dims: int,
    kernel_size: Lengths,
    stride: Lengths | None,
    padding: Lengths,
    output_size: Sequence[int] | None,
) -> Numbers:
    """Return the lengths before pooling; raise an error unless elements and indices can result from it."""
    (shape, _), (places, dtype) = operands
    kernel = several(name, "kernel_size", kernel_size, dims, 1)
    step, padding = stride_of(name, stride, kernel), several(name, "padding", padding, dims, 0)
    if len(shape) not in (dims + 1, dims + 2) or not prod(shape[-dims - 1 :]):
        raise ArgumentError(
            f"{name}: expected input of {dims + 1} or {dims + 2} dimensions with elements; got shape {shape}"
        )
    if dtype is not int64:
        raise DTypeError(f"{name}: expected indices to be int64; got {dtype.name} {places}")
    if places != shape:
        raise ArgumentError(f"{name}: expected indices of the input's shape {shape}; got {places}")
    size = tuple([
        (count - 1) * stride - 2 * before + taps
        for count, stride, before, taps in zip(shape[-dims:], step, padding, kernel, strict=True)
    ])  # fmt: skip
    if output_size is not None:
        wished = tuple(output_size)
        if len(wished) not in (dims, dims + 1, dims + 2):
            raise ArgumentError(f"{name}: expected output_size of {dims} lengths; got {wished}")
        wished = several(name, "output_size", wished[-dims:], dims, 1)
        if not all([abs(wish - usual) < stride for wish, usual, stride in zip(wished, size, step, strict=True)]):
            raise ArgumentError(f"{name}: expected output_size less than stride {step} from {size}; got {wished}")
        size = wished
    if min(size) < 1:
        raise ArgumentError(f"{name}: input {shape} with padding {padding} leaves {size}; make padding smaller")
    return size
