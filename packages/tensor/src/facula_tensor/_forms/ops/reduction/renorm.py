"""The public functions of `ops/reduction/renorm.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.promotion import as_real
from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import changed

if TYPE_CHECKING:
    from ...._core.types import Lengths

bodies = bodies_of("ops.reduction.renorm")


@overridable
@method()
@boundary
def renorm(input: Tensor, p: float, dim: int, maxnorm: float, *, out: Tensor | None = None) -> Tensor:
    if not isinstance(input, Tensor):
        input = as_tensor("renorm", input)
    if type(p) is not float and type(p) is not int:
        p = as_real(p, "renorm", "p")
    if type(maxnorm) is not float and type(maxnorm) is not int:
        maxnorm = as_real(maxnorm, "renorm", "maxnorm")
    if not p > 0:
        raise ArgumentError(f"renorm: expected p above 0; got {p}")
    if maxnorm < 0:
        raise ArgumentError(f"renorm: expected maxnorm of at least 0; got {maxnorm}")
    result = bodies.renorm(ops, input, p, dim, maxnorm)
    return result if out is None else write_out("renorm", result, out)


@method()
@boundary
def renorm_(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """`renorm` in place: changes `self` and returns it. Arguments: those of `renorm`."""
    if not isinstance(self, Tensor):
        self = as_tensor("renorm_", self)
    if type(p) is not float and type(p) is not int:
        p = as_real(p, "renorm_", "p")
    if type(maxnorm) is not float and type(maxnorm) is not int:
        maxnorm = as_real(maxnorm, "renorm_", "maxnorm")
    if not p > 0:
        raise ArgumentError(f"renorm_: expected p above 0; got {p}")
    if maxnorm < 0:
        raise ArgumentError(f"renorm_: expected maxnorm of at least 0; got {maxnorm}")
    return changed("renorm_", self, bodies.renorm, p, dim, maxnorm, leading=(ops,))


@method()
def sum_to_size(self: Tensor, *size: Lengths) -> Tensor:
    try:
        self = steady_tensor("sum_to_size", self)
        return bodies.sum_to_size(ops, self, *size)
    except FaculaError as error:
        trim_traceback(error)
        raise
