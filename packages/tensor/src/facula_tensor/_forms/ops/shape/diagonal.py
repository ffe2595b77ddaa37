"""The public functions of `ops/shape/diagonal.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.shape.diagonal")


@overridable
@method()
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    try:
        if type(offset) is not int:
            offset = as_integer(offset, "diagonal", "offset")
        return ops.diagonal(input, offset, dim1, dim2)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    try:
        input = steady_tensor("diag_embed", input)
        if type(offset) is not int:
            offset = as_integer(offset, "diag_embed", "offset")
        return bodies.diag_embed(input, offset, dim1, dim2)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def diag(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    try:
        input = steady_tensor("diag", input)
        if type(diagonal) is not int:
            diagonal = as_integer(diagonal, "diag", "diagonal")
        result = bodies.diag(ops, input, diagonal)
        return result if out is None else write_out("diag", result, out, (input,))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    try:
        input = steady_tensor("diagflat", input)
        if type(offset) is not int:
            offset = as_integer(offset, "diagflat", "offset")
        return bodies.diagflat(ops, input, offset)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def trace(input: Tensor) -> Tensor:
    try:
        input = steady_tensor("trace", input)
        if input.ndim != 2:
            raise ArgumentError(f"trace: expected a matrix; got shape {tuple(input.shape)}; use diagonal(...).sum(-1)")
        return ops.diagonal(input, 0, 0, 1).sum()
    except FaculaError as error:
        trim_traceback(error)
        raise
