"""The public functions of `ops/shape/views.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.sizes import sizes
from ...._core.sizes import sizes as as_sizes
from ...._core.tensor import Tensor, method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from ...._core.types import Lengths


@overridable
@method()
def expand(input: Tensor, *shape: Lengths, size: Lengths | None = None) -> Tensor:
    """Return a view with dimensions of length 1 expanded and new leading dimensions added; -1 keeps a length.

    Arguments:
        input: the tensor.
        shape: the lengths, as numbers or as one sequence.
        size: `shape`, as a keyword argument.

    >>> from facula_tensor import tensor
    >>> tensor([[1], [2]]).expand(2, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    try:
        shape = as_sizes("expand", shape, size, "size")
        return ops.expand(input, shape)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
@boundary
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """Reshape a tensor to the shape of `other`, as `reshape` does.

    Arguments:
        input: the tensor.
        other: the tensor whose shape the result has.
    """
    if type(other) is not Tensor:
        other = as_tensor("reshape_as", other)
    return ops.reshape(input, tuple(other.shape))


@method()
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """Return a view in the shape of `other`.

    Arguments:
        input: the tensor.
        other: the tensor whose shape the result has.
    """
    try:
        if type(other) is not Tensor:
            other = as_tensor("view_as", other)
        return ops.view(input, tuple(other.shape))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge dimensions `start_dim` to `end_dim` into one.

    Arguments:
        input: the tensor.
        start_dim: the first dimension.
        end_dim: the last dimension.

    >>> from facula_tensor import ones
    >>> flatten(ones(2, 3, 4), 1).shape
    facula.Size([2, 12])
    """
    try:
        seen = ops.flattened(input, start_dim, end_dim)
        return ops.flattened(ops.clone(input), start_dim, end_dim) if seen is None else seen
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Return a view expanded to the shape of `other`.

    Arguments:
        input: the tensor.
        other: the tensor whose shape the result has.
    """
    try:
        if type(other) is not Tensor:
            other = as_tensor("expand_as", other)
        return ops.expand(input, tuple(other.shape))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def broadcast_to(input: Tensor, shape: Lengths | None = None, *, size: Lengths | None = None) -> Tensor:
    """Return a view expanded to `shape`.

    Arguments:
        input: the tensor.
        shape: the lengths.
        size: another name of `shape`.

    >>> from facula_tensor import ones
    >>> broadcast_to(ones(3), (2, 3)).shape
    facula.Size([2, 3])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("broadcast_to", input)
        return ops.expand(input, sizes("broadcast_to", () if shape is None else (shape,), size))
    except FaculaError as error:
        trim_traceback(error)
        raise
