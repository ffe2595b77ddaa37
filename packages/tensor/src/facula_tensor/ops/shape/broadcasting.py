"""Broadcasting of several tensors, and grids of their elements: `broadcast_tensors`, `meshgrid`, `cartesian_prod`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from facula_errors import ArgumentError, InvalidTypeError

from ..._core.errors import named
from ..._core.size import Size
from ..._core.sizes import sizes
from ..._core.tensor import Tensor, check_dim
from ..._creation.filled import empty
from ..._creation.from_memory import from_numpy
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
    """Return the shape to which tensors of the given shapes broadcast.

    Arguments:
        shapes: the shapes.

    Raises:
        ValueError: if the shapes do not broadcast.

    >>> broadcast_shapes((3, 1), (4,))
    facula.Size([3, 4])
    """
    given = [sizes("broadcast_shapes", (shape,)) for shape in shapes]
    if any([min(shape, default=0) < 0 for shape in given]):
        raise ArgumentError(f"broadcast_shapes: expected lengths of at least 0; got {given}")
    return Size(common_shape("broadcast_shapes", *given) if given else ())


def _given_tensors(operation: str, tensors: tuple[Tensor | Sequence[Tensor], ...]) -> list[Tensor]:
    """Return the tensors, passed as separate arguments or as one tuple or list."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    return [steady_tensor(operation, tensor) for tensor in given]


@function(overridable=True)
def broadcast_tensors(F: Namespace, *tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return views of the tensors, expanded to the shape to which they broadcast.

    >>> from facula_tensor import ones
    >>> [view.shape for view in broadcast_tensors(ones(3, 1), ones(4))]
    [facula.Size([3, 4]), facula.Size([3, 4])]
    """
    given = _given_tensors("broadcast_tensors", tensors)
    shape = common_shape("broadcast_tensors", *[tuple(tensor.shape) for tensor in given]) if given else ()
    return tuple([F.expand(tensor, shape) for tensor in given])


@function(overridable=True)
def meshgrid(F: Namespace, *tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return coordinate matrices: views of vectors, each along one dimension of a grid and expanded over the others.

    Arguments:
        tensors: the vectors, as several arguments or one sequence.
        indexing: "ij" (the default): the first vector varies along the rows; "xy": along the columns.

    >>> from facula_tensor import tensor
    >>> meshgrid(tensor([1, 2]), tensor([3, 4, 5]))[1]
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
    given = _given_tensors("meshgrid", tensors)
    if indexing not in (None, "ij", "xy"):
        raise ArgumentError(f"meshgrid: expected indexing to be 'ij' or 'xy'; got {indexing!r}")
    if not given or any([vector.ndim > 1 for vector in given]):
        shapes = [tuple(vector.shape) for vector in given]
        raise named(ArgumentError(f"meshgrid: expected vectors and numbers; got shapes {shapes}"))
    if any([vector.dtype is not given[0].dtype or vector.device is not given[0].device for vector in given]):
        found = [f"{vector.dtype.name} on {vector.device}" for vector in given]
        raise named(InvalidTypeError(f"meshgrid: expected one dtype and device; got {found}"))
    order = list(range(len(given)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = 1, 0  # the index of the vector for each dimension
    shape = tuple([given[i].numel() for i in order])
    made = []
    for i, vector in enumerate(given):
        at = order.index(i)
        along = F.reshape(vector, (*(1,) * at, vector.numel(), *(1,) * (len(order) - at - 1)))
        made.append(F.expand(along, shape))
    return tuple(made)


@function(overridable=True)
def cartesian_prod(F: Namespace, *tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Return the Cartesian product of vectors, one combination per row; a single vector is returned as a view.

    >>> from facula_tensor import tensor
    >>> cartesian_prod(tensor([1, 2]), tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    given = _given_tensors("cartesian_prod", tensors)
    if any([vector.ndim != 1 for vector in given]):
        raise ArgumentError(f"cartesian_prod: expected vectors; got shapes {[tuple(vector.shape) for vector in given]}")
    if len(given) == 1:
        return F.view(given[0], tuple(given[0].shape))
    return stack([F.reshape(column, (column.numel(),)) for column in meshgrid(*given)], 1)


@function(overridable=True)
def combinations(F: Namespace, input: Steady, r: Integer = 2, with_replacement: bool = False) -> Tensor:
    """Return all combinations of `r` elements of a vector, one per row, in the vector's order.

    Arguments:
        input: a vector.
        r: the number of elements in a combination.
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
    """Return all elements in one dimension: a view if the strides allow it, otherwise a copy.

    >>> from facula_tensor import ones
    >>> ravel(ones(2, 3)).shape
    facula.Size([6])
    """
    return F.reshape(input, (input.numel(),))


@function(method=True)
def unflatten(F: Namespace, input: Checked, dim: int, sizes: Sizes) -> Tensor:
    """Return a view with one dimension split into several.

    Arguments:
        input: a tensor of at least 1 dimension.
        sizes: the lengths of the new dimensions; one of them may be -1.

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
