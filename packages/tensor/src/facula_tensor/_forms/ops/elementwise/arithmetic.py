"""The public functions of `ops/elementwise/arithmetic.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError, FaculaError
from facula_errors.extend import trim_traceback
from facula_storage.extend.layouts import BOOL

from ...._core.tensor import Tensor, method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.types import Operand, Scalar

bodies = bodies_of("ops.elementwise.arithmetic")


@overridable
@method()
def positive(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("positive", input)
        if input.dtype.category == BOOL:
            raise DTypeError("positive: not defined for bool; convert with .long(), or use ~ to invert a mask")
        return input
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def rsub(input: Tensor, other: Operand, *, alpha: Scalar = 1) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("rsub", input)
        return bodies.rsub(ops, input, other, alpha=alpha)
    except FaculaError as error:
        trim_traceback(error)
        raise
