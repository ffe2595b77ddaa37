"""Views with other orders and numbers of dimensions: `transpose`, `permute`, `squeeze`, `unsqueeze`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidIndexError
from facula_storage import Layout, layout_of

from ..._core.memory import selected_part
from ..._core.tensor import Tensor, check_dim, method
from ..._dispatch.arguments import axis_for
from ..._dispatch.declaration import view
from ..._dispatch.namespaces import may_alias_grad, operators, recorded_ops
from ..._dispatch.view_call import form
from ..._dispatch.written import function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._core.types import Dims
    from ..._dispatch.kinds import Axis, Each, RequiredDim, SizesByName
    from ..._dispatch.namespaces import Namespace
    from ..._dispatch.view_call import Window


def new_dim(operation: str, dim: int, ndim: int) -> int:
    """Return the position of a new dimension in addition to `ndim`, counted from the front.

    Raises:
        IndexError: if the position is out of range; the message names `operation`.
    """
    try:
        return check_dim(operation, dim, ndim + 1)
    except IndexError:
        raise InvalidIndexError(
            f"{operation}: dim is {dim}; expected {-ndim - 1} to {ndim} to add a dimension to {ndim}"
        ) from None


def permuted(layout: Layout, order: Sequence[int]) -> Layout:
    """Return the layout with its dimensions in another order."""
    shape, strides = layout.shape, layout.strides
    return layout_of(tuple([shape[i] for i in order]), tuple([strides[i] for i in order]), layout.dtype, layout.device)


@view
class transpose:
    """Return a view with two dimensions exchanged.

    Arguments:
        dim0: one dimension.
        dim1: the other.

    >>> from facula_tensor import ones
    >>> transpose(ones(2, 3), 0, 1).shape
    facula.Size([3, 2])
    """

    parameters = ("dim0", "dim1")
    method = overridable = quick = True

    @staticmethod
    def signature(input: Tensor, dim0: int, dim1: int) -> None: ...

    def window(layout, dim0, dim1):
        order = list(range(len(layout.shape)))
        i, j = check_dim("transpose", dim0, len(order)), check_dim("transpose", dim1, len(order))
        if order:
            order[i], order[j] = order[j], order[i]
        return permuted(layout, order), 0

    @may_alias_grad
    def vjp_input(F, g, _input_layout, dim0, dim1):
        return F.transpose(g, dim0, dim1)


@view
class _reverse_dims:
    """A view with all dimensions in reverse order."""

    def window(layout):
        return layout.transposed(), 0

    @may_alias_grad
    def vjp_input(F, g):
        return F.reverse_dims(g)


@view
class permute:
    """Return a view with the dimensions in another order; `order` contains each once.

    Arguments:
        order: the dimensions, as several arguments or one sequence.
        dims: the dimensions, as a keyword argument.

    >>> from facula_tensor import ones
    >>> permute(ones(2, 3, 4), 2, 0, 1).shape
    facula.Size([4, 2, 3])
    """

    parameters = ("dims",)
    method = overridable = quick = True

    @staticmethod
    def signature(input: Tensor, *order: Each, dims: SizesByName = None) -> None: ...

    def window(layout, dims):
        order = [check_dim("permute", dim, len(layout.shape)) for dim in dims]
        if sorted(order) != list(range(len(layout.shape))):
            raise ArgumentError(
                f"permute: expected dims to name each of {len(layout.shape)} dimension(s) once; got {dims}"
            )
        return permuted(layout, order), 0

    @may_alias_grad
    def vjp_input(F, g, _input_layout, dims):
        back = [0] * len(dims)
        for place, dim in enumerate(dims):
            back[dim] = place  # negative dimensions count from the end in both orders
        return F.permute(g, tuple(back))


@view
class _squeeze:
    """A view without dimensions of length 1."""

    def window(layout, *dims):
        ndim = len(layout.shape)
        chosen = {check_dim("squeeze", dim, ndim) for dim in dims} if dims else set(range(ndim))
        if dims and len(chosen) != len(dims):
            raise ArgumentError(
                f"squeeze: expected dim to name each dimension once; got {dims} for {ndim} dimension(s)"
            )
        kept = [i for i in range(ndim) if layout.shape[i] != 1 or i not in chosen]
        return permuted(layout, kept), 0

    @may_alias_grad
    def vjp_input(F, g, input_layout, *_dims):
        return F.reshape(g, input_layout.shape)


@view
class unsqueeze:
    """Return a view with a new dimension of length 1 at `dim`.

    Arguments:
        dim: the position of the new dimension in the result.

    >>> from facula_tensor import ones
    >>> unsqueeze(ones(2), 0).shape
    facula.Size([1, 2])
    """

    parameters = ("dim",)
    method = overridable = quick = True

    @staticmethod
    def signature(input: Tensor, dim: RequiredDim = None, *, axis: Axis = None) -> None: ...

    def window(layout, dim):
        at = new_dim("unsqueeze", dim, len(layout.shape))
        return selected_part("unsqueeze", layout, (*(slice(None),) * at, None))

    @may_alias_grad
    def vjp_input(F, g, input_layout, _dim):
        return F.reshape(g, input_layout.shape)


@function(method=True, inline=True)
def swapaxes(F: Namespace, input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Return a view with two dimensions exchanged; NumPy's name for `transpose`.

    Arguments:
        axis0: one dimension.
        axis1: the other.

    >>> from facula_tensor import ones
    >>> swapaxes(ones(2, 3), 0, 1).shape
    facula.Size([3, 2])
    """
    return F.transpose(input, axis0, axis1)


@method("mT")  # type: ignore[misc, prop-decorator]
@property
def mT(self: Tensor) -> Tensor:
    """A view with the last two dimensions exchanged."""
    return recorded_ops.mT(self)


@form
def _mT(layout: Layout) -> Window:
    ndim = len(layout.shape)
    if ndim == 2:
        return layout.transposed(), 0, operators["reverse_dims"].rule, ()
    if ndim < 2:
        raise ArgumentError(f"mT: expected at least 2 dimensions; got shape {layout.shape}")
    return permuted(layout, (*range(ndim - 2), ndim - 1, ndim - 2)), 0, operators["transpose"].rule, (-2, -1)


Tensor.T = property(  # type: ignore[method-assign, assignment]
    lambda self: recorded_ops.reverse_dims(self), doc="A view with all dimensions in reverse order."
)


@function(method=True, inline=True)
def movedim(F: Namespace, input: Tensor, source: Dims, destination: Dims) -> Tensor:
    """Return a view with the dimensions `source` moved to `destination`; the others keep their order.

    Arguments:
        source: a dimension, or several.
        destination: the positions of these dimensions in the result.

    >>> from facula_tensor import ones
    >>> movedim(ones(2, 3, 4), 0, -1).shape
    facula.Size([3, 4, 2])
    """
    return F.movedim(
        input,
        tuple(source) if isinstance(source, (tuple, list)) else source,
        tuple(destination) if isinstance(destination, (tuple, list)) else destination,
    )


@form
def _movedim(layout: Layout, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Window:
    ndim = len(layout.shape)
    sources, targets = (
        [check_dim("movedim", dim, ndim) for dim in (dims if isinstance(dims, tuple) else (dims,))]
        for dims in (source, destination)
    )
    if len(sources) != len(targets) or len(set(sources)) != len(sources) or len(set(targets)) != len(targets):
        raise ArgumentError(
            "movedim: expected source and destination of equal lengths without duplicates; "
            f"got {source} and {destination}"
        )
    rest = iter([i for i in range(ndim) if i not in sources])
    order = [sources[targets.index(i)] if i in targets else next(rest) for i in range(ndim)]
    return permuted(layout, order), 0, operators["permute"].rule, (tuple(order),)


@function(method=True, quick=True, inline=True)
def squeeze(F: Namespace, input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
    """Return a view without dimensions of length 1: without all of them, or only those in `dim`.

    Arguments:
        dim: a dimension or several; those of length 1 are removed. None removes all dimensions of length 1.
        axis: NumPy's name of `dim`.

    >>> from facula_tensor import ones
    >>> squeeze(ones(1, 2, 1)).shape
    facula.Size([2])
    """
    if axis is not None:
        dim = axis_for(dim, axis, "squeeze")
    if dim is None:
        return F.squeeze(input)
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    return F.squeeze(input, *dims) if dims else F.whole(input)


@view
class t:
    """Return the transpose of a matrix, as a view; vectors and numbers are returned unchanged.

    >>> from facula_tensor import ones
    >>> t(ones(2, 3)).shape
    facula.Size([3, 2])
    """

    def window(layout):
        if len(layout.shape) > 2:
            raise ArgumentError(f"t: expected at most 2 dimensions; got shape {layout.shape}; use transpose or permute")
        return layout.transposed(), 0

    @may_alias_grad
    def vjp_input(F, g):
        return F.reverse_dims(g)
