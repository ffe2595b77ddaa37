"""The public functions of `ops/elementwise/special.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.namespaces import inplace_ops
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import changed

bodies = bodies_of("ops.elementwise.special")


@overridable
@method()
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """input: a tensor of real numbers."""
    try:
        if eps is not None:
            result = bodies.clamped_logit("logit", input, eps)
            return result if out is None else write_out("logit", result, out)
        result = ops.logit(input)
        return result if out is None else write_out("logit", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def logit_(input: Tensor, eps: float | None = None) -> Tensor:
    """`logit` in place: changes `input` and returns it. Arguments: those of `logit`."""
    try:
        if eps is not None:
            return changed("logit_", input, bodies.clamped_logit, eps, leading=("logit_",))
        return inplace_ops.logit(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("sinc", input)
        if input.dtype.is_complex:
            result = bodies.complex_sinc("sinc", input)
            return result if out is None else write_out("sinc", result, out)
        result = ops.sinc(input)
        return result if out is None else write_out("sinc", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def sinc_(input: Tensor) -> Tensor:
    """`sinc` in place."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("sinc_", input)
        if input.dtype.is_complex:
            return changed("sinc_", input, bodies.complex_sinc, leading=("sinc_",))
        return inplace_ops.sinc(input)
    except FaculaError as error:
        trim_traceback(error)
        raise
