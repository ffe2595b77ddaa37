"""Shared helpers of reductions: dimensions, result shapes, and the expansion of gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import LEAF
from facula_errors import ArgumentError
from facula_storage import DType, Layout, contiguous, cpu
from facula_storage.extend.objects import new_instance

from ..._core.tensor import Tensor, check_dim, layout_of_tensor, steady
from ..._dispatch.namespaces import composite, no_record_ops
from ..._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from ..._core.types import Dims
    from ..._dispatch.kinds import Axes, Axis, Flag, KeepDims, ReducedDim, ReducedDims
    from ..._dispatch.namespaces import Namespace

MAX_DIMS = 64


def dims_of(operation: str, dim: Any, ndim: int) -> tuple[int, ...]:
    """Return the sorted dimensions that `dim` (None, an integer, or several) refers to; None, () and [] mean all."""
    if ndim > MAX_DIMS:
        raise ArgumentError(f"{operation}: expected at most {MAX_DIMS} dimensions; got {ndim}")
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(ndim))
    if not isinstance(dim, (tuple, list)):
        return (check_dim(operation, dim, ndim),) if ndim else ((), check_dim(operation, dim, 0))[0]
    found = sorted(check_dim(operation, axis, ndim) for axis in dim)
    if len(set(found)) != len(found):
        raise ArgumentError(f"{operation}: dim {tuple(dim)} names a dimension twice; name each once")
    return tuple(found) if ndim else ()


# Checked parameters by number of dimensions, dim and keepdim: a lookup is faster than checking again.
_checked: dict[tuple[object, ...], tuple[tuple[int, ...], bool]] = {}


def reduction(
    operation: str, input: Tensor, dim: Dims | None, keepdim: bool
) -> tuple[Tensor, tuple[tuple[int, ...], bool]]:
    """Return a snapshot of `input` and the pair of dimensions and `keepdim`: the arguments of a reducing operator."""
    try:  # `steady`, inlined
        layout = input._layout
        storage = input._storage
        offset = input._offset
        node = input.node
        parameters = _checked[len(layout.shape), dim, keepdim, type(dim)]
    except (AttributeError, KeyError, TypeError):  # not a tensor, an overriding tensor, or not cached
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
    plain = dim is None or type(dim) is int or (isinstance(dim, tuple) and not dim)  # tests only tuples for emptiness
    if plain and (keepdim is True or keepdim is False):
        _checked[ndim, dim, keepdim, type(dim)] = parameters
    return input, parameters


def over_dims(
    input: Tensor, dim: ReducedDims = None, keepdim: Flag = False, *, axis: Axes = None, keepdims: KeepDims = False
) -> None:
    """Define the signature of reductions over all elements or along dimensions."""


def over_dim(
    input: Tensor, dim: ReducedDim = None, keepdim: Flag = False, *, axis: Axis = None, keepdims: KeepDims = False
) -> None:
    """Define the signature of reductions over all elements or along one dimension."""


def reduced(layout: Layout, dims: tuple[int, ...], keepdim: bool, dtype: DType) -> Layout:
    """Return the contiguous layout that remains when `dims` are reduced."""
    if len(dims) == 1 and not keepdim:  # the usual case
        shape = (*layout.shape[: dims[0]], *layout.shape[dims[0] + 1 :])
    elif keepdim:
        shape = tuple([1 if i in dims else size for i, size in enumerate(layout.shape)])
    else:
        shape = tuple([size for i, size in enumerate(layout.shape) if i not in dims])
    return contiguous(shape, dtype, layout.device)


def in_one_pass(F: Namespace, *operands: Tensor) -> bool:
    """Return whether a gradient that is not recorded is computed by a kernel, which only the CPU has."""
    if F is not no_record_ops:
        return False
    for operand in operands:
        layout = layout_of_tensor(operand)
        if type(layout) is not Layout or layout.device is not cpu:
            return False
    return True


@composite
def keep_dims(F: Namespace, input: Tensor, dims: tuple[int, ...], keepdim: bool) -> Tensor:
    """Return a reduced tensor with the reduced dimensions restored as dimensions of length 1."""
    if not keepdim:
        for dim in dims:
            input = F.unsqueeze(input, dim)
    return input


@composite
def expand_grad(F: Namespace, g: Tensor, layout: Layout, dims: tuple[int, ...], keepdim: bool) -> Tensor:
    """Return a reduced tensor as a view with the shape before the reduction."""
    return F.expand(F.keep_dims(g, dims, keepdim), layout.shape)
