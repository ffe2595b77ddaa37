"""The public functions of `ops/shape/transpose.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.sizes import INTEGERS
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
    try:
        return ops.transpose(input, dim0, dim1)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def permute(input: Tensor, *order: Lengths, dims: Lengths | None = None) -> Tensor:
    try:
        if dims is not None or not INTEGERS.issuperset(map(type, order)):
            order = as_sizes("permute", order, dims, "dims")
        return ops.permute(input, order)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def unsqueeze(input: Tensor, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """input: the tensor.
    axis: NumPy's name of `dim`.
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
    try:
        return ops.transpose(input, axis0, axis1)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def movedim(input: Tensor, source: Dims, destination: Dims) -> Tensor:
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
