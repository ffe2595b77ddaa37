"""The public functions of `ops/linalg/tril.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import Tensor, method
from ...._creation.filled import finish, with_options
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.types import DeviceLike, DTypeLike

bodies = bodies_of("ops.linalg.tril")


@overridable
@method()
def tril(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("tril", input)
        if type(diagonal) is not int:
            diagonal = as_integer(diagonal, "tril", "diagonal")
        result = bodies.tril(ops, "tril", input, diagonal)
        return result if out is None else write_out("tril", result, out, (input,))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def tril_(self: Tensor, diagonal: int = 0) -> Tensor:
    """`tril` in place: changes `self` and returns it. Arguments: those of `tril`."""
    try:
        if not isinstance(self, Tensor):
            self = as_tensor("tril_", self)
        if type(diagonal) is not int:
            diagonal = as_integer(diagonal, "tril_", "diagonal")
        return bodies.tril(ops, "tril_", self, diagonal)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def triu(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("triu", input)
        if type(diagonal) is not int:
            diagonal = as_integer(diagonal, "triu", "diagonal")
        result = bodies.triu(ops, "triu", input, diagonal)
        return result if out is None else write_out("triu", result, out, (input,))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def triu_(self: Tensor, diagonal: int = 0) -> Tensor:
    """`triu` in place: changes `self` and returns it. Arguments: those of `triu`."""
    try:
        if not isinstance(self, Tensor):
            self = as_tensor("triu_", self)
        if type(diagonal) is not int:
            diagonal = as_integer(diagonal, "triu_", "diagonal")
        return bodies.triu(ops, "triu_", self, diagonal)
    except FaculaError as error:
        trim_traceback(error)
        raise


def tril_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(tril_indices, locals())
        if type(row) is not int:
            row = as_integer(row, "tril_indices", "row")
        if type(col) is not int:
            col = as_integer(col, "tril_indices", "col")
        if type(offset) is not int:
            offset = as_integer(offset, "tril_indices", "offset")
        result = bodies.tril_indices("tril_indices", row, col, offset, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def triu_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(triu_indices, locals())
        if type(row) is not int:
            row = as_integer(row, "triu_indices", "row")
        if type(col) is not int:
            col = as_integer(col, "triu_indices", "col")
        if type(offset) is not int:
            offset = as_integer(offset, "triu_indices", "offset")
        result = bodies.triu_indices("triu_indices", row, col, offset, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise
