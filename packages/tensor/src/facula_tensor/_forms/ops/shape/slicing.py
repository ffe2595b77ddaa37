"""The public functions of `ops/shape/slicing.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError, InvalidTypeError
from facula_errors.extend import trim_traceback
from facula_storage.extend.layouts import INTEGER

from ...._core.errors import named, shown
from ...._core.promotion import as_integer
from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import axis_for, needed_dim
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable

if TYPE_CHECKING:
    from typing import SupportsIndex

    from ...._core.types import Scalar


@overridable
@method()
def select(input: Tensor, dim: int | None = None, index: int | None = None, *, axis: int | None = None) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "select")
        if dim is None:
            dim = needed_dim("select", dim)
        if index is not None and type(index) is not int:
            index = as_integer(index, "select", "index")
        return ops.select(input, dim, index)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def narrow(
    input: Tensor,
    dim: int | None = None,
    start: Scalar | Tensor | None = None,
    length: SupportsIndex | None = None,
    *,
    axis: int | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "narrow")
        if isinstance(start, Tensor) and (start.ndim or start.dtype.category != INTEGER):
            shape = tuple(start.shape)
            raise named(
                ArgumentError(f"narrow: expected start to be an integer; got {start.dtype.name} of shape {shape}")
            )
        if not hasattr(start, "__index__") or not hasattr(length, "__index__") or isinstance(length, Tensor):
            given = f"{shown(start)} and {shown(length)}"
            raise named(InvalidTypeError(f"narrow: expected start and length to be integers; got {given}"))
        if dim is None:
            dim = needed_dim("narrow", dim)
        return ops.narrow(input, dim, start.__index__(), length.__index__())  # type: ignore[union-attr]
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def unbind(input: Tensor, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """input: the tensor.
    dim: the dimension.
    """
    try:
        if axis is not None:
            dim = axis_for(dim or None, axis, "unbind")
        return ops.unbind(input, dim)  # type: ignore[return-value]  # several views
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def chunk(input: Tensor, chunks: int, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """input: the tensor.
    dim: the dimension.
    """
    try:
        if type(chunks) is not int:
            chunks = as_integer(chunks, "chunk", "chunks")
        if chunks <= 0:
            raise ArgumentError(f"chunk: expected chunks to be positive; got {chunks}")
        if axis is not None:
            dim = axis_for(dim or None, axis, "chunk")
        return ops.chunk(input, chunks, dim)  # type: ignore[return-value]  # several views
    except FaculaError as error:
        trim_traceback(error)
        raise
