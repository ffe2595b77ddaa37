"""The public functions of `ops/reduction/covariance.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

bodies = bodies_of("ops.reduction.covariance")


@overridable
@method()
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    try:
        input = steady_tensor("cov", input)
        if type(correction) is not int:
            correction = as_integer(correction, "cov", "correction")
        return bodies.cov(ops, input, correction=correction, fweights=fweights, aweights=aweights)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def corrcoef(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("corrcoef", input)
        return bodies.corrcoef(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise
