"""Shared parts of reductions: their dimensions, the shape that is left, and the way back from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF
from facula_errors import ArgumentError
from facula_storage import DType, Layout, contiguous
from facula_storage.extend import new_instance

from ..._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from ..._dispatch.namespaces import composite
from ..._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from ..._core.types import Dims
    from ..._dispatch.kinds import Axes, Axis, Flag, KeepDims, ReducedDim, ReducedDims
    from ..._dispatch.namespaces import Namespace

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


# What calls meant, by number of dimensions, dim and keepdim: looking is quicker.
_known: dict[tuple[object, ...], tuple[tuple[int, ...], bool]] = {}


def reduction(
    operation: str, input: Tensor, dim: Dims | None, keepdim: bool
) -> tuple[Tensor, tuple[tuple[int, ...], bool]]:
    """Arguments of a reducing operator: `input` at one moment, and the pair of dimensions and `keepdim`."""
    try:  # `steady`, written out
        layout = input._layout
        storage = input._storage
        offset = input._offset
        node = input.node
        parameters = _known[len(layout.shape), dim, keepdim, type(dim)]
    except (AttributeError, KeyError, TypeError):  # no tensor, or one that overrides; or new
        pass
    else:
        if node is LEAF:
            return input, parameters
        t = new_instance(Tensor)
        t._layout = layout
        t._storage = storage
        t._offset = offset
        t.node = node
        return t, parameters
    input = steady(as_tensor(operation, input))
    ndim = len(layout_of_tensor(input).shape)
    parameters = dims_of(operation, dim, ndim), bool(keepdim)
    plain = dim is None or type(dim) is int or (isinstance(dim, tuple) and not dim)  # never asked of a NumPy number
    if plain and (keepdim is True or keepdim is False):
        _known[ndim, dim, keepdim, type(dim)] = parameters
    return input, parameters


def over_dims(
    input: Tensor, dim: ReducedDims = None, keepdim: Flag = False, *, axis: Axes = None, keepdims: KeepDims = False
) -> None:
    """The signature of reductions over all elements or along dimensions."""


def over_dim(
    input: Tensor, dim: ReducedDim = None, keepdim: Flag = False, *, axis: Axis = None, keepdims: KeepDims = False
) -> None:
    """The signature of reductions over all elements or along one dimension."""


def reduced(layout: Layout, dims: tuple[int, ...], keepdim: bool, dtype: DType) -> Layout:
    """The contiguous layout that is left when `dims` are reduced."""
    if keepdim:
        shape = tuple(1 if i in dims else size for i, size in enumerate(layout.shape))
    else:
        shape = tuple(size for i, size in enumerate(layout.shape) if i not in dims)
    return contiguous(shape, dtype, layout.device)


@composite
def keep_dims(F: Namespace, input: Tensor, dims: tuple[int, ...], keepdim: bool) -> Tensor:
    """A reduced tensor in the shape that it has if the reduced dimensions stay."""
    if not keepdim:
        for dim in dims:
            input = F.unsqueeze(input, dim)
    return input


@composite
def expand_grad(F: Namespace, g: Tensor, layout: Layout, dims: tuple[int, ...], keepdim: bool) -> Tensor:
    """A reduced tensor as a view of the shape it was reduced from."""
    return F.expand(F.keep_dims(g, dims, keepdim), layout.shape)
