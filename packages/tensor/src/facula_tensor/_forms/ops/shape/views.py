"""The public functions of `ops/shape/views.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.sizes import INTEGERS, sizes
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
    try:
        if size is not None or not INTEGERS.issuperset(map(type, shape)):
            shape = as_sizes("expand", shape, size, "size")
        return ops.expand(input, shape)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
@boundary
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    if not isinstance(other, Tensor):
        other = as_tensor("reshape_as", other)
    return ops.reshape(input, tuple(other.shape))


@method()
def view_as(input: Tensor, other: Tensor) -> Tensor:
    try:
        if not isinstance(other, Tensor):
            other = as_tensor("view_as", other)
        return ops.view(input, tuple(other.shape))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    try:
        seen = ops.flattened(input, start_dim, end_dim)
        return ops.flattened(ops.clone(input), start_dim, end_dim) if seen is None else seen
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    try:
        if not isinstance(other, Tensor):
            other = as_tensor("expand_as", other)
        return ops.expand(input, tuple(other.shape))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def broadcast_to(input: Tensor, shape: Lengths | None = None, *, size: Lengths | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("broadcast_to", input)
        return ops.expand(input, sizes("broadcast_to", () if shape is None else (shape,), size))
    except FaculaError as error:
        trim_traceback(error)
        raise
