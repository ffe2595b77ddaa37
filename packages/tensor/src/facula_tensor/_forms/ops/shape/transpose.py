"""The public functions of `ops/shape/transpose.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.sizes import sizes as as_sizes
from ...._core.tensor import method
from ...._dispatch.arguments import axis_for, needed_dim
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Dims, Lengths


@overridable
@method()
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return a view with two dimensions exchanged.

    Arguments:
        input: the tensor.
        dim0: one dimension.
        dim1: the other.

    >>> from facula_tensor import ones
    >>> transpose(ones(2, 3), 0, 1).shape
    facula.Size([3, 2])
    """
    try:
        return ops.transpose(input, dim0, dim1)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def permute(input: Tensor, *order: Lengths, dims: Lengths | None = None) -> Tensor:
    """Return a view with the dimensions in another order; `order` contains each once.

    Arguments:
        input: the tensor.
        order: the dimensions, as several arguments or one sequence.
        dims: the dimensions, as a keyword argument.

    >>> from facula_tensor import ones
    >>> permute(ones(2, 3, 4), 2, 0, 1).shape
    facula.Size([4, 2, 3])
    """
    try:
        order = as_sizes("permute", order, dims, "dims")
        return ops.permute(input, order)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def unsqueeze(input: Tensor, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """Return a view with a new dimension of length 1 at `dim`.

    Arguments:
        input: the tensor.
        dim: the position of the new dimension in the result.
        axis: NumPy's name of `dim`.

    >>> from facula_tensor import ones
    >>> unsqueeze(ones(2), 0).shape
    facula.Size([1, 2])
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "unsqueeze")
        if dim is None:
            dim = needed_dim("unsqueeze", dim)
        return ops.unsqueeze(input, dim)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Return a view with two dimensions exchanged; NumPy's name for `transpose`.

    Arguments:
        input: the tensor.
        axis0: one dimension.
        axis1: the other.

    >>> from facula_tensor import ones
    >>> swapaxes(ones(2, 3), 0, 1).shape
    facula.Size([3, 2])
    """
    try:
        return ops.transpose(input, axis0, axis1)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def movedim(input: Tensor, source: Dims, destination: Dims) -> Tensor:
    """Return a view with the dimensions `source` moved to `destination`; the others keep their order.

    Arguments:
        input: the tensor.
        source: a dimension, or several.
        destination: the positions of these dimensions in the result.

    >>> from facula_tensor import ones
    >>> movedim(ones(2, 3, 4), 0, -1).shape
    facula.Size([3, 4, 2])
    """
    try:
        return ops.movedim(
            input,
            tuple(source) if isinstance(source, (tuple, list)) else source,
            tuple(destination) if isinstance(destination, (tuple, list)) else destination,
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def squeeze(input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
    """Return a view without dimensions of length 1: without all of them, or only those in `dim`.

    Arguments:
        input: the tensor.
        dim: a dimension or several; those of length 1 are removed. None removes all dimensions of length 1.
        axis: NumPy's name of `dim`.

    >>> from facula_tensor import ones
    >>> squeeze(ones(1, 2, 1)).shape
    facula.Size([2])
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "squeeze")
        if dim is None:
            return ops.squeeze(input)
        dims = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
        return ops.squeeze(input, *dims) if dims else ops.whole(input)
    except FaculaError as error:
        trim_traceback(error)
        raise
