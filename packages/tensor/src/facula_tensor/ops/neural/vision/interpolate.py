"""`interpolate`: resize rows, images and volumes, one dimension at a time; see `resample.py`."""

from __future__ import annotations

from functools import lru_cache, partial
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import ArgumentError, DTypeError
from facula_storage import DType, bfloat16, float16, float32, float64, uint8

from ...._core.geometry import is_integer
from ...._core.promotion import as_real
from ...._core.tensor import Tensor
from ...._creation.from_memory import from_numpy
from ...._dispatch.arguments import geometry
from ...._dispatch.written import function
from .resample import RegularTaps, Taps, resample_dims

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.types import Lengths
    from ...._dispatch.kinds import Steady
    from ...._dispatch.namespaces import Namespace

    Pass = tuple[int, int, int, float | None]  # dimension, length, new length, and the factor if given

# The numbers of dimensions, including images and channels, that each mode supports.
MODES: dict[str, tuple[int, ...]] = {
    "nearest": (3, 4, 5), "nearest-exact": (3, 4, 5), "area": (3, 4, 5), "linear": (3,), "bilinear": (4,),
    "bicubic": (4,), "trilinear": (5,),
}  # fmt: skip
LINEAR = ("linear", "bilinear", "trilinear", "bicubic")  # modes that support align_corners
CUBIC = -0.75  # the slope of the bicubic kernel at 1: R. Keys, Cubic convolution interpolation, 1981
SMOOTH_CUBIC = -0.5  # the slope of the antialiased kernel, as in Pillow
ANTIALIASED = {"bilinear": 1, "bicubic": 2}  # the radius of each kernel that supports antialias


def nearest_step(length: int, count: int, scale: float | None) -> float:
    """Return the step between the sources of output elements, in single precision."""
    return float(np.float32(length) / np.float32(count) if scale is None else np.float32(1 / scale))


def nearest(length: int, count: int, scale: float | None, exact: bool) -> np.ndarray:
    """Return the positions of the `count` nearest elements, in single precision, as PyTorch computes them."""
    step = np.float32(nearest_step(length, count, scale))
    at = np.arange(count, dtype=np.float32)
    return np.minimum(np.floor((at + np.float32(0.5) if exact else at) * step).astype(np.int64), length - 1)


@lru_cache(maxsize=1024)
def sources(length: int, count: int, scale: float | None, exact: bool) -> tuple[np.ndarray, int]:
    """Return the positions of the `count` nearest elements, and how often each occurs, in order; 0 if that varies."""
    places = nearest(length, count, scale, exact)
    times = count // length
    return places, times if np.array_equal(places, np.repeat(np.arange(length), times)) else 0


def positions(length: int, count: int, scale: float | None, align: bool) -> tuple[float, float, float]:
    """Return shift, step and offset: the position of output element i in the input is (i + shift) * step + offset."""
    if align:
        return 0.0, (length - 1) / (count - 1) if count > 1 else 0.0, 0.0
    return 0.5, length / count if scale is None else 1 / scale, -0.5


@lru_cache(maxsize=1024)
def resizing(mode: str, length: int, count: int, scale: float | None, align: bool, antialias: bool = False) -> Taps:
    """Return the matrix that resizes `length` elements to `count`."""
    if antialias:
        return smoothing(mode, length, count, scale, align)  # not stored in files
    taps = _taps_of(mode, length, count, scale, align)
    taps.resizing = mode, scale, align
    return taps


def smoothing(mode: str, length: int, count: int, scale: float | None, align: bool) -> Taps:
    """Return the matrix of a kernel scaled to the step between outputs, if that exceeds one element."""
    if align:
        step = (length - 1) / (count - 1) if count > 1 else 0.0
    else:
        step = length / count if scale is None else 1 / scale
    wide = max(step, 1.0)
    radius = ANTIALIASED[mode] * wide
    centers = step * (np.arange(count) + 0.5)
    firsts = np.maximum((centers - radius + 0.5).astype(np.int64), 0)
    ends = np.minimum((centers + radius + 0.5).astype(np.int64), length)
    widths = np.maximum(ends - firsts, 0)
    starts = np.concatenate([[0], np.cumsum(widths)])
    places = np.arange(starts[-1]) - np.repeat(starts[:-1] - firsts, widths)
    distances = np.abs(places + 0.5 - np.repeat(centers, widths)) / wide
    if mode == "bilinear":
        weights = np.maximum(1 - distances, 0)
    else:
        curves = near(distances, SMOOTH_CUBIC), far(distances, SMOOTH_CUBIC)
        weights = np.where(distances < 1, curves[0], np.where(distances < 2, curves[1], 0))
    sums = np.add.reduceat(np.append(weights, 0), starts[:-1])
    return Taps(length, starts, places, weights / np.repeat(sums, widths))


def _taps_of(mode: str, length: int, count: int, scale: float | None, align: bool) -> Taps:
    if mode.startswith("nearest"):
        exact = mode == "nearest-exact"
        numbers = 0.5 if exact else 0.0, nearest_step(length, count, scale), 0.0
        return RegularTaps(length, count, 1, ("nearest", *numbers), partial(nearest, length, count, scale, exact))
    if mode == "area":
        bounds = [(i * length // count, -((i + 1) * length // -count)) for i in range(count)]
        widths = [end - first for first, end in bounds]
        found = [place for first, end in bounds for place in range(first, end)]
        weights = np.repeat([1 / width for width in widths], widths)
        return Taps(length, np.concatenate([[0], np.cumsum(widths)]), np.array(found, np.int64), weights)
    at = positions(length, count, scale, align)
    if mode == "bicubic":
        return RegularTaps(length, count, 4, ("cubic", *at), partial(cubic_taps, length, count, *at))
    return RegularTaps(length, count, 2, ("linear", *at), partial(linear_taps, length, count, *at))


def cubic_taps(length: int, count: int, shift: float, step: float, offset: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the places and weights of four elements around each position."""
    at = (np.arange(count) + shift) * step + offset
    first = np.floor(at)
    t = at - first
    weights = np.stack([far(1 + t), near(t), near(1 - t), far(2 - t)], 1)
    return (first.astype(np.int64)[:, None] + np.arange(-1, 3)).clip(0, length - 1), weights


def linear_taps(length: int, count: int, shift: float, step: float, offset: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the places and weights of the two elements around each position."""
    at = np.maximum((np.arange(count) + shift) * step + offset, 0)
    low = np.minimum(np.floor(at).astype(np.int64), length - 1)
    high = np.minimum(low + 1, length - 1)
    t = np.where(low == high, 0.5, at - low)  # at the border, where 0 times an infinity would be NaN
    return np.stack([low, high], 1), np.stack([1 - t, t], 1)


@lru_cache(maxsize=1024)
def in_16_bits(taps: Taps) -> Taps:
    """Return the matrix for bytes: weights are multiples of the smallest power of two with which all fit in 16 bits.

    Sums are then exact in float32. Weights of one element are summed before rounding, with halves away from zero.
    """
    rows = np.repeat(np.arange(taps.count), np.diff(taps.starts))
    found, where = np.unique(rows * taps.length + taps.places, return_inverse=True)
    weights = np.bincount(where, taps.weights)
    largest = weights.max()
    unit = 2.0 ** -next(bits for bits in range(23) if bits == 22 or largest * 2 ** (bits + 1) >= 2**15 - 0.5)
    starts = np.searchsorted(found, np.arange(taps.count + 1) * taps.length)
    rounded = np.copysign(np.floor(np.abs(weights) / unit + 0.5) * unit, weights)
    return Taps(taps.length, starts, found % taps.length, rounded)


def near(t: np.ndarray, slope: float = CUBIC) -> np.ndarray:
    """Return the cubic kernel at distances up to 1."""
    return ((slope + 2) * t - (slope + 3)) * t * t + 1


def far(t: np.ndarray, slope: float = CUBIC) -> np.ndarray:
    """Return the cubic kernel at distances from 1 to 2."""
    return slope * (((t - 5) * t + 8) * t - 4)


@geometry
def resized_dimensions(
    name: str,
    operands: tuple[tuple[tuple[int, ...], DType], ...],
    size: Lengths | None,
    scale_factor: float | tuple[float, ...] | None,
    mode: str,
    align_corners: bool | None,
    recompute: bool,
    antialias: bool,
) -> list[Pass]:
    """Return the resizing of each dimension; raise an error if the arguments of `interpolate` do not fit."""
    ((shape, _),) = operands
    if not isinstance(mode, str) or mode not in MODES:
        raise ArgumentError(f"{name}: expected mode to be one of {', '.join(MODES)}; got {mode!r}")
    if len(shape) not in MODES[mode] or not all(shape[1:]):
        raise ArgumentError(
            f"{name}: mode {mode!r} takes {' or '.join(map(str, MODES[mode]))} dimensions, images first, then "
            f"channels, all but images with elements; got shape {shape}"
        )
    if align_corners is not None and mode not in LINEAR:
        raise ArgumentError(
            f"{name}: expected align_corners only for {', '.join(LINEAR)}; got {align_corners} for {mode!r}"
        )
    if antialias and mode not in ANTIALIASED:
        raise ArgumentError(f"{name}: expected antialias only for {', '.join(ANTIALIASED)}; got {mode!r}")
    lengths, scales = sizes_and_scales(name, shape, size, scale_factor)
    if recompute:
        if scale_factor is None:
            raise ArgumentError(f"{name}: expected scale_factor with recompute_scale_factor; got size")
        scales = [None] * len(lengths)
    # Like PyTorch, ignore a factor that does not change the length, and for nearest elements of images one of 2.
    ignored: tuple[int, ...] = ()
    if mode in LINEAR and mode != "bicubic" and not antialias:
        ignored = (1,)
    elif mode == "nearest" and len(shape) == 4:
        ignored = (1, 2)
    sizes = zip(range(2, len(shape)), shape[2:], lengths, scales, strict=True)
    return [
        (dim, length, count, None if count in [times * length for times in ignored] else scale)
        for dim, length, count, scale in sizes
    ]


def numbers_of(scale_factor: float | Sequence[float]) -> float | tuple[float, ...]:
    """Convert numbers, which may be tensors, to Python numbers."""
    if isinstance(scale_factor, (tuple, list)):
        return tuple([as_real(factor, "interpolate", "scale_factor") for factor in scale_factor])
    return as_real(scale_factor, "interpolate", "scale_factor")


@lru_cache(maxsize=1024)
def passes_of(dimensions: tuple[Pass, ...], mode: str, align: bool, antialias: bool) -> tuple[tuple[int, Taps], ...]:
    """Return the dimensions in the order of least work, with their matrices.

    Dimensions shrink first, rows before columns, and are enlarged last, columns before rows. Among three, these two
    come where the array is larger, because they are one launch.
    """
    passes = [(dim, resizing(mode, length, count, scale, align, antialias)) for dim, length, count, scale in dimensions]
    shrinking = [step for step in passes if step[1].count <= step[1].length]
    growing = [step for step in passes if step[1].count > step[1].length]
    return (*shrinking[-2:], *shrinking[:-2], *growing[:-2], *reversed(growing[-2:]))


@function()
def interpolate(
    F: Namespace,
    input: Steady,
    size: Lengths | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resize `input`: (N, C, length), (N, C, height, width) or (N, C, depth, height, width).

    float16 and bfloat16 are computed in float32. uint8 is resized one dimension at a time, the last first, with 16-bit
    weights and rounding after each. Either `size` or `scale_factor` is required.

    Arguments:
        input: images of one, two or three dimensions, after N and C.
        size: the lengths of the result: one number, or one for each dimension.
        scale_factor: the factor of lengths, which are rounded down: one number, or one for each dimension.
        mode: "nearest" (PyTorch's older rule, which prefers the left neighbor), "nearest-exact", "linear",
            "bilinear" or "trilinear" (by the number of dimensions), "bicubic", or "area" (means).
        align_corners: whether to align the centers of the first and last elements instead of their outer edges.
        recompute_scale_factor: whether to compute positions from the lengths instead of `scale_factor`.
        antialias: whether to smooth when shrinking, so that all elements contribute: "bilinear" and "bicubic" only.

    >>> from facula_tensor import tensor
    >>> interpolate(tensor([[[1.0, 3.0]]]), scale_factor=2)
    tensor([[[1., 1., 3., 3.]]])
    >>> interpolate(tensor([[[1.0, 3.0]]]), size=3, mode="linear", align_corners=True)
    tensor([[[1., 2., 3.]]])
    """
    if scale_factor is not None and type(scale_factor) is not float and type(scale_factor) is not int:
        scale_factor = numbers_of(scale_factor)
    align, antialias, recompute = bool(align_corners), bool(antialias), bool(recompute_scale_factor)
    dimensions = resized_dimensions(
        "interpolate", (input,), size, scale_factor, mode, align_corners, recompute, antialias
    )
    dtype = input.dtype
    if mode.startswith("nearest") and dtype not in (float32, float64):
        for dim, *arguments in reversed(dimensions):
            places, times = sources(*arguments, mode == "nearest-exact")
            if times:
                ones = (1,) * input.ndim
                input = F.tile(input, (ones, (*ones[:dim], times, *ones[dim + 1 :])))
            else:
                input = F.take(input, from_numpy(places).to(input.device), (dim,))
        return input
    if dtype not in (float32, float64):
        if dtype not in (float16, bfloat16, uint8):
            raise DTypeError(f"interpolate: defined for floating dtypes and uint8; got {dtype.name}; use .float()")
        input = F.to(input, (float32,))
    if dtype is not uint8:
        input = resample_dims(F, input, passes_of(tuple(dimensions), mode, align, antialias))
        return input if input.dtype is dtype else F.to(input, (dtype,))
    passes = [(arguments[0], resizing(mode, *arguments[1:], align, antialias)) for arguments in dimensions]
    for dim, taps in reversed(passes):
        if taps.count != taps.length:  # as PyTorch and Pillow do: columns first, and each pass is rounded, halves up
            sums = F.resample(input, (dim, in_16_bits(taps), None, False))
            input = F.floor(F.add(sums, 0.5).clamp(0, 255.5))
    return F.to(input, (dtype,))


def sizes_and_scales(
    name: str, shape: tuple[int, ...], size: Lengths | None, scale_factor: float | tuple[float, ...] | None
) -> tuple[list[int], list[float | None]]:
    """Return the new lengths, and the factors if given."""
    count = len(shape) - 2
    if (size is None) == (scale_factor is None):
        raise ArgumentError(f"{name}: expected size or scale_factor; got {'both' if size is not None else 'neither'}")
    given: Any = size if scale_factor is None else scale_factor
    what = "size" if scale_factor is None else "scale_factor"
    numbers = list(given) if isinstance(given, tuple) else [given] * count
    if len(numbers) != count:
        raise ArgumentError(f"{name}: expected {what} to have {count} number(s) for shape {shape}; got {given}")
    if scale_factor is None:
        if not all([is_integer(length) and length > 0 for length in numbers]):
            raise ArgumentError(f"{name}: expected size to be positive integers; got {given}")
        return [int(length) for length in numbers], [None] * count
    lengths = [floor(length * factor) for length, factor in zip(shape[2:], numbers, strict=True)]
    if min(lengths) < 1:
        raise ArgumentError(f"{name}: scale_factor {given} leaves no elements of shape {shape}; got sizes {lengths}")
    return lengths, numbers
