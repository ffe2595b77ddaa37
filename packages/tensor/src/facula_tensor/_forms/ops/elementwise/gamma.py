"""The public functions of `ops/elementwise/gamma.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import source
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import assign_inplace

bodies = bodies_of("ops.elementwise.gamma")


@overridable
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if type(n) is not int:
            n = as_integer(n, "polygamma", "n")
        if type(input) is not Tensor:
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
        if type(input) is not Tensor:
            input = as_tensor("mvlgamma", input)
        if type(p) is not int:
            p = as_integer(p, "mvlgamma", "p")
        result = bodies.mvlgamma(ops, input, p)
        return result if out is None else write_out("mvlgamma", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def mvlgamma_(input: Tensor, p: int) -> Tensor:
    """`mvlgamma` in place: changes `input` and returns it. Arguments: those of `mvlgamma`."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("mvlgamma_", input)
        if type(p) is not int:
            p = as_integer(p, "mvlgamma_", "p")
        before = source("mvlgamma_", input)
        return assign_inplace("mvlgamma_", input, bodies.mvlgamma(ops, before, p))
    except FaculaError as error:
        trim_traceback(error)
        raise
