"""The public functions of `ops/elementwise/floating_point.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import changed

if TYPE_CHECKING:
    from ....ops.elementwise.floating_point import Frexp

bodies = bodies_of("ops.elementwise.floating_point")


@overridable
@method()
def frexp(input: Tensor, *, out: tuple[Tensor, Tensor] | None = None) -> Frexp:
    try:
        input = steady_tensor("frexp", input)
        return bodies.frexp(ops, input, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    if not isinstance(input, Tensor):
        input = as_tensor("ldexp", input)
    if not isinstance(other, Tensor):
        other = as_tensor("ldexp", other)
    result = bodies.ldexp(ops, input, other)
    return result if out is None else write_out("ldexp", result, out)


@method()
@boundary
def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """`ldexp` in place: changes `input` and returns it. Arguments: those of `ldexp`."""
    if not isinstance(input, Tensor):
        input = as_tensor("ldexp_", input)
    if not isinstance(other, Tensor):
        other = as_tensor("ldexp_", other)
    return changed("ldexp_", input, bodies.ldexp, other, leading=(ops,))


@overridable
@method()
@boundary
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    result = bodies.nextafter(ops, input, other)
    return result if out is None else write_out("nextafter", result, out)


@method()
@boundary
def nextafter_(self: Tensor, other: Tensor) -> Tensor:
    """`nextafter` in place: changes `self` and returns it. Arguments: those of `nextafter`."""
    return changed("nextafter_", self, bodies.nextafter, other, leading=(ops,))


@overridable
@method()
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        result = bodies.heaviside(ops, input, values)
        return result if out is None else write_out("heaviside", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def heaviside_(self: Tensor, values: Tensor) -> Tensor:
    """`heaviside` in place: changes `self` and returns it. Arguments: those of `heaviside`."""
    try:
        return changed("heaviside_", self, bodies.heaviside, values, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise
