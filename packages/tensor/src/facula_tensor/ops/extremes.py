"""The largest and the smallest elements and where they are, over all elements or along dimensions."""

from __future__ import annotations

from typing import Any

from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Layout, int64
from facula_storage.extend import COMPLEX

from .._declare import operator
from .._errors import ArgumentError, DTypeError
from .._general import describe
from .._memory import check_out
from .._operator import composite, recording
from .._overrides import asks
from .._tensor import Tensor, check_dim, layout_of_tensor, method
from .._viewing import as_tensor
from .copying import give
from .reducing import axis_for, reduced, reduction

__all__ = ["amax", "amin", "argmax", "argmin", "max", "min"]


def _extreme(name: str, other_doc: str) -> Any:
    class body:
        parameters = ("dims", "keepdim")

        def outputs(layout, dims, keepdim):
            _check_not_empty(name, layout, dims)
            return reduced(layout, dims, keepdim, layout.dtype)

        def reverse_input(F, g, input, input_layout, dims, keepdim):
            out = F.expand_extreme(name, input, dims)
            winners = F.bitwise_or(F.eq(input, out), F.ne(input, input))  # the NaNs, where there are any
            count = F.sum(F.to(winners, (g.dtype,)), (dims, True))
            share = F.div(F.reshape(g, count.shape), count)
            return F.where(winners, share, 0)  # not times a mask: 0 * inf would be NaN

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
@boundary
def amax(
    input: Tensor,
    dim: Any = None,
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
    return recording.amax(*reduction("amax", input, dim, keepdim or keepdims), out)


@asks
@method()
@boundary
def amin(
    input: Tensor,
    dim: Any = None,
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
    return recording.amin(*reduction("amin", input, dim, keepdim or keepdims), out)


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
        results = ("values", "indices")

        def outputs(layout, dim, keepdim):
            dims = (dim,) if layout.shape else ()
            _check_not_empty(name, layout, dims)
            values = reduced(layout, dims, keepdim, layout.dtype)
            return values, values.to_dtype(int64)

        def reverse_input(F, g, indices, input_layout, dim, keepdim):
            if not keepdim:
                indices = F.unsqueeze(indices, dim)
            return F.place(F.spread(g, input_layout, (dim,), keepdim), indices, dim)

    body.__name__, body.__doc__, body.__module__ = "_" + name, "The extreme along one dimension, and where.", __name__
    return operator(body)


_max_dim = _along("max_dim")
_min_dim = _along("min_dim")


@composite
def place(F: Any, g: Tensor, indices: Tensor, dim: int) -> Tensor:
    """`g` at the indices along `dim`, zero elsewhere."""
    from .._ranges import arange

    positions = arange(g.shape[dim], device=g.device)
    shape = [1] * g.ndim
    shape[dim] = -1
    return F.where(F.eq(F.view(positions, tuple(shape)), indices), g, 0)


def _other_for(operation: str, dim: Any, other: Any) -> Tensor:
    """The second tensor, given by name."""
    if dim is not None:
        raise InvalidTypeError(f"{operation}: expected dim or other; got both, {dim!r} and {describe(other)}")
    return as_tensor(operation, other)


def _max_or_min(name: str, input: Tensor, dim: Any, keepdim: bool, along: Any, pair: Any, out: Any) -> Any:
    if isinstance(dim, Tensor):
        return give(name, pair(input, dim), out)
    if out is not None and not (isinstance(out, (tuple, list)) and len(out) == 2):
        raise InvalidTypeError(
            f"{name}: expected out to be two tensors (values, indices) along a dim; got {describe(out)}"
        )
    input, (at, keepdim) = _place(name, input, dim, keepdim)
    if at is None:  # a number is its own extreme, at place 0
        values, indices = along(recording.unsqueeze(input, 0), (0, False))
    else:
        values, indices = along(input, (at, keepdim))
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
    other: Tensor | None = None,
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
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "max")
        if other is not None:
            dim = _other_for("max", dim, other)
        if dim is None:
            return recording.amax(*reduction("max", input, None, False), out)
        calls = recording.max_dim, recording.maximum
        return _max_or_min("max", input, dim, keepdim or keepdims, *calls, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@asks
@method()
def min(
    input: Tensor,
    dim: Any = None,
    keepdim: bool = False,
    *,
    other: Tensor | None = None,
    axis: Any = None,
    keepdims: bool = False,
    out: Any = None,
) -> Any:
    """The smallest element; with `dim` the pair (values, indices) along it; with a tensor, `minimum`.

    >>> from facula_tensor import tensor
    >>> tensor([[1.0, 5.0], [3.0, 4.0]]).min(1).values
    tensor([1., 3.])
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "min")
        if other is not None:
            dim = _other_for("min", dim, other)
        if dim is None:
            return recording.amin(*reduction("min", input, None, False), out)
        calls = recording.min_dim, recording.minimum
        return _max_or_min("min", input, dim, keepdim or keepdims, *calls, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


def _index_of(name: str) -> Any:
    class body:
        parameters = ("dim", "keepdim")

        def outputs(layout, dim, keepdim):
            dims = tuple(range(len(layout.shape))) if dim is None else (dim,) if layout.shape else ()
            _check_not_empty(name, layout, dims)
            return reduced(layout, dims, keepdim, int64)

    body.__name__, body.__doc__, body.__module__ = "_" + name, "Where the extreme is.", __name__
    return operator(body)


def _place(operation: str, input: Tensor, dim: Any, keepdim: Any) -> tuple[Tensor, tuple[int | None, bool]]:
    """`input` at one moment, the one dimension or None for all of them, and whether it is kept."""
    if dim is not None and not hasattr(dim, "__index__"):
        check_dim(operation, dim, 0)  # says so
    input, (dims, keepdim) = reduction(operation, input, dim, keepdim)
    return input, (dims[0] if dim is not None and dims else None, keepdim)


_argmax = _index_of("argmax")
_argmin = _index_of("argmin")


@asks
@method()
@boundary
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
    return recording.argmax(*_place("argmax", input, dim, keepdim or keepdims), out)


@asks
@method()
@boundary
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
    return recording.argmin(*_place("argmin", input, dim, keepdim or keepdims), out)
