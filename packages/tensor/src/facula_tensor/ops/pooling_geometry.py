"""Places of windows over sequences, images and volumes: the arguments of pooling, checked."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidTypeError

from .._core.geometry import is_integer, several
from .convolution_geometry import LENGTHS, WHAT

if TYPE_CHECKING:
    from .._core.types import Lengths

__all__: list[str] = []

Numbers = tuple[int, ...]


def check_planes(operation: str, dims: int, shape: Numbers) -> None:
    """Raise unless `shape` is one of images (sequences, volumes) with elements; there may be no images."""
    if len(shape) not in (dims + 1, dims + 2) or not prod(shape[-dims - 1 :]):
        lengths, what = ", ".join(LENGTHS[dims]), WHAT[dims]
        raise ArgumentError(
            f"{operation}: expected input of shape ({what}, channels, {lengths}) or (channels, {lengths}), "
            f"and only {what} may be 0; got {shape}"
        )


def count_windows(
    operation: str, size: Numbers, kernel: Numbers, stride: Numbers, padding: Numbers, dilation: Numbers, ceil: bool
) -> Numbers:
    """The number of windows along each dimension; in ceil_mode the last may reach beyond the padding."""
    if any([2 * before > taps for before, taps in zip(padding, kernel, strict=True)]):
        raise ArgumentError(f"{operation}: expected padding of at most half the kernel_size {kernel}; got {padding}")
    counts = []
    for length, taps, step, before, gap in zip(size, kernel, stride, padding, dilation, strict=True):
        rest = length + 2 * before - gap * (taps - 1) - 1
        count = rest // step + 1
        if ceil and rest % step and count * step < length + before:  # one more that starts before the padding
            count += 1
        if count < 1:
            raise ArgumentError(
                f"{operation}: a window {kernel} with dilation {dilation} does not fit the input {size} with padding "
                f"{padding}; make it smaller, or padding larger"
            )
        if any([start % gap >= length for start in range(-before, min(0, count * step - before), step)]):
            raise ArgumentError(
                f"{operation}: a window {kernel} with dilation {dilation} has nothing in it but padding {padding} of "
                f"the input {size}; make padding or dilation smaller"
            )
        counts.append(count)
    return tuple(counts)


def flag(name: str, argument: str, value: object) -> bool:
    """`value`, True or False."""
    if value not in (True, False):
        raise InvalidTypeError(f"{name}: expected {argument} to be True or False; got {value!r}")
    return bool(value)


def stride_of(name: str, stride: Lengths | None, kernel: Numbers) -> Numbers:
    """The stride, which is the window where it is left out: None, or PyTorch's empty tuple."""
    left_out = stride is None or (type(stride) is tuple and not stride)
    return kernel if left_out else several(name, "stride", stride, len(kernel), 1)


@lru_cache(maxsize=1024, typed=True)
def max_geometry(
    dims: int,
    shape: Numbers,
    kernel_size: Lengths,
    stride: Lengths | None,
    padding: Lengths,
    dilation: Lengths,
    ceil_mode: bool,
) -> tuple[tuple[Numbers, Numbers, Numbers, Numbers], Numbers]:
    """The geometry for greatest elements, and the sizes that come out; raises where there are no windows."""
    name = f"max_pool{dims}d"
    check_planes(name, dims, shape)
    kernel = several(name, "kernel_size", kernel_size, dims, 1)
    dilation = several(name, "dilation", dilation, dims, 1)
    stride = stride_of(name, stride, kernel)
    padding = several(name, "padding", padding, dims, 0)
    return (kernel, stride, padding, dilation), count_windows(
        name, shape[-dims:], kernel, stride, padding, dilation, flag(name, "ceil_mode", ceil_mode)
    )


@lru_cache(maxsize=1024, typed=True)
def avg_geometry(
    dims: int,
    shape: Numbers,
    kernel_size: Lengths,
    stride: Lengths | None,
    padding: Lengths,
    ceil_mode: bool,
    padded: bool,
    divisor: int | None,
) -> tuple[tuple[Numbers, Numbers, Numbers, bool, int | None], Numbers]:
    """The same for means."""
    name = f"avg_pool{dims}d"
    check_planes(name, dims, shape)
    kernel = several(name, "kernel_size", kernel_size, dims, 1)
    padding = several(name, "padding", padding, dims, 0)
    stride = stride_of(name, stride, kernel)
    if divisor is not None and not (is_integer(divisor) and divisor):
        raise ArgumentError(f"{name}: expected divisor_override to be an int other than 0; got {divisor!r}")
    size = count_windows(name, shape[-dims:], kernel, stride, padding, (1,) * dims, flag(name, "ceil_mode", ceil_mode))
    padded = flag(name, "count_include_pad", padded)
    return (kernel, stride, padding, padded, None if divisor is None else int(divisor)), size


@lru_cache(maxsize=1024, typed=True)
def adaptive_size(name: str, dims: int, shape: Numbers, output_size: Lengths) -> Numbers:
    """The lengths of what windows that divide planes evenly make; None keeps a length."""
    check_planes(name, dims, shape)
    each = output_size if isinstance(output_size, tuple) else (output_size,) * dims
    if len(each) == dims:
        each = tuple([length if wish is None else wish for wish, length in zip(each, shape[-dims:], strict=True)])
    return several(name, "output_size", each, dims, 0)
