"""Tensors brought to one shape, and grids of their elements: `broadcast_tensors`, `meshgrid`, `cartesian_prod`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary

from .._core.promotion import as_integer
from .._core.size import Size
from .._core.sizes import sizes
from .._core.tensor import Tensor, check_dim, method, steady
from .._creation.filled import empty
from .._creation.from_data import from_numpy
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.planning import broadcast_shapes as common_shape
from .._dispatch.view_call import as_tensor
from .join import stack
from .shape import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core.types import Lengths

__all__ = ["broadcast_shapes", "broadcast_tensors", "cartesian_prod", "combinations", "meshgrid", "ravel", "unflatten"]


@boundary
def broadcast_shapes(*shapes: Lengths) -> tuple[int, ...]:
    """The shape that tensors of these shapes broadcast to; ValueError where they do not.

    >>> broadcast_shapes((3, 1), (4,))
    facula.Size([3, 4])
    """
    given = [sizes("broadcast_shapes", (one,)) for one in shapes]
    if any([min(one, default=0) < 0 for one in given]):
        raise ArgumentError(f"broadcast_shapes: expected lengths of at least 0; got {given}")
    return Size(common_shape("broadcast_shapes", *given) if given else ())


def _given(operation: str, tensors: tuple[Tensor | Sequence[Tensor], ...]) -> list[Tensor]:
    """The tensors, given by place or in one tuple or list."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    return [steady(as_tensor(operation, one)) for one in given]


@overridable
@boundary
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of the tensors in the shape that they broadcast to.

    >>> from facula_tensor import ones
    >>> [one.shape for one in broadcast_tensors(ones(3, 1), ones(4))]
    [facula.Size([3, 4]), facula.Size([3, 4])]
    """
    given = _given("broadcast_tensors", tensors)
    shape = common_shape("broadcast_tensors", *[tuple(one.shape) for one in given]) if given else ()
    return tuple([recorded_ops.expand(one, shape) for one in given])


@overridable
@boundary
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]:
    """Views of vectors along the dimensions of a grid, each expanded over the others.

    `indexing`: "ij" (as if left out), the first vector goes down; "xy", it goes across.

    >>> from facula_tensor import tensor
    >>> meshgrid(tensor([1, 2]), tensor([3, 4, 5]))[1]
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
    given = _given("meshgrid", tensors)
    if indexing not in (None, "ij", "xy"):
        raise ArgumentError(f"meshgrid: expected indexing to be 'ij' or 'xy'; got {indexing!r}")
    if not given or any([one.ndim > 1 for one in given]):
        raise ArgumentError(f"meshgrid: expected vectors and numbers; got shapes {[tuple(one.shape) for one in given]}")
    if any([one.dtype is not given[0].dtype or one.device is not given[0].device for one in given]):
        raise InvalidTypeError(
            f"meshgrid: expected one dtype and device; got {[f'{one.dtype.name} on {one.device}' for one in given]}"
        )
    order = list(range(len(given)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = 1, 0  # which vector goes along each dimension
    shape = tuple([given[i].numel() for i in order])
    made = []
    for i, one in enumerate(given):
        at = order.index(i)
        along = recorded_ops.reshape(one, (*(1,) * at, one.numel(), *(1,) * (len(order) - at - 1)))
        made.append(recorded_ops.expand(along, shape))
    return tuple(made)


@overridable
@boundary
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """All combinations of one element of each vector, as rows; one vector is itself.

    >>> from facula_tensor import tensor
    >>> cartesian_prod(tensor([1, 2]), tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    given = _given("cartesian_prod", tensors)
    if any([one.ndim != 1 for one in given]):
        raise ArgumentError(f"cartesian_prod: expected vectors; got shapes {[tuple(one.shape) for one in given]}")
    if len(given) == 1:
        return recorded_ops.view(given[0], tuple(given[0].shape))
    return stack([recorded_ops.reshape(one, (one.numel(),)) for one in meshgrid(*given)], 1)


@overridable
@boundary
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of `r` elements of a vector in their order, as rows.

    Arguments:
        input: a vector.
        r: how many elements are chosen.
        with_replacement: whether an element may be chosen several times.

    >>> from facula_tensor import tensor
    >>> combinations(tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    input = steady(as_tensor("combinations", input))
    count = as_integer(r, "combinations", "r")
    if input.ndim != 1 or count < 0:
        raise ArgumentError(
            f"combinations: expected a vector and r of at least 0; got shape {tuple(input.shape)} and {r}"
        )
    if not count:
        return empty(0, dtype=input.dtype, device=input.device)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input.numel()), count))
    places = from_numpy(np.array(rows, np.int64).reshape(len(rows), count)).to(input.device)
    return recorded_ops.take(input, places, (0,))


@overridable
@method()
@boundary
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension: a view where strides allow it, else a copy.

    >>> from facula_tensor import ones
    >>> ravel(ones(2, 3)).shape
    facula.Size([6])
    """
    input = as_tensor("ravel", input)
    return recorded_ops.reshape(input, (input.numel(),))


@overridable
@method()
@boundary
def unflatten(input: Tensor, dim: int, sizes: Lengths) -> Tensor:
    """A view with one dimension divided into several.

    Arguments:
        input: a tensor of at least 1 dimension.
        dim: the dimension.
        sizes: the lengths of the new dimensions, of which one may be -1.

    >>> from facula_tensor import ones
    >>> unflatten(ones(2, 12), 1, (3, -1)).shape
    facula.Size([2, 3, 4])
    """
    parts, shape = _lengths(sizes), tuple(as_tensor("unflatten", input).shape)
    at = check_dim("unflatten", dim, len(shape))
    if not parts:
        raise ArgumentError("unflatten: expected sizes of at least one dimension; got none")
    if not shape:
        raise ArgumentError("unflatten: expected at least 1 dimension; got a number; use reshape")
    return recorded_ops.view(input, (*shape[:at], *resolve("unflatten", parts, shape[at]), *shape[at + 1 :]))


def _lengths(given: Lengths) -> tuple[int, ...]:
    return sizes("unflatten", (given,))
