"""The public functions of `ops/elementwise/clamp.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import unusable
from ...._dispatch.namespaces import inplace_ops
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.slow_call import call_out
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from ...._core.types import Operand


@method()
@boundary
def clamp_min(input: Tensor, min: Operand, *, out: Tensor | None = None) -> Tensor:
    if not isinstance(input, Tensor):
        input = as_tensor("clamp_min", input)
    result = ops.clamp_min(input, min) if out is None else call_out("clamp_min", (input, min), out)
    if result is NotImplemented:
        raise unusable("clamp_min", (input, min))
    return result


@method()
def clamp_min_(input: Tensor, min: Operand) -> Tensor:
    """`clamp_min` in place: changes `input` and returns it. Arguments: those of `clamp_min`."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("clamp_min_", input)
        return inplace_ops.clamp_min(input, min)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
@boundary
def clamp_max(input: Tensor, max: Operand, *, out: Tensor | None = None) -> Tensor:
    if not isinstance(input, Tensor):
        input = as_tensor("clamp_max", input)
    result = ops.clamp_max(input, max) if out is None else call_out("clamp_max", (input, max), out)
    if result is NotImplemented:
        raise unusable("clamp_max", (input, max))
    return result


@method()
def clamp_max_(input: Tensor, max: Operand) -> Tensor:
    """`clamp_max` in place: changes `input` and returns it. Arguments: those of `clamp_max`."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("clamp_max_", input)
        return inplace_ops.clamp_max(input, max)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def clamp(
    input: Tensor, min: Operand | None = None, max: Operand | None = None, *, out: Tensor | None = None
) -> Tensor:
    """input: a tensor of real numbers."""
    try:
        if min is max is None:
            raise ArgumentError("clamp: expected min, max or both; got neither")
        if max is None:
            result = ops.clamp_min(input, min)
        elif min is None:
            result = ops.clamp_max(input, max)
        else:
            result = ops.clamp(input, min, max)
        if result is NotImplemented:
            raise unusable("clamp", (input, min, max))
        return result if out is None else write_out("clamp", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def clamp_(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """`clamp` in place: changes `input` and returns it. Arguments: those of `clamp`."""
    try:
        if min is max is None:
            raise ArgumentError("clamp_: expected min, max or both; got neither")
        if max is None:
            return inplace_ops.clamp_min(input, min)
        if min is None:
            return inplace_ops.clamp_max(input, max)
        return inplace_ops.clamp(input, min, max)
    except FaculaError as error:
        trim_traceback(error)
        raise
