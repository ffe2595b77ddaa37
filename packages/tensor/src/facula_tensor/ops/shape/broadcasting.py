"""Tensors brought to one shape, and grids of their elements: `broadcast_tensors`, `meshgrid`, `cartesian_prod`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import ArgumentError, InvalidTypeError

from ..._core.size import Size
from ..._core.sizes import sizes
from ..._core.tensor import Tensor, check_dim
from ..._creation.filled import empty
from ..._creation.from_data import from_numpy
from ..._dispatch.arguments import steady_tensor
from ..._dispatch.slow_path.planning import broadcast_shapes as common_shape
from ..._dispatch.written import function
from .joining import stack
from .views import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._core.types import Lengths
    from ..._dispatch.kinds import Checked, Integer, Sizes, Steady
    from ..._dispatch.namespaces import Namespace


@function()
def broadcast_shapes(*shapes: Lengths) -> tuple[int, ...]:
    """The shape that tensors of these shapes broadcast to; ValueError where they do not.

    Arguments:
        shapes: the shapes.

    >>> broadcast_shapes((3, 1), (4,))
    facula.Size([3, 4])
    """
    given = [sizes("broadcast_shapes", (one,)) for one in shapes]
    if any([min(one, default=0) < 0 for one in given]):
        raise ArgumentError(f"broadcast_shapes: expected lengths of at least 0; got {given}")
    return Size(common_shape("broadcast_shapes", *given) if given else ())


def _given_tensors(operation: str, tensors: tuple[Tensor | Sequence[Tensor], ...]) -> list[Tensor]:
    """The tensors, given by place or in one tuple or list."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    return [steady_tensor(operation, one) for one in given]


@function(overridable=True)
def broadcast_tensors(F: Namespace, *tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of the tensors in the shape that they broadcast to.

    >>> from facula_tensor import ones
    >>> [one.shape for one in broadcast_tensors(ones(3, 1), ones(4))]
    [facula.Size([3, 4]), facula.Size([3, 4])]
    """
    given = _given_tensors("broadcast_tensors", tensors)
    shape = common_shape("broadcast_tensors", *[tuple(one.shape) for one in given]) if given else ()
    return tuple([F.expand(one, shape) for one in given])


@function(overridable=True)
def meshgrid(F: Namespace, *tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]:
    """Views of vectors along the dimensions of a grid, each expanded over the others.

    Arguments:
        tensors: the vectors, as several arguments or one sequence.
        indexing: "ij" (as if left out), the first vector goes down; "xy", it goes across.

    >>> from facula_tensor import tensor
    >>> meshgrid(tensor([1, 2]), tensor([3, 4, 5]))[1]
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
    given = _given_tensors("meshgrid", tensors)
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
        along = F.reshape(one, (*(1,) * at, one.numel(), *(1,) * (len(order) - at - 1)))
        made.append(F.expand(along, shape))
    return tuple(made)


@function(overridable=True)
def cartesian_prod(F: Namespace, *tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """All combinations of one element of each vector, as rows; one vector is itself.

    >>> from facula_tensor import tensor
    >>> cartesian_prod(tensor([1, 2]), tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    given = _given_tensors("cartesian_prod", tensors)
    if any([one.ndim != 1 for one in given]):
        raise ArgumentError(f"cartesian_prod: expected vectors; got shapes {[tuple(one.shape) for one in given]}")
    if len(given) == 1:
        return F.view(given[0], tuple(given[0].shape))
    return stack([F.reshape(one, (one.numel(),)) for one in meshgrid(*given)], 1)


@function(overridable=True)
def combinations(F: Namespace, input: Steady, r: Integer = 2, with_replacement: bool = False) -> Tensor:
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
    if input.ndim != 1 or r < 0:
        raise ArgumentError(
            f"combinations: expected a vector and r of at least 0; got shape {tuple(input.shape)} and {r}"
        )
    if not r:
        return empty(0, dtype=input.dtype, device=input.device)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input.numel()), r))
    places = from_numpy(np.array(rows, np.int64).reshape(len(rows), r)).to(input.device)
    return F.take(input, places, (0,))


@function(method=True)
def ravel(F: Namespace, input: Checked) -> Tensor:
    """All elements in one dimension: a view where strides allow it, else a copy.

    >>> from facula_tensor import ones
    >>> ravel(ones(2, 3)).shape
    facula.Size([6])
    """
    return F.reshape(input, (input.numel(),))


@function(method=True)
def unflatten(F: Namespace, input: Checked, dim: int, sizes: Sizes) -> Tensor:
    """A view with one dimension divided into several.

    Arguments:
        input: a tensor of at least 1 dimension.
        sizes: the lengths of the new dimensions, of which one may be -1.

    >>> from facula_tensor import ones
    >>> unflatten(ones(2, 12), 1, (3, -1)).shape
    facula.Size([2, 3, 4])
    """
    shape = tuple(input.shape)
    at = check_dim("unflatten", dim, len(shape))
    if not sizes:
        raise ArgumentError("unflatten: expected sizes of at least one dimension; got none")
    if not shape:
        raise ArgumentError("unflatten: expected at least 1 dimension; got a number; use reshape")
    return F.view(input, (*shape[:at], *resolve("unflatten", sizes, shape[at]), *shape[at + 1 :]))
