"""The public functions of `ops/shape/stacking.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

bodies = bodies_of("ops.shape.stacking")


@overridable
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Return views with at least one dimension; numbers become vectors.

    For several tensors, return a tuple.

    >>> from facula_tensor import tensor
    >>> atleast_1d(tensor(3))
    tensor([3])
    """
    try:
        return bodies.atleast_1d(*tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Return views with at least two dimensions; new ones come first.

    For several tensors, return a tuple.

    >>> from facula_tensor import tensor
    >>> atleast_2d(tensor([3, 4]))
    tensor([[3, 4]])
    """
    try:
        return bodies.atleast_2d(*tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Return views with at least three dimensions: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1).

    For several tensors, return a tuple.

    >>> from facula_tensor import tensor
    >>> atleast_3d(tensor([3, 4]))
    tensor([[[3],
             [4]]])
    """
    try:
        return bodies.atleast_3d(*tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the second dimension, or along the first if they have only one.

    >>> from facula_tensor import tensor
    >>> hstack([tensor([1, 2]), tensor(3)])
    tensor([1, 2, 3])
    """
    try:
        return bodies.hstack(tensors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the first dimension; vectors become rows.

    >>> from facula_tensor import tensor
    >>> vstack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    try:
        return bodies.vstack(tensors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the third dimension.

    >>> from facula_tensor import tensor
    >>> dstack([tensor([1, 2]), tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """
    try:
        return bodies.dstack(tensors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors along the second dimension; numbers and vectors become columns.

    >>> from facula_tensor import tensor
    >>> column_stack([tensor([1, 2]), tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    try:
        return bodies.column_stack(ops, tensors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Return a matrix of zeros with the given matrices on its diagonal; vectors are rows, numbers single elements.

    >>> from facula_tensor import tensor
    >>> block_diag(tensor([[1, 2]]), tensor(3))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    try:
        return bodies.block_diag(ops, *tensors)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def tensor_split(
    input: Tensor,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    dim: int = 0,
    *,
    indices: Sequence[int] | Tensor | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]:
    """Split a tensor along `dim` into views: a number of pieces of nearly equal length, or pieces between indices.

    Arguments:
        input: the tensor.
        indices_or_sections: the number of pieces, or the indices before which to split.
        dim: the dimension.
        indices: the indices before which to split, as a keyword argument.
        sections: the number of pieces, as a keyword argument.

    >>> from facula_tensor import arange
    >>> tensor_split(arange(5), 2), tensor_split(arange(5), (1, 4))
    ((tensor([0, 1, 2]), tensor([3, 4])), (tensor([0]), tensor([1, 2, 3]), tensor([4])))
    """
    if type(input) is not Tensor:
        input = as_tensor("tensor_split", input)
    return bodies.tensor_split(input, indices_or_sections, dim, indices=indices, sections=sections)


@overridable
@method()
def hsplit(
    input: Tensor,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    *,
    indices: Sequence[int] | Tensor | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]:
    """Split a tensor into equal pieces along the second dimension, or the first if there is only one.

        `tensor_split` also accepts numbers of sections that do not divide the length.

    Arguments:
        input: the tensor.
        indices_or_sections: the number of pieces, or the indices before which to split.
        indices: the indices before which to split, as a keyword argument.
        sections: the number of pieces, as a keyword argument.

    >>> from facula_tensor import ones
    >>> [one.shape for one in hsplit(ones(4, 2), 2)]
    [facula.Size([4, 1]), facula.Size([4, 1])]
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("hsplit", input)
        return bodies.hsplit(input, indices_or_sections, indices=indices, sections=sections)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def vsplit(
    input: Tensor,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    *,
    indices: Sequence[int] | Tensor | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]:
    """Split a tensor into equal pieces along the first dimension of at least two.

        `tensor_split` also accepts numbers of sections that do not divide the length.

    Arguments:
        input: the tensor.
        indices_or_sections: the number of pieces, or the indices before which to split.
        indices: the indices before which to split, as a keyword argument.
        sections: the number of pieces, as a keyword argument.

    >>> from facula_tensor import ones
    >>> [one.shape for one in vsplit(ones(2, 1), 2)]
    [facula.Size([1, 1]), facula.Size([1, 1])]
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("vsplit", input)
        return bodies.vsplit(input, indices_or_sections, indices=indices, sections=sections)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def dsplit(
    input: Tensor,
    indices_or_sections: int | Sequence[int] | Tensor | None = None,
    *,
    indices: Sequence[int] | Tensor | None = None,
    sections: int | None = None,
) -> tuple[Tensor, ...]:
    """Split a tensor into equal pieces along the third dimension.

        `tensor_split` also accepts numbers of sections that do not divide the length.

    Arguments:
        input: the tensor.
        indices_or_sections: the number of pieces, or the indices before which to split.
        indices: the indices before which to split, as a keyword argument.
        sections: the number of pieces, as a keyword argument.

    >>> from facula_tensor import ones
    >>> [one.shape for one in dsplit(ones(1, 1, 2), 2)]
    [facula.Size([1, 1, 1]), facula.Size([1, 1, 1])]
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("dsplit", input)
        return bodies.dsplit(input, indices_or_sections, indices=indices, sections=sections)
    except FaculaError as error:
        trim_traceback(error)
        raise
