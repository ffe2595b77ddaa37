"""Fractional pooling: pooling over randomly placed windows, for ratios of sizes between 1 and the kernel's size.

B. Graham, Fractional max-pooling, 2015.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Tensor, arange, cat, full, no_grad, rand

from ._arguments import check_input, check_lengths, lengths

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from ._types import Pooled

    Lengths: TypeAlias = int | Sequence[int]
    Ratios: TypeAlias = float | Sequence[float]


@boundary
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Lengths,
    output_size: Lengths | None = None,
    output_ratio: Ratios | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Pooled:
    """Return the maxima of randomly placed windows: (N, C, H, W) to (N, C, *output_size), or without N.

    The windows begin at increasing positions, drawn for each image and channel; the last ends at the image's border.

    Arguments:
        input: images of floating dtype.
        kernel_size: the size of the windows, an integer or a pair.
        output_size: the size of the result, an integer or a pair.
        output_ratio: alternatively, the size of the result as fractions of the input's, between 0 and 1.
        return_indices: also return the indices of the maxima in their images, as int64.
        _random_samples: numbers in [0, 1), (N, C, 2), instead of random ones.

    Returns:
        The pooled images, or these and the indices.

    Raises:
        ValueError: neither size nor ratio is given, or the windows do not fit into the input.

    >>> from facula_tensor import arange
    >>> fractional_max_pool2d(arange(25.0).reshape(1, 5, 5), 3, output_size=1)
    tensor([[[24.]]])
    """
    made = _pooled(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return made if return_indices else made[0]


@boundary
def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Lengths,
    output_size: Lengths | None = None,
    output_ratio: Ratios | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the results of `fractional_max_pool2d` and the indices.

    Arguments: those of `fractional_max_pool2d`; `return_indices` has no effect.

    Returns:
        The pooled images and the indices.

    >>> from facula_tensor import arange
    >>> fractional_max_pool2d_with_indices(arange(9.0).reshape(1, 3, 3), 2, output_size=2)[1]
    tensor([[[4, 5],
             [7, 8]]])
    """
    return _pooled(2, input, kernel_size, output_size, output_ratio, _random_samples)


@boundary
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Lengths,
    output_size: Lengths | None = None,
    output_ratio: Ratios | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Pooled:
    """Return the maxima of randomly placed windows of volumes: (N, C, D, H, W) to (N, C, *output_size).

    Other details are as in `fractional_max_pool2d`, with three sizes instead of two.

    Arguments: those of `fractional_max_pool2d`.

    Returns:
        The pooled volumes, or these and the indices.

    >>> from facula_tensor import arange
    >>> fractional_max_pool3d(arange(27.0).reshape(1, 3, 3, 3), 2, output_size=1)
    tensor([[[[26.]]]])
    """
    made = _pooled(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return made if return_indices else made[0]


@boundary
def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Lengths,
    output_size: Lengths | None = None,
    output_ratio: Ratios | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the results of `fractional_max_pool3d` and the indices.

    Arguments: those of `fractional_max_pool3d`; `return_indices` has no effect.

    Returns:
        The pooled volumes and the indices.

    >>> from facula_tensor import arange
    >>> fractional_max_pool3d_with_indices(arange(27.0).reshape(1, 3, 3, 3), 2, output_size=1)[1]
    tensor([[[[26]]]])
    """
    return _pooled(3, input, kernel_size, output_size, output_ratio, _random_samples)


def _pooled(
    dims: int,
    input: Tensor,
    kernel_size: Lengths,
    output_size: Lengths | None,
    output_ratio: Ratios | None,
    samples: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Return the maxima and their indices.

    Arguments:
        dims: the number of the windows' dimensions.
        input: the input.
        kernel_size: the size of the windows.
        output_size: the size of the result, or None.
        output_ratio: alternatively, fractions of the input's lengths.
        samples: numbers in [0, 1), instead of random ones.
    """
    name = f"fractional_max_pool{dims}d"
    check_input(name, input)
    if input.ndim not in (dims + 1, dims + 2):
        raise InvalidValueError(f"{name}: expected {dims + 1} or {dims + 2} dimensions; got {tuple(input.shape)}")
    outer, inner = input.shape[:-dims], tuple(input.shape[-dims:])
    kernel = lengths(name, "kernel_size", kernel_size, dims)
    wanted = output_sizes(name, dims, output_size, output_ratio, inner)
    check_lengths(name, 1, kernel_size=min(kernel), output_size=min(wanted))
    if any(length < size + window - 1 for length, size, window in zip(inner, wanted, kernel, strict=True)):
        raise InvalidValueError(
            f"{name}: expected windows {kernel} that give {wanted} to fit into {inner}; "
            "use lengths of at least output_size + kernel_size - 1"
        )
    count = prod(outer)
    if samples is None:
        samples = rand(count, dims, dtype=input.dtype, device=input.device)
    elif samples.numel() != count * dims or samples.shape[-1:] != (dims,):
        expected = (*((1,) if input.ndim == dims + 1 else ()), *outer, dims)
        raise InvalidValueError(f"{name}: expected samples of shape {expected}; got {tuple(samples.shape)}")
    drawn = samples.reshape(count, dims)
    with no_grad():
        places = full((count,), 0, device=input.device).reshape((count,) + (1,) * (2 * dims))
        for at, (length, size, window) in enumerate(zip(inner, wanted, kernel, strict=True)):
            sample = drawn[:, at if dims == 3 else 1 - at]  # for images, the first sample belongs to the width
            begins = _window_starts(sample, length, size, window)
            own = begins.unsqueeze(-1) + arange(window, device=input.device)  # (count, size, window)
            shape = [count] + [1] * (2 * dims)
            shape[1 + at], shape[1 + dims + at] = size, window
            places = places * length + own.reshape(shape)
        places = places.reshape(count, prod(wanted), prod(kernel))
        flat = input.reshape(count, prod(inner))
        windows = flat.gather(1, places.flatten(1)).reshape(places.shape)
        found = places.gather(2, windows.argmax(2, keepdim=True)).squeeze(2)
    values = input.reshape(count, prod(inner)).gather(1, found)
    return values.reshape(*outer, *wanted), found.reshape(*outer, *wanted)


def _window_starts(sample: Tensor, length: int, size: int, window: int) -> Tensor:
    """Return the starts of `size` windows for each sample, increasing; the last window ends at the end of the input.

    Arguments:
        sample: numbers in [0, 1).
        length: the input's length.
        size: the number of windows.
        window: the length of each window.
    """
    last = full((sample.shape[0], 1), length - window, device=sample.device)
    if size == 1:
        return last
    step = (length - window) / (size - 1)
    numbers = arange(size - 1, device=sample.device).to(sample.dtype)
    sample = sample.unsqueeze(1)
    return cat([((numbers + sample) * step).long() - (sample * step).long(), last], 1)


def output_sizes(
    name: str,
    dims: int,
    output_size: Lengths | None,
    output_ratio: Ratios | None,
    inner: tuple[int, ...] | None = None,
) -> tuple[int, ...]:
    """Return the sizes of the results, from one of two arguments; without `inner`, only check the arguments.

    Arguments:
        name: the function's name, with which errors begin.
        dims: the number of the windows' dimensions.
        output_size: the sizes, or None.
        output_ratio: fractions of the input's lengths, or None.
        inner: the input's lengths; None to only check the arguments.
    """
    if output_size is not None:
        return lengths(name, "output_size", output_size, dims)
    if output_ratio is None:
        raise InvalidValueError(f"{name}: expected an output_size or an output_ratio; got neither")
    ratios: Sequence[Any] = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * dims
    if len(ratios) != dims or not all(isinstance(ratio, (int, float)) for ratio in ratios):
        raise InvalidTypeError(f"{name}: expected output_ratio to be a number or {dims} numbers; got {output_ratio!r}")
    if not all(0 < ratio < 1 for ratio in ratios):
        raise InvalidValueError(f"{name}: expected output_ratio between 0 and 1; got {output_ratio}")
    return tuple(int(length * ratio) for length, ratio in zip(inner or (0,) * dims, ratios, strict=True))
