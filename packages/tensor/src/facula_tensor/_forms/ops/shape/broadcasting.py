"""The public functions of `ops/shape/broadcasting.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.promotion import as_integer
from ...._core.sizes import sizes as as_sizes
from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.types import Lengths

bodies = bodies_of("ops.shape.broadcasting")


def broadcast_shapes(*shapes: Lengths) -> tuple[int, ...]:
    """Return the shape to which tensors of the given shapes broadcast.

    Arguments:
        shapes: the shapes.

    Raises:
        ValueError: if the shapes do not broadcast.

    >>> broadcast_shapes((3, 1), (4,))
    facula.Size([3, 4])
    """
    try:
        return bodies.broadcast_shapes(*shapes)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return views of the tensors, expanded to the shape to which they broadcast.

    >>> from facula_tensor import ones
    >>> [one.shape for one in broadcast_tensors(ones(3, 1), ones(4))]
    [facula.Size([3, 4]), facula.Size([3, 4])]
    """
    try:
        return bodies.broadcast_tensors(ops, *tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return coordinate matrices: views of vectors, each along one dimension of a grid and expanded over the others.

    Arguments:
        tensors: the vectors, as several arguments or one sequence.
        indexing: "ij" (the default): the first vector varies along the rows; "xy": along the columns.

    >>> from facula_tensor import tensor
    >>> meshgrid(tensor([1, 2]), tensor([3, 4, 5]))[1]
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
    try:
        return bodies.meshgrid(ops, *tensors, indexing=indexing)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Return the Cartesian product of vectors, one combination per row; a single vector is returned as a view.

    >>> from facula_tensor import tensor
    >>> cartesian_prod(tensor([1, 2]), tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    try:
        return bodies.cartesian_prod(ops, *tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
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
    try:
        input = steady_tensor("combinations", input)
        if type(r) is not int:
            r = as_integer(r, "combinations", "r")
        return bodies.combinations(ops, input, r, with_replacement)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def ravel(input: Tensor) -> Tensor:
    """Return all elements in one dimension: a view if the strides allow it, otherwise a copy.

    >>> from facula_tensor import ones
    >>> ravel(ones(2, 3)).shape
    facula.Size([6])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("ravel", input)
        return bodies.ravel(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def unflatten(input: Tensor, dim: int, sizes: Lengths) -> Tensor:
    """Return a view with one dimension split into several.

    Arguments:
        input: a tensor of at least 1 dimension.
        dim: the dimension.
        sizes: the lengths of the new dimensions; one of them may be -1.

    >>> from facula_tensor import ones
    >>> unflatten(ones(2, 12), 1, (3, -1)).shape
    facula.Size([2, 3, 4])
    """
    if type(input) is not Tensor:
        input = as_tensor("unflatten", input)
    sizes = as_sizes("unflatten", (sizes,))
    return bodies.unflatten(ops, input, dim, sizes)
