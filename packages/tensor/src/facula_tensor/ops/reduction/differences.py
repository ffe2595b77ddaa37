"""Differences of adjacent elements, numerical gradients, and areas under sampled curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_storage import bool_, int64
from facula_storage.extend.layouts import FLOATING, INTEGER

from ..._core.promotion import as_number, floating
from ..._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..shape.joining import cat

if TYPE_CHECKING:
    from ..._core.types import Dims, Scalar
    from ..._dispatch.kinds import Integer, Steady
    from ..._dispatch.namespaces import Namespace

Steps = Tensor | complex  # distances between neighbors, or one for all


def _part(x: Tensor, dim: int, start: int, stop: int) -> Tensor:
    """Return elements `start` to `stop` of x along a dimension; a `stop` of at most 0 counts from the end."""
    n = x.shape[dim]
    return recorded_ops.slice(x, dim, min(start, n), max(min(start, n), stop + n if stop <= 0 else min(stop, n)), 1)


def _widened(samples: Tensor) -> Tensor:
    """Return integers as int64, in which sums and differences of narrower ones do not wrap."""
    return samples.to(int64) if samples.dtype.category == INTEGER else samples


def _areas(name: str, y: Tensor, x: Tensor | None, dx: Scalar | None, dim: int) -> tuple[Tensor, int]:
    """Return twice the area of each trapezoid along a dimension of the result, and that dimension.

    The arguments are those of `trapezoid`, unchecked.
    """
    if not y.ndim:
        raise ArgumentError(f"{name}: expected at least 1 dimension; got a number")
    if y.dtype is bool_ or (isinstance(x, Tensor) and x.dtype is bool_):
        raise DTypeError(f"{name}: not defined for bool; convert with .float()")
    dim = check_dim(name, dim, y.ndim)
    if x is not None and dx is not None:
        raise InvalidTypeError(f"{name}: expected x or dx; got both")
    y = _widened(y)
    heights = recorded_ops.add(_part(y, dim, 1, 0), _part(y, dim, 0, -1))
    if x is None:
        width = 1 if dx is None else as_number(dx, name, "dx")
        return heights if width == 1 and type(width) is int else recorded_ops.mul(heights, width), dim
    x = _widened(steady(as_tensor(name, x)))
    if not x.ndim:
        return recorded_ops.mul(heights, x), dim
    if x.ndim == 1:
        if x.shape[0] != y.shape[dim]:
            raise ArgumentError(f"{name}: expected x of {y.shape[dim]} elements, as y along {dim}; got {x.shape[0]}")
        widths = recorded_ops.sub(_part(x, 0, 1, 0), _part(x, 0, 0, -1))
        widths = (
            recorded_ops.reshape(widths, tuple([-1 if i == dim else 1 for i in range(y.ndim)])) if len(x) else widths
        )
    else:
        x = recorded_ops.reshape(x, (1,) * (y.ndim - x.ndim) + tuple(x.shape))
        at = dim + x.ndim - y.ndim
        widths = recorded_ops.sub(_part(x, at, 1, 0), _part(x, at, 0, -1))
        dim = dim if x.ndim == y.ndim else at
    return recorded_ops.mul(heights, widths), dim


@function(method=True, out=True, refuses={"n < 0": "n of at least 0; got {n}"})
def diff(
    F: Namespace,
    input: Steady,
    n: Integer = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Return the differences of adjacent elements along `dim`, computed `n` times; for bool, whether they differ.

    Arguments:
        input: a tensor of at least 1 dimension.
        n: the number of times that differences are computed.
        prepend: a tensor to concatenate in front of `input` first, or None.
        append: a tensor to concatenate behind `input` first, or None.

    >>> from facula_tensor import tensor
    >>> diff(tensor([1, 3, 2]))
    tensor([ 2, -1])
    """
    if not input.ndim:
        raise ArgumentError("diff: expected at least 1 dimension; got a number")
    dim = check_dim("diff", dim, input.ndim)
    if not n:
        return F.clone(input)
    around = [as_tensor("diff", tensor) for tensor in (prepend, append) if tensor is not None]
    for tensor in around:
        if tensor.ndim != input.ndim:
            raise ArgumentError(
                f"diff: expected prepend and append with the dimensions of input; got {tensor.ndim} and {input.ndim}"
            )
    if around:
        input = cat([part for part in (prepend, input, append) if part is not None], dim)
    layout = layout_of_tensor(input)
    subtract = F.ne if layout.dtype is bool_ else F.sub
    length = layout.shape[dim]
    for left in range(length, length - min(n, length), -1):
        input = subtract(F.slice(input, dim, 1, left, 1), F.slice(input, dim, 0, left - 1, 1))
    return input


# ------------------------------------------------------------------------------------------------- trapezoids
@function(overridable=True, inline=True)
def trapezoid(F: Namespace, y: Steady, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> Tensor:
    """Return the area under a sampled curve along `dim`, by the trapezoidal rule; integers are added in int64.

    Arguments:
        y: the samples.
        x: the positions of the samples, of one dimension or of the shape of `y`; None if they are `dx` apart.
        dx: the distance between neighbors; None for 1.
        dim: the dimension of the samples.

    >>> from facula_tensor import tensor
    >>> trapezoid(tensor([1.0, 2.0, 3.0]), dx=2)
    tensor(8.)
    """
    areas, at = _areas("trapezoid", y, x, dx, dim)
    return F.div(F.sum(areas, ((at,), False)), 2)


@function(overridable=True, instead=trapezoid)
def trapz(y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1) -> None:
    """Alias of `trapezoid`, its older name.

    Arguments:
        y: the samples.
        x: the positions of the samples, or None.
        dx: the distance between neighbors; None for 1.
        dim: the dimension of the samples.

    >>> from facula_tensor import tensor
    >>> trapz(tensor([1.0, 2.0, 3.0]))
    tensor(4.)
    """


@function(overridable=True, inline=True)
def cumulative_trapezoid(
    F: Namespace, y: Steady, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1
) -> Tensor:
    """Return the areas under a sampled curve up to each sample except the first, by the trapezoidal rule.

    Integers are added in int64.

    Arguments:
        y: the samples.
        x: the positions of the samples, of one dimension or of the shape of `y`; None if they are `dx` apart.
        dx: the distance between neighbors; None for 1.
        dim: the dimension of the samples.

    >>> from facula_tensor import tensor
    >>> cumulative_trapezoid(tensor([1.0, 2.0, 3.0]))
    tensor([1.5000, 4.0000])
    """
    areas, at = _areas("cumulative_trapezoid", y, x, dx, dim)
    return F.div(areas.cumsum(at), 2)


# --------------------------------------------------------------------------------------------------- gradient
@function(overridable=True, refuses={"edge_order not in (1, 2)": "edge_order to be 1 or 2; got {edge_order!r}"})
def gradient(
    F: Namespace,
    input: Steady,
    *,
    spacing: Scalar | Tensor | Sequence[Scalar] | Sequence[Tensor] = 1,
    dim: Dims | None = None,
    edge_order: int = 1,
) -> tuple[Tensor, ...]:
    """Estimate the gradient of a sampled function along dimensions: central differences, one-sided at the ends.

    Arguments:
        input: the samples.
        spacing: the distance between neighbors, or one per dimension; or the positions, a vector per dimension.
        dim: the dimensions, or None for all.
        edge_order: the order of the differences at the ends, 1 or 2.

    Returns:
        A tensor for each dimension.

    >>> from facula_tensor import tensor
    >>> gradient(tensor([1.0, 4.0, 9.0]))
    (tensor([3., 4., 5.]),)
    """
    layout = layout_of_tensor(input)
    ndim = len(layout.shape)
    spacing = 1 if spacing is None else spacing
    if dim is None:
        dims = list(range(ndim))
        if isinstance(spacing, (tuple, list)) and len(spacing) != ndim:
            raise ArgumentError(f"gradient: expected a spacing for each of {ndim} dimensions; got {len(spacing)}")
    else:
        chosen = dim if isinstance(dim, (tuple, list)) else (dim,)
        dims = [check_dim("gradient", axis, ndim) for axis in chosen]
        if len(set(dims)) != len(dims):
            raise ArgumentError(f"gradient: dim {tuple(chosen)} names a dimension twice; name each once")
    spacings = spacing if isinstance(spacing, (tuple, list)) else [spacing] * len(dims)
    if len(spacings) != len(dims):
        raise ArgumentError(f"gradient: expected a spacing for each of {len(dims)} dimensions; got {len(spacings)}")
    if layout.dtype.category < FLOATING:
        if layout.dtype is bool_ or layout.dtype.name == "uint8":
            raise DTypeError(f"gradient: not defined for {layout.dtype.name}; convert with .float()")
        input = F.to(input, (floating(layout.dtype),))
    return tuple([_slopes(input, step, at, edge_order) for step, at in zip(spacings, dims, strict=True)])


def _slopes(x: Tensor, spacing: Scalar | Tensor, dim: int, edge_order: int) -> Tensor:
    """Return the slopes of x along one dimension; see `gradient`."""
    n = x.shape[dim]
    if n < edge_order + 1:
        raise ArgumentError(
            f"gradient: expected at least {edge_order + 1} elements along dim {dim} for order {edge_order}; got {n}"
        )
    middle = (_part(x, dim, 0, -2), _part(x, dim, 1, -1), _part(x, dim, 2, 0))
    ends = [_part(x, dim, i, i + 1) for i in (*range(edge_order + 1), *range(n - edge_order - 1, n))]
    if isinstance(spacing, Tensor) and spacing.ndim:
        spacing = steady(spacing)
        if tuple(spacing.shape) != (n,):
            raise ArgumentError(f"gradient: expected {n} positions along dim {dim}; got shape {tuple(spacing.shape)}")
        shape = tuple([-1 if i == dim else 1 for i in range(x.ndim)])
        steps = recorded_ops.reshape(recorded_ops.sub(_part(spacing, 0, 1, 0), _part(spacing, 0, 0, -1)), shape)
        before, after = _part(steps, dim, 0, -1), _part(steps, dim, 1, 0)
        first, last = ([_part(steps, dim, i, i + 1) for i in places] for places in ((0, 1), (n - 2, n - 3)))
    else:
        before = after = spacing if isinstance(spacing, Tensor) else as_number(spacing, "gradient", "spacing")
        first = last = [before, before]
    if before is after:  # omit the middle element, which has weight 0 and may be infinite
        inner = recorded_ops.div(recorded_ops.sub(middle[2], middle[0]), 2 * before)
    else:
        both = before + after
        weights = (-after / (before * both), (after - before) / (before * after), before / (after * both))
        inner = _weighted(middle, weights)
    left, right = ends[: edge_order + 1], ends[edge_order + 1 :]
    if edge_order == 1:
        edges = [
            recorded_ops.div(recorded_ops.sub(left[1], left[0]), first[0]),
            recorded_ops.div(recorded_ops.sub(right[1], right[0]), last[0]),
        ]
    else:
        a, b = first
        c, d = last
        edges = [
            _weighted(left, (-(2 * a + b) / (a * (a + b)), (a + b) / (a * b), -a / (b * (a + b)))),
            _weighted(right, (c / (d * (c + d)), -(c + d) / (c * d), (2 * c + d) / (c * (c + d)))),
        ]
    return cat((edges[0], inner, edges[1]), dim)


def _weighted(parts: Sequence[Tensor], weights: Sequence[Steps]) -> Tensor:
    """Return the weighted sum of parts."""
    total = recorded_ops.mul(parts[0], weights[0])
    for part, weight in zip(parts[1:], weights[1:], strict=True):
        total = recorded_ops.add(total, recorded_ops.mul(part, weight))
    return total
