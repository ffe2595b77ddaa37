"""The public functions of `ops/elementwise/power.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import method
from ...._dispatch.arguments import first_named, unusable
from ...._dispatch.namespaces import inplace_ops
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.slow_call import call_out
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Operand

bodies = bodies_of("ops.elementwise.power")


@method()
@boundary
def pow(
    input: Operand | None = None,
    exponent: Operand | None = None,
    *,
    self: Operand | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """self: another name of `input`."""
    if self is not None:
        input = first_named("pow", input, self)
    result = ops.pow(input, exponent) if out is None else call_out("pow", (input, exponent), out)
    if result is NotImplemented:
        raise unusable("pow", (input, exponent))
    return result


@method()
def pow_(self: Tensor, exponent: Operand | None = None) -> Tensor:
    """`pow` in place: changes `self` and returns it. Arguments: those of `pow`."""
    try:
        return inplace_ops.pow(self, exponent)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def float_power(input: Operand, exponent: Operand, *, out: Tensor | None = None) -> Tensor:
    try:
        result = bodies.float_power(ops, input, exponent)
        return result if out is None else write_out("float_power", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
