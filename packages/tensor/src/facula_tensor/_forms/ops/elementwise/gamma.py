"""The public functions of `ops/elementwise/gamma.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from math import log, pi

from facula_errors import ArgumentError, DTypeError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer, floating
from ...._core.tensor import Tensor, method
from ...._creation.ranges import arange
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.elementwise.pointwise import is_real
from ....ops.memory.assignment import changed

bodies = bodies_of("ops.elementwise.gamma")


@overridable
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(n) is not int:
            n = as_integer(n, "polygamma", "n")
        if not isinstance(input, Tensor):
            input = as_tensor("polygamma", input)
        result = bodies.polygamma(ops, n, input)
        return result if out is None else write_out("polygamma", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def mvlgamma(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("mvlgamma", input)
        if type(p) is not int:
            p = as_integer(p, "mvlgamma", "p")
        if p < 1:
            raise ArgumentError(f"mvlgamma: expected p of at least 1; got {p}")
        if not is_real(input.dtype):
            raise DTypeError(f"mvlgamma: not defined for {input.dtype.name}; pass real numbers")
        x = input if input.is_floating_point() else input.to(floating(input.dtype))
        terms = ops.lgamma(ops.sub(x.unsqueeze(-1), arange(0, p, dtype=x.dtype, device=x.device) / 2))
        result = ops.add(ops.sum(terms, ((x.ndim,), False)), p * (p - 1) / 4 * log(pi))
        return result if out is None else write_out("mvlgamma", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def mvlgamma_(self: Tensor, p: int) -> Tensor:
    """`mvlgamma` in place: changes `self` and returns it. Arguments: those of `mvlgamma`."""
    try:
        if not isinstance(self, Tensor):
            self = as_tensor("mvlgamma_", self)
        if type(p) is not int:
            p = as_integer(p, "mvlgamma_", "p")
        return changed("mvlgamma_", self, bodies.mvlgamma, p, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise
