"""`grid_sample` and `affine_grid`: images and volumes sampled at the points of a grid.

A point's taps are products of those along each dimension, so positions and weights are computed by dimension; see
Note [Given taps] in facula_cpu's given_taps.inc for their sum.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import ArgumentError, DTypeError
from facula_storage import Device, DType, Layout, float32, float64, int64
from facula_storage.extend.layouts import FLOATING

from ...._core.sizes import sizes
from ...._core.tensor import Tensor, layout_of_tensor, snapshot
from ...._core.wrapped import is_variable
from ...._creation.from_memory import from_numpy
from ...._dispatch.namespaces import no_record_ops, recorded_ops
from ...._dispatch.written import function
from . import sparse_samples as _sparse_samples  # noqa: F401  declares gather_taps
from .interpolate import CUBIC

if TYPE_CHECKING:
    from typing import Literal

    from ...._core.types import Lengths
    from ...._dispatch.kinds import Steady
    from ...._dispatch.namespaces import Namespace

NOWHERE = -(1 << 40)  # an offset that moves positions outside any image
FAR = float(1 << 30)  # points beyond are treated as infinite

# Weights of taps as polynomials of the distance t from the first tap, or in "bicubic" from the second: rows of
# coefficients for 1, t, t**2 and t**3.
POLYNOMIALS = {
    "nearest": [[1.0]],
    "bilinear": [[1.0, -1.0], [0.0, 1.0]],
    "bicubic": [
        [0.0, CUBIC, -2 * CUBIC, CUBIC],
        [1.0, 0.0, -(CUBIC + 3), CUBIC + 2],
        [0.0, -CUBIC, 2 * CUBIC + 3, -(CUBIC + 2)],
        [0.0, 0.0, CUBIC, -CUBIC],
    ],
}


@lru_cache(maxsize=64)
def _column(numbers: tuple[float, ...], dtype: DType, device: Device) -> Tensor:
    """Return numbers as a column (count, 1)."""
    return no_record_ops.to(from_numpy(np.array(numbers)[:, None]).to(device), (dtype,))


@function(overridable=True)
def grid_sample(
    F: Namespace,
    input: Steady,
    grid: Steady,
    mode: Literal["bilinear", "nearest", "bicubic"] = "bilinear",
    padding_mode: Literal["zeros", "border", "reflection"] = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Sample the images or volumes `input` at the points of `grid`.

    NaN in the grid is outside, at the far left, top or front. Both operands have gradients of any order. M. Jaderberg
    and
    others: Spatial transformer networks, 2015.

    Arguments:
        input: (N, C, H, W), or (N, C, D, H, W), with the floating dtype of `grid`.
        grid: (N, H', W', 2) with points (x, y), or (N, D', H', W', 3) with (x, y, z), from -1 (left, top, front) to 1.
        mode: "bilinear" (trilinear for volumes), "nearest", or "bicubic" (images only).
        padding_mode: the values outside: "zeros", "border" (the nearest element) or "reflection".
        align_corners: whether -1 and 1 are the centers of the outermost elements instead of their outer edges.

    Returns:
        (N, C, H', W'), or (N, C, D', H', W').

    >>> from facula_tensor import tensor
    >>> grid_sample(tensor([[[[1.0, 3.0]]]]), tensor([[[[0.0, 0.0], [-1.0, 0.0]]]]), align_corners=True)
    tensor([[[[2., 1.]]]])
    """
    given, wanted = layout_of_tensor(input), layout_of_tensor(grid)
    _check_grid("grid_sample", given, wanted, mode)
    if given.dtype not in (float32, float64):
        made = grid_sample(F.to(input, (float32,)), F.to(grid, (float32,)), mode, padding_mode, align_corners)
        return F.to(made, (given.dtype,))
    dims, images = len(given.shape) - 2, given.shape[0]
    size, count = given.shape[2:], prod(wanted.shape[1:-1])
    places = weights = None
    taps_per_dim = taps = len(POLYNOMIALS[mode])
    for at, length in enumerate(size):  # y, x: the grid has the reverse order
        along = F.reshape(F.select(grid, dims + 1, dims - 1 - at), (images, 1, count))
        own, shares = _taps_along(along, length, mode, padding_mode, bool(align_corners))
        step = prod(size[at + 1 :])
        own = no_record_ops.mul(own, step) if step > 1 else own
        if places is None:
            places, weights = own, shares
            continue
        taps *= taps_per_dim
        places = no_record_ops.add(no_record_ops.unsqueeze(places, 2), no_record_ops.unsqueeze(own, 1))
        places = no_record_ops.reshape(places, (images, taps, count))
        weights = F.mul(F.unsqueeze(weights, 2), F.unsqueeze(shares, 1))
        weights = F.reshape(weights, (images, taps, count))
    made = F.gather_taps(F.reshape(input, (images, given.shape[1], prod(size))), weights, places, ())
    return F.reshape(made, (*given.shape[:2], *wanted.shape[1:-1]))


def _check_grid(name: str, given: Layout, wanted: Layout, mode: str) -> None:
    """Check that the layouts of images and grid, and the mode, fit each other; errors name the function."""
    shape, points = given.shape, wanted.shape
    if len(shape) not in (4, 5) or len(points) != len(shape) or points[-1] != len(shape) - 2 or points[0] != shape[0]:
        raise ArgumentError(
            f"{name}: expected input (N, C, H, W) and grid (N, H', W', 2), or input (N, C, D, H, W) and grid "
            f"(N, D', H', W', 3); got {shape} and {points}"
        )
    if not all(shape[2:]):
        raise ArgumentError(f"{name}: expected input with elements; got shape {shape}")
    if mode == "bicubic" and len(shape) == 5:
        raise ArgumentError(f"{name}: mode 'bicubic' takes images (N, C, H, W); got input {shape}; use 'bilinear'")
    if given.dtype is not wanted.dtype or given.dtype.category != FLOATING:
        raise DTypeError(
            f"{name}: expected input and grid in one floating dtype; got {given.dtype.name} and {wanted.dtype.name}"
        )


def _taps_along(points: Tensor, length: int, mode: str, padding_mode: str, align: bool) -> tuple[Tensor, Tensor]:
    """Return the taps of points (images, 1, count) along a dimension of this length: positions (or NOWHERE), weights.

    Both are (images, taps, count). Positions and the nearest element do not depend differentiably on the points; the
    weights do. Modes are those of `grid_sample`; `align` is its `align_corners`.
    """
    F, layout = recorded_ops, layout_of_tensor(points)
    scale = ((length - 1) if align else length) / 2
    real = F.mul(F.add(points, 1), scale)
    if not align:
        real = F.sub(real, 0.5)
    at = snapshot(real)
    at = no_record_ops.clamp(no_record_ops.where(no_record_ops.eq(at, at), at, -FAR), -FAR, FAR)
    slope = None
    if mode != "bicubic" and padding_mode != "zeros":
        at, slope = _brought_in(at, length, padding_mode, align)
    if mode == "nearest":
        first = no_record_ops.round(at, ())
        constant = F.where(no_record_ops.ne(at, at), points, 1)  # 1 everywhere, with gradients of 0
        return _inside(no_record_ops.to(first, (int64,)), length), constant
    first = no_record_ops.floor(at)
    t = no_record_ops.sub(at, first)
    if is_variable(points):  # t, with the gradient of the point
        move = F.sub(real, snapshot(real))
        move = F.where(no_record_ops.eq(snapshot(move), 0), move, 0)
        t = F.add(F.mul(move, slope) if slope is not None else move, t)
    offsets = range(len(POLYNOMIALS[mode])) if mode == "bilinear" else range(-1, 3)
    places = no_record_ops.add(no_record_ops.to(first, (int64,)), _column(tuple(offsets), int64, layout.device))
    if mode == "bicubic" and padding_mode == "reflection":
        real_places, _ = _brought_in(no_record_ops.to(places, (layout.dtype,)), length, padding_mode, align)
        places = no_record_ops.to(real_places, (int64,))
    rows = POLYNOMIALS[mode]
    powers = reversed(range(len(rows[0])))
    columns = [_column(tuple([row[power] for row in rows]), layout.dtype, layout.device) for power in powers]
    weights = columns[0]
    for numbers in columns[1:]:  # Horner's scheme
        weights = F.add(F.mul(weights, t), numbers)
    if padding_mode == "border" and mode == "bicubic":
        places = no_record_ops.clamp(places, 0, length - 1)
    return _inside(places, length), weights


def _inside(places: Tensor, length: int) -> Tensor:
    """Return positions along a dimension of this length, with NOWHERE for those outside."""
    outside = no_record_ops.bitwise_or(no_record_ops.lt(places, 0), no_record_ops.ge(places, length))
    return no_record_ops.where(outside, NOWHERE, places)


def _brought_in(at: Tensor, length: int, padding_mode: str, align: bool) -> tuple[Tensor, Tensor]:
    """Return coordinates inside the image, and their derivatives by the points: 1, -1, or 0 where clamped.

    `length`, `padding_mode` and `align` are as in `_taps_along`.
    """
    slope = no_record_ops.ones_like(at)
    if padding_mode == "reflection":
        low, span = (0.0, float(length - 1)) if align else (-0.5, float(length))
        if not span:
            return no_record_ops.zeros_like(at), no_record_ops.zeros_like(at)
        away = no_record_ops.sub(at, low)
        slope = no_record_ops.where(no_record_ops.lt(away, 0), -1, slope)
        away = no_record_ops.abs(away)
        flips = no_record_ops.floor(no_record_ops.div(away, span))
        extra = no_record_ops.fmod(away, span)
        odd = no_record_ops.ne(no_record_ops.remainder(flips, 2), 0)
        at = no_record_ops.add(no_record_ops.where(odd, no_record_ops.sub(span, extra), extra), low)
        slope = no_record_ops.where(odd, no_record_ops.neg(slope), slope)
    last = float(length - 1)
    cut = no_record_ops.bitwise_or(no_record_ops.le(at, 0), no_record_ops.ge(at, last))
    return no_record_ops.clamp(at, 0, last), no_record_ops.where(cut, 0, slope)


@function(overridable=True)
def affine_grid(F: Namespace, theta: Steady, size: Lengths, align_corners: bool | None = None) -> Tensor:
    """Return the grid for `grid_sample` of affine maps from output points, from -1 to 1, to input points.

    Arguments:
        theta: the maps, (N, 2, 3), or (N, 3, 4).
        size: the shape of the output, (N, C, H, W), or (N, C, D, H, W).
        align_corners: as in `grid_sample`.

    Returns:
        (N, H, W, 2), or (N, D, H, W, 3).

    >>> from facula_tensor import tensor
    >>> affine_grid(tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 1, 1, 2), align_corners=True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    name, size = "affine_grid", sizes("affine_grid", (), size, "size")
    layout, dims = layout_of_tensor(theta), len(size) - 2
    if dims not in (2, 3) or layout.shape != (size[0], dims, dims + 1):
        raise ArgumentError(
            f"{name}: expected theta (N, 2, 3) and size (N, C, H, W), or theta (N, 3, 4) and size (N, C, D, H, W); "
            f"got {layout.shape} and {size}"
        )
    if layout.dtype.category != FLOATING:
        raise DTypeError(f"{name}: expected theta in a floating dtype; got {layout.dtype.name}")
    if min(size) < 1:
        raise ArgumentError(f"{name}: expected size of positive lengths; got {size}")
    points = np.ones((*size[2:], dims + 1))
    for at, length in enumerate(size[2:]):  # y, x: the points have the reverse order
        line = np.linspace(-1, 1, length) if length > 1 else np.zeros(1)
        line = line if align_corners else line * (length - 1) / length
        points[..., dims - 1 - at] = line.reshape(-1, *(1,) * (dims - 1 - at))
    base = no_record_ops.to(from_numpy(points.reshape(-1, dims + 1)).to(layout.device), (layout.dtype,))
    made = F.matmul(base, F.transpose(theta, 1, 2))
    return F.reshape(made, (size[0], *size[2:], dims))
