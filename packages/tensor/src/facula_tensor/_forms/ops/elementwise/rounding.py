"""The public functions of `ops/elementwise/rounding.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import Tensor, method
from ...._dispatch.namespaces import inplace_ops
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import changed

bodies = bodies_of("ops.elementwise.rounding")


@method()
@boundary
def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """input: a tensor of real numbers."""
    if type(decimals) is not int:
        decimals = as_integer(decimals, "round", "decimals")
    if decimals:
        result = bodies.to_places("round", input, decimals)
        return result if out is None else write_out("round", result, out)
    result = ops.round(input)
    return result if out is None else write_out("round", result, out)


@method()
def round_(input: Tensor, *, decimals: int = 0) -> Tensor:
    """`round` in place: changes `input` and returns it. Arguments: those of `round`."""
    try:
        if type(decimals) is not int:
            decimals = as_integer(decimals, "round_", "decimals")
        if decimals:
            return changed("round_", input, bodies.to_places, decimals, leading=("round_",))
        return inplace_ops.round(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("signbit", input)
        result = bodies.signbit(input)
        return result if out is None else write_out("signbit", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("nan_to_num", input)
        result = bodies.nan_to_num(ops, input, nan, posinf, neginf)
        return result if out is None else write_out("nan_to_num", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def nan_to_num_(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """`nan_to_num` in place: changes `input` and returns it. Arguments: those of `nan_to_num`."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("nan_to_num_", input)
        return changed("nan_to_num_", input, bodies.nan_to_num, nan, posinf, neginf, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise
