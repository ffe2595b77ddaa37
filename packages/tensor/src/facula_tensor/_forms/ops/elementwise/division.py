"""The public functions of `ops/elementwise/division.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.arguments import refuse_choice, unusable
from ...._dispatch.namespaces import inplace_ops
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.slow_path.slow_call import call_out

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Operand


@method()
def div(input: Operand, other: Operand, *, rounding_mode: str | None = None, out: Tensor | None = None) -> Tensor:
    try:
        if rounding_mode not in (None, "floor", "trunc"):
            rounding_mode = refuse_choice("div", "rounding_mode", rounding_mode, "None, 'floor' or 'trunc'")
        if rounding_mode == "floor":
            result = ops.floor_divide(input, other) if out is None else call_out("floor_divide", (input, other), out)
        elif rounding_mode == "trunc":
            result = ops.trunc_divide(input, other) if out is None else call_out("trunc_divide", (input, other), out)
        else:
            result = ops.div(input, other) if out is None else call_out("div", (input, other), out)
        if result is NotImplemented:
            raise unusable("div", (input, other))
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def div_(self: Tensor, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """`div` in place: changes `self` and returns it. Arguments: those of `div`."""
    try:
        if rounding_mode not in (None, "floor", "trunc"):
            rounding_mode = refuse_choice("div_", "rounding_mode", rounding_mode, "None, 'floor' or 'trunc'")
        if rounding_mode == "floor":
            return inplace_ops.floor_divide(self, other)
        if rounding_mode == "trunc":
            return inplace_ops.trunc_divide(self, other)
        return inplace_ops.div(self, other)
    except FaculaError as error:
        trim_traceback(error)
        raise
