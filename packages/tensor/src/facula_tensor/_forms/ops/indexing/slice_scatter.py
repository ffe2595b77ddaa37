"""The public functions of `ops/indexing/slice_scatter.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.promotion import as_integer
from ...._core.sizes import sizes as as_sizes
from ...._core.tensor import method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Lengths

bodies = bodies_of("ops.indexing.slice_scatter")


@overridable
@method()
@boundary
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """dim: the dimension."""
    input = steady_tensor("select_scatter", input)
    if type(index) is not int:
        index = as_integer(index, "select_scatter", "index")
    return bodies.select_scatter(ops, input, src, dim, index)


@overridable
@method()
@boundary
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """dim: the dimension."""
    input = steady_tensor("slice_scatter", input)
    if start is not None and type(start) is not int:
        start = as_integer(start, "slice_scatter", "start")
    if end is not None and type(end) is not int:
        end = as_integer(end, "slice_scatter", "end")
    if type(step) is not int:
        step = as_integer(step, "slice_scatter", "step")
    return bodies.slice_scatter(ops, input, src, dim, start, end, step)


@overridable
@method()
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    try:
        input = steady_tensor("diagonal_scatter", input)
        if type(offset) is not int:
            offset = as_integer(offset, "diagonal_scatter", "offset")
        return bodies.diagonal_scatter(ops, input, src, offset, dim1, dim2)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Lengths, stride: Lengths, storage_offset: int | None = None
) -> Tensor:
    try:
        input = steady_tensor("as_strided_scatter", input)
        size = as_sizes("as_strided_scatter", (size,))
        stride = as_sizes("as_strided_scatter", (stride,))
        if storage_offset is not None and type(storage_offset) is not int:
            storage_offset = as_integer(storage_offset, "as_strided_scatter", "storage_offset")
        return bodies.as_strided_scatter(input, src, size, stride, storage_offset)
    except FaculaError as error:
        trim_traceback(error)
        raise
