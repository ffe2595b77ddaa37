"""Histograms: the number of elements in each of several bins."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_storage import bfloat16, float16, float32, float64, int64

from ..._core.promotion import as_integer, as_real
from ..._core.tensor import Tensor, layout_of_tensor, snapshot
from ..._creation.ranges import linspace
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..named_results import NamedResults, named_results, results_named
from .searching import bincount

if TYPE_CHECKING:
    from ..._dispatch.kinds import Flag, Float, Integer, Outs, Snapshot

_indices = range  # the builtin, shadowed by an argument below
Histogram: type[NamedResults] = results_named("histogram", "hist", "bin_edges")
Histograms: type[NamedResults] = results_named("histogramdd", "hist", "bin_edges")


def _range_of_bins(
    name: str, low: float, high: float, values: Tensor | None, aside: float = 0.5
) -> tuple[float, float]:
    """Return the range of the bins: `low` to `high`, or the range of the values if the two are equal.

    `aside` extends the range on both sides if all values are equal. Errors name the function.
    """
    if low == high and values is not None and values.numel():
        every = ((0,), False)
        low, high = float(no_record_ops.amin(values, every).item()), float(no_record_ops.amax(values, every).item())
    if not (isfinite(low) and isfinite(high)):
        raise ArgumentError(f"{name}: expected a finite range; got {low} to {high}; give a range, or mask the elements")
    if low > high:
        raise ArgumentError(f"{name}: expected a range in ascending order; got {low} to {high}")
    if low == high and values is not None and not values.numel():
        return low, high + 1
    return (low - aside, high + aside) if low == high else (low, high)


def _spacing(name: str, bins: int, low: float, high: float, like: Tensor) -> Tensor:
    """Return the edges of equal bins from `low` to `high`, in the dtype of `like`."""
    return linspace(low, high, bins + 1, dtype=like.dtype, device=like.device)


def _positive(name: str, bins: object) -> int:
    count = as_integer(bins, name, "bins")
    if count < 1:
        raise ArgumentError(f"{name}: expected bins to be at least 1; got {count}")
    return count


@function(method=True, out=True, refuses={"bins < 1": "bins to be at least 1; got {bins}"})
def histc(input: Snapshot, bins: Integer = 100, min: Float = 0, max: Float = 0) -> Tensor:
    """Count the elements in each of several equal bins.

    NaN and elements outside the range are not counted. The counts have the dtype of `input`.

    Arguments:
        input: a tensor of a floating dtype.
        bins: the number of bins.
        min: the lower end of the range.
        max: the upper end of the range; if equal to `min`, the range is that of the elements.

    >>> from facula_tensor import tensor
    >>> histc(tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    values = no_record_ops.reshape(input, (-1,))
    dtype = layout_of_tensor(values).dtype
    if dtype not in (float32, float64, float16, bfloat16):
        raise DTypeError(f"histc: defined for floating dtypes; got {dtype.name}; convert with .float()")
    low, high = _range_of_bins("histc", min, max, values, 1)
    values = values if dtype.itemsize > 2 else no_record_ops.to(values, (float32,))
    inside = no_record_ops.bitwise_and(no_record_ops.ge(values, low), no_record_ops.le(values, high))
    place = no_record_ops.mul(no_record_ops.div(no_record_ops.sub(values, low), high - low), bins)
    place = no_record_ops.to(no_record_ops.where(inside, place, bins), (int64,))
    place = no_record_ops.where(no_record_ops.bitwise_and(inside, no_record_ops.ge(place, bins)), bins - 1, place)
    found = no_record_ops.slice(bincount(place, minlength=bins + 1), 0, 0, bins, 1)
    return no_record_ops.to(found, (dtype,))


def _checked(name: str, input: Tensor, weight: Tensor | None, shape: tuple[int, ...]) -> Tensor | None:
    """Return the flat weights of the elements, or None; raise an error that names the function if `shape` differs."""
    if layout_of_tensor(input).dtype not in (float32, float64):
        got = layout_of_tensor(input).dtype.name
        raise DTypeError(f"{name}: defined for float32 and float64; got {got}; convert with .float()")
    if weight is None:
        return None
    weight = snapshot(as_tensor(name, weight))
    if weight.dtype is not input.dtype:
        raise DTypeError(f"{name}: expected weight in the dtype of input, {input.dtype.name}; got {weight.dtype.name}")
    if tuple(weight.shape) != shape:
        raise ArgumentError(f"{name}: expected weight of shape {shape}; got {tuple(weight.shape)}")
    return no_record_ops.reshape(weight, (-1,))


def _edges(name: str, values: Tensor, bins: int | Tensor, low: float, high: float) -> Tensor:
    """Return the bin edges along one dimension: `bins` if it contains edges, else `bins` bins from `low` to `high`."""
    if not isinstance(bins, Tensor):
        return _spacing(name, _positive(name, bins), *_range_of_bins(name, low, high, values), values)
    if bins.ndim != 1 or not bins.numel():
        raise ArgumentError(f"{name}: expected edges of one dimension, at least one; got shape {tuple(bins.shape)}")
    if bins.dtype is not values.dtype:
        raise DTypeError(f"{name}: expected edges in the dtype of input, {values.dtype.name}; got {bins.dtype.name}")
    return snapshot(bins)


def _bin_of_each(values: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
    """Return the bin of each value, and whether the value is in a bin; the last edge belongs to the last bin."""
    n = edges.numel() - 1
    place = no_record_ops.sub(no_record_ops.search_sorted(edges, values, (True,)), 1)  # n for NaN
    place = no_record_ops.where(no_record_ops.eq(values, no_record_ops.select(edges, 0, n)), n - 1, place)
    return place, no_record_ops.bitwise_and(no_record_ops.ge(place, 0), no_record_ops.lt(place, n))


def _histogram_of(columns: list[Tensor], edges: list[Tensor], weight: Tensor | None, density: bool) -> Tensor:
    """Return the histogram of points, given by columns of coordinates, for bins with these edges.

    A point counts as its weight, or 1. With `density` the integral of the histogram is 1.
    """
    shape = tuple([boundaries.numel() - 1 for boundaries in edges])
    dtype = edges[0].dtype
    flat, inside = None, None
    for values, along, size in zip(columns, edges, shape, strict=True):
        place, good = _bin_of_each(no_record_ops.contiguous(values), along)
        flat = place if flat is None else no_record_ops.add(no_record_ops.mul(flat, size), place)
        inside = good if inside is None else no_record_ops.bitwise_and(inside, good)
    total = 1
    for size in shape:
        total *= size
    flat = no_record_ops.where(inside, flat, total)
    counts = bincount(flat, weight, minlength=total + 1)
    hist = no_record_ops.reshape(no_record_ops.to(no_record_ops.slice(counts, 0, 0, total, 1), (dtype,)), shape)
    if density:
        hist = no_record_ops.div(hist, no_record_ops.sum(hist, (tuple(range(len(shape))), False)))
        for i, along in enumerate(edges):
            n = along.numel() - 1
            widths = no_record_ops.sub(
                no_record_ops.slice(along, 0, 1, n + 1, 1), no_record_ops.slice(along, 0, 0, n, 1)
            )
            hist = no_record_ops.div(
                hist, no_record_ops.reshape(widths, tuple([n if i == j else 1 for j in range(len(shape))]))
            )
    return hist


def _range(name: str, range: Sequence[float] | None, count: int) -> list[float]:
    """Return the minimum and the maximum for each of `count` dimensions; zeros if the elements determine the range."""
    if range is None:
        return [0.0] * (2 * count)
    if not isinstance(range, (tuple, list)) or len(range) != 2 * count:
        raise ArgumentError(f"{name}: expected range to be {2 * count} numbers, least and greatest; got {range!r}")
    found = [float(as_real(bound, name, "range")) for bound in range]
    for low, high in zip(found[::2], found[1::2], strict=True):
        _range_of_bins(name, low, high if low != high else low + 1, None)
    return found


@function(method=True)
def histogram(
    input: Snapshot,
    bins: int | Tensor,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: Flag = False,
    out: Outs = None,
) -> NamedResults:
    """Count the elements in each bin and return the pair (hist, bin_edges).

    The last edge belongs to the last bin.

    Arguments:
        input: float32 or float64.
        bins: the number of bins, or a tensor of their edges in order.
        range: the range of equal bins; None for the minimum and the maximum of the elements.
        weight: the weights of the elements, in the shape and dtype of `input`; None for 1.
        density: whether to scale the histogram to an integral of 1.

    >>> from facula_tensor import tensor
    >>> histogram(tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0)).hist
    tensor([0., 2., 1., 0.])
    """
    weight = _checked("histogram", input, weight, layout_of_tensor(input).shape)
    values = no_record_ops.reshape(input, (-1,))
    if isinstance(bins, Tensor) and range is not None:
        raise ArgumentError("histogram: expected range with a number of bins alone; got edges and a range")
    edges = _edges("histogram", values, bins, *_range("histogram", range, 1))
    return named_results("histogram", Histogram, (_histogram_of([values], [edges], weight, density), edges), out)


@function(overridable=True)
def histogramdd(
    input: Snapshot,
    bins: int | Sequence[int] | Sequence[Tensor],
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: Flag = False,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Count the points in each cell of a grid and return the pair (hist, bin_edges): a multidimensional `histogram`.

    Arguments:
        input: points (..., n), float32 or float64.
        bins: the number of bins, for all coordinates or for each; or n tensors of edges.
        range: 2 n numbers, minimum and maximum of each coordinate; None for the range of the points.
        weight: the weights of the points; None for 1.
        density: whether to scale the histogram to an integral of 1.

    Returns:
        The pair; bin_edges is a tuple of n tensors.

    >>> from facula_tensor import tensor
    >>> histogramdd(tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), bins=[2, 2]).hist
    tensor([[0., 1.],
            [1., 1.]])
    """
    name = "histogramdd"
    shape = layout_of_tensor(input).shape
    if len(shape) < 2:
        raise ArgumentError(f"{name}: expected points (..., n); got shape {shape}")
    weight = _checked(name, input, weight, shape[:-1])
    n = shape[-1]
    if not isinstance(bins, (tuple, list)):
        bins = [as_integer(bins, name, "bins")] * n
    if len(bins) != n:
        raise InvalidTypeError(f"{name}: expected bins for each of {n} coordinates; got {len(bins)}")
    points = no_record_ops.reshape(input, (-1, n))
    columns = [no_record_ops.select(points, 1, i) for i in _indices(n)]
    ends = _range(name, range, n)
    edges = [_edges(name, columns[i], bins[i], ends[2 * i], ends[2 * i + 1]) for i in _indices(n)]
    found = (_histogram_of(columns, edges, weight, density), tuple(edges))
    return Histograms(found)  # type: ignore[arg-type, return-value]
