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
    """Numbers as views of one dimension; other tensors as they are. Of several tensors a tuple.

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
    """Views of at least two dimensions, new ones first. Of several tensors a tuple.

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
    """Views of at least three dimensions: (n,) as (1, n, 1), (m, n) as (m, n, 1). Of several tensors a tuple.

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
    """Tensors side by side: along the second dimension, or the first where there is one alone.

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
    """Tensors one below the other: along the first dimension, vectors as rows.

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
    """Tensors one behind the other: along the third dimension.

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
    """Tensors side by side, numbers and vectors as columns.

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
    """The matrix of zeros with the given matrices along its diagonal; vectors are rows, numbers one element.

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
    """Views of pieces along `dim`: as many, of nearly equal length, or cut before the indices that are given.

    Arguments:
        input: the tensor.
        indices_or_sections: the number of pieces, or the places of the cuts.
        dim: the dimension.
        indices: the places of the cuts, by name.
        sections: the number of pieces, by name.

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
    """`tensor_split` into equal pieces along the second dimension, or the first where there is one alone.

    Arguments:
        input: the tensor.
        indices_or_sections: the number of pieces, or the places of the cuts.
        indices: the places of the cuts, by name.
        sections: the number of pieces, by name.

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
    """`tensor_split` into equal pieces along the first dimension of two or more.

    Arguments:
        input: the tensor.
        indices_or_sections: the number of pieces, or the places of the cuts.
        indices: the places of the cuts, by name.
        sections: the number of pieces, by name.

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
    """`tensor_split` into equal pieces along the third dimension.

    Arguments:
        input: the tensor.
        indices_or_sections: the number of pieces, or the places of the cuts.
        indices: the places of the cuts, by name.
        sections: the number of pieces, by name.

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
