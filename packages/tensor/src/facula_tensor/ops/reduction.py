"""Reductions: sums, means and extremes, over all elements or along dimensions."""

from __future__ import annotations

from math import prod as product
from typing import Any

from facula_storage import DType, Layout, bool_, contiguous, float32, int64
from facula_storage.extend import COMPLEX, FLOATING

from .._declare import operator
from .._errors import ArgumentError, DTypeError
from .._general import describe
from .._memory import check_out
from .._operator import composite, passed_on, recording
from .._overrides import asks
from .._promotion import accumulating, as_dtype
from .._tensor import Tensor, check_dim, layout_of_tensor, method
from .._viewing import as_tensor
from .copying import give

__all__ = ["all", "amax", "amin", "any", "argmax", "argmin", "max", "mean", "min", "sum"]


MOST_DIMS = 64


def dims_of(operation: str, dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions that `dim` (None, an integer, or several) means, sorted; all of them for None, () and []."""
    if ndim > MOST_DIMS:
        raise ArgumentError(f"{operation}: expected at most {MOST_DIMS} dimensions; got {ndim}")
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(ndim))
    if not isinstance(dim, (tuple, list)):
        return (check_dim(operation, dim, ndim),) if ndim else ((), check_dim(operation, dim, 0))[0]
    found = sorted(check_dim(operation, one, ndim) for one in dim)
    if len(set(found)) != len(found):
        raise ArgumentError(f"{operation}: dim {tuple(dim)} names a dimension twice")
    return tuple(found) if ndim else ()


def axis_for(dim: Any, axis: Any, operation: str) -> Any:
    """`axis`, which NumPy's programs call `dim`; TypeError where both are given. (`keepdims` is their `keepdim`.)"""
    if dim is None or dim == ():
        return axis
    raise TypeError(f"{operation}: expected dim or axis, which are the same; got both, {dim} and {axis}")


def reduced(layout: Layout, dims: tuple[int, ...], keepdim: bool, dtype: DType) -> Layout:
    """The contiguous layout that is left when `dims` are reduced."""
    if keepdim:
        shape = tuple(1 if i in dims else size for i, size in enumerate(layout.shape))
    else:
        shape = tuple(size for i, size in enumerate(layout.shape) if i not in dims)
    return contiguous(shape, dtype, layout.device)


@composite
def spread(F: Any, g: Tensor, layout: Layout, dims: tuple[int, ...], keepdim: bool) -> Tensor:
    """A reduced tensor as a view of the shape it was reduced from."""
    if not keepdim:
        for dim in dims:
            g = F.unsqueeze(g, dim)
    return F.expand(g, layout.shape)


@composite
def sum_to(F: Any, g: Tensor, layout: Layout) -> Tensor:
    """`g` summed to the shape it was broadcast from."""
    shape, target = layout_of_tensor(g).shape, layout.shape
    if shape == target:
        return g
    extra = len(shape) - len(target)
    dims = tuple(i for i in range(len(shape)) if i < extra or (target[i - extra] == 1 and shape[i] != 1))
    if extra:
        leading = tuple(range(extra))
        kept = tuple(dim for dim in dims if dim >= extra)
        if kept:
            g = F.sum(g, (kept, True))
        return F.sum(g, (leading, False))
    return F.sum(g, (dims, True))


@operator
class _sum:
    """The sum along dimensions."""

    parameters = ("dims", "keepdim")
    holomorphic = False

    def outputs(layout, dims, keepdim):
        return reduced(layout, dims, keepdim, accumulating(layout.dtype))

    @passed_on
    def reverse_input(F, g, input_layout, dims, keepdim):
        return F.spread(g, input_layout, dims, keepdim)


@asks
@method()
def sum(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """The sum of all elements, or along `dim` (an integer or several).

    Integers and bool are summed in int64, and wrap where `dtype` is narrower; half precisions are summed in
    float32, and float32 in blocks, so that the error grows with the logarithm of the length. `keepdim` keeps
    reduced dimensions with length 1.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 2.0], [3.0, 4.0]]).sum(0)
    tensor([4., 6.])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "sum")
    input = as_tensor("sum", input)
    if dtype is not None:
        dtype = as_dtype(dtype, "sum")
        input = input.to(dtype)
    parameters = dims_of("sum", dim, input.ndim), bool(keepdim or keepdims)
    if dtype is None or accumulating(dtype) is dtype:
        return recording.sum(input, parameters, out=out)
    return give("sum", recording.sum(input, parameters).to(dtype), out)  # narrow integers wrap


@asks
@method()
def mean(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    dtype: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """The mean of all elements, or along `dim`. NaN where there is none. TypeError for integers: convert first.

    Half precisions are summed and divided in float32, so that the mean is finite where the sum would not be.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 2.0], [3.0, 4.0]]).mean()
    tensor(2.5000)
    """
    if axis is not None:
        dim = axis_for(dim, axis, "mean")
    input = as_tensor("mean", input)
    if dtype is not None:
        dtype = as_dtype(dtype, "mean")
        if dtype.category < FLOATING:
            raise DTypeError(f"mean: expected dtype to be floating or complex; got {dtype.name}; convert the mean")
        input = input.to(dtype)
    if input.dtype.category < FLOATING:
        raise DTypeError(f"mean: not defined for {input.dtype.name}; convert with .float(), or give dtype=")
    dims = dims_of("mean", dim, input.ndim)
    count = product(input.shape[i] for i in dims)
    half = input.dtype.category == FLOATING and input.dtype.itemsize == 2
    total = recording.sum(input.to(float32) if half else input, (dims, bool(keepdim or keepdims)))
    result = recording.div(total, float(count)) if count else recording.mul(total, float("nan"))
    return give("mean", result.to(input.dtype) if half else result, out)


def _extreme(name: str, other_doc: str) -> Any:
    class body:
        parameters = ("dims", "keepdim")

        def outputs(layout, dims, keepdim):
            _check_not_empty(name, layout, dims)
            return reduced(layout, dims, keepdim, layout.dtype)

        def reverse_input(F, g, input, input_layout, dims, keepdim):
            out = F.expand_extreme(name, input, dims)
            winners = F.to(F.eq(input, out), (g.dtype,))
            share = F.div(winners, F.sum(winners, (dims, True)))
            return F.mul(F.spread(g, input_layout, dims, keepdim), share)

    body.__name__, body.__doc__, body.__module__ = "_" + name, other_doc, __name__
    return operator(body)


_amax = _extreme("amax", "The largest element along dimensions.")
_amin = _extreme("amin", "The smallest element along dimensions.")


@composite
def expand_extreme(F: Any, name: str, input: Tensor, dims: tuple[int, ...]) -> Tensor:
    """The extreme along `dims`, with the reduced dimensions kept."""
    return getattr(F, name)(input, (dims, True))


def _check_not_empty(operation: str, layout: Layout, dims: tuple[int, ...]) -> None:
    if layout.dtype.category == COMPLEX:
        raise DTypeError(f"{operation}: complex numbers have no order; got {layout.dtype.name}")
    if 0 in [layout.shape[i] for i in dims]:
        raise ArgumentError(
            f"{operation}: expected at least one element to choose from; got shape {layout.shape}, empty along {dims}"
        )


@asks
@method()
def amax(
    input: Tensor,
    dim: Any = (),
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The largest element, or the largest along `dim`; NaN where there is one. Equal ones share the gradient.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 5.0], [3.0, 4.0]]).amax(1)
    tensor([5., 4.])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "amax")
    return recording.amax(
        as_tensor("amax", input), (dims_of("amax", dim, input.ndim), bool(keepdim or keepdims)), out=out
    )


@asks
@method()
def amin(
    input: Tensor,
    dim: Any = (),
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The smallest element, or the smallest along `dim`; NaN where there is one. Equal ones share the gradient.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 5.0], [3.0, 4.0]]).amin(1)
    tensor([1., 3.])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "amin")
    return recording.amin(
        as_tensor("amin", input), (dims_of("amin", dim, input.ndim), bool(keepdim or keepdims)), out=out
    )


class Extremes(tuple):
    """What `max` and `min` along a dimension give: `values` and `indices`."""

    __slots__ = ()
    name = "extremes"
    values = property(lambda self: self[0], doc="The extreme elements.")
    indices = property(lambda self: self[1], doc="Where along the dimension they are (int64).")

    def __repr__(self) -> str:
        return f"facula.return_types.{type(self).name}(\nvalues={self[0]!r},\nindices={self[1]!r})"


class MaxExtremes(Extremes):
    """Of `max`."""

    __slots__ = ()
    name = "max"


class MinExtremes(Extremes):
    """Of `min`."""

    __slots__ = ()
    name = "min"


def _along(name: str) -> Any:
    class body:
        parameters = ("dim", "keepdim")
        differentiable = (0,)
        arity = 1

        def outputs(layout, dim, keepdim):
            dims = (dim,) if layout.shape else ()
            _check_not_empty(name, layout, dims)
            values = reduced(layout, dims, keepdim, layout.dtype)
            return values, values.to_dtype(int64)

        def reverse_input(F, g, input, input_layout, dim, keepdim):
            _, indices = getattr(F, name)(input.detach(), (dim, True))
            return F.place(F.spread(g, input_layout, (dim,), keepdim), indices, dim)

    body.__name__, body.__doc__, body.__module__ = "_" + name, "The extreme along one dimension, and where.", __name__
    return operator(body)


_max_dim = _along("max_dim")
_min_dim = _along("min_dim")


@composite
def place(F: Any, g: Tensor, indices: Tensor, dim: int) -> Tensor:
    """`g` at the indices along `dim`, zero elsewhere."""
    if not g.ndim:
        return F.clone(g)
    from .._creation import arange

    positions = arange(g.shape[dim], device=g.device)
    shape = [1] * g.ndim
    shape[dim] = -1
    return F.where(F.eq(F.view(positions, tuple(shape)), indices), g, 0)


def _max_or_min(name: str, input: Tensor, dim: Any, keepdim: bool, whole: Any, along: Any, pair: Any, out: Any) -> Any:
    input = as_tensor(name, input)
    if dim is None:
        return whole(input, (tuple(range(input.ndim)), False), out=out)
    if isinstance(dim, Tensor):
        return give(name, pair(input, dim), out)
    if out is not None and not (isinstance(out, (tuple, list)) and len(out) == 2):
        raise TypeError(f"{name}: expected out to be two tensors (values, indices) along a dim; got {describe(out)}")
    at = check_dim(name, dim, input.ndim)
    if not input.ndim:  # a number is its own extreme, at place 0
        values, indices = along(recording.unsqueeze(input, 0), (0, False))
    else:
        values, indices = along(input, (at, bool(keepdim)))
    if out is not None:
        check_out(name, layout_of_tensor(indices), out[1], ())
        values, indices = give(name, values, out[0]), give(name, indices, out[1])
    return (MaxExtremes if name == "max" else MinExtremes)((values, indices))


@asks
@method()
def max(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: Any = None,
) -> Any:
    """The largest element; with `dim` the pair (values, indices) along it; with a tensor, `maximum`.

    The index is that of the first of equal elements. NaN counts as the largest. `out` is a tensor, or along `dim` the
    pair (values, indices).

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 5.0], [3.0, 4.0]]).max(1).indices
    tensor([1, 1])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "max")
    calls = recording.amax, recording.max_dim, recording.maximum
    return _max_or_min("max", input, dim, keepdim or keepdims, *calls, out)


@asks
@method()
def min(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: Any = None,
) -> Any:
    """The smallest element; with `dim` the pair (values, indices) along it; with a tensor, `minimum`.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 5.0], [3.0, 4.0]]).min(1).values
    tensor([1., 3.])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "min")
    calls = recording.amin, recording.min_dim, recording.minimum
    return _max_or_min("min", input, dim, keepdim or keepdims, *calls, out)


def _index_of(name: str) -> Any:
    class body:
        parameters = ("dim", "keepdim")

        def outputs(layout, dim, keepdim):
            dims = tuple(range(len(layout.shape))) if dim is None else (dim,) if layout.shape else ()
            _check_not_empty(name, layout, dims)
            return reduced(layout, dims, keepdim, int64)

    body.__name__, body.__doc__, body.__module__ = "_" + name, "Where the extreme is.", __name__
    return operator(body)


def _dim_or_none(operation: str, dim: int | None, ndim: int) -> int | None:
    """The dimension counted from the front; None for all of them, which a number has not."""
    if dim is None:
        return None
    dim = check_dim(operation, dim, ndim)
    return dim if ndim else None


_argmax = _index_of("argmax")
_argmin = _index_of("argmin")


@asks
@method()
def argmax(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The index of the largest element (of the flattened tensor, or along `dim`); the first of equal ones.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 5.0], [3.0, 4.0]]).argmax(0)
    tensor([1, 0])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "argmax")
    input = as_tensor("argmax", input)
    return recording.argmax(
        input.detach(), (_dim_or_none("argmax", dim, input.ndim), bool(keepdim or keepdims)), out=out
    )


@asks
@method()
def argmin(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The index of the smallest element (of the flattened tensor, or along `dim`); the first of equal ones.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 5.0], [3.0, 4.0]]).argmin(0)
    tensor([0, 1])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "argmin")
    input = as_tensor("argmin", input)
    return recording.argmin(
        input.detach(), (_dim_or_none("argmin", dim, input.ndim), bool(keepdim or keepdims)), out=out
    )


def _truth(name: str) -> Any:
    class body:
        parameters = ("dims", "keepdim")

        def outputs(layout, dims, keepdim):
            return reduced(layout, dims, keepdim, bool_)

    body.__name__, body.__doc__, body.__module__ = "_" + name, "Whether elements are nonzero.", __name__
    return operator(body)


_any = _truth("any")
_all = _truth("all")


@asks
@method()
def any(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Whether any element is nonzero, over all or along `dim`: bool, for every dtype.

    >>> from facula_tensor import tensor
    >>> tensor([[0, 1], [0, 0]]).any(1)
    tensor([ True, False])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "any")
    input = as_tensor("any", input).to(bool_)
    return recording.any(input, (dims_of("any", dim, input.ndim), bool(keepdim or keepdims)), out=out)


@asks
@method()
def all(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    axis: Any = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Whether all elements are nonzero, over all or along `dim`: bool, for every dtype.

    >>> from facula_tensor import tensor
    >>> tensor([[1, 1], [0, 1]]).all(1)
    tensor([ True, False])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "all")
    input = as_tensor("all", input).to(bool_)
    return recording.all(input, (dims_of("all", dim, input.ndim), bool(keepdim or keepdims)), out=out)
