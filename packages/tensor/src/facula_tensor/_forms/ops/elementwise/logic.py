"""The public functions of `ops/elementwise/logic.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import bool_

from ...._core.tensor import Tensor, method
from ...._dispatch.namespaces import no_record_ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.elementwise.logic import as_bool, infinite
from ....ops.memory.assignment import changed

bodies = bodies_of("ops.elementwise.logic")


@overridable
@method()
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("isinf", input)
        result = infinite(input.detach())
        return result if out is None else write_out("isinf", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("isneginf", input)
        result = bodies.isneginf(input)
        return result if out is None else write_out("isneginf", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("isposinf", input)
        result = bodies.isposinf(input)
        return result if out is None else write_out("isposinf", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("isfinite", input)
        x = input.detach()
        result = no_record_ops.eq(no_record_ops.add(infinite(x), no_record_ops.isnan(x)), False)
        return result if out is None else write_out("isfinite", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    if not isinstance(input, Tensor):
        input = as_tensor("logical_and", input)
    if not isinstance(other, Tensor):
        other = as_tensor("logical_and", other)
    result = no_record_ops.mul(as_bool(input), as_bool(other))
    return result if out is None else write_out("logical_and", result, out)


@method()
@boundary
def logical_and_(self: Tensor, other: Tensor) -> Tensor:
    """`logical_and` in place: changes `self` and returns it. Arguments: those of `logical_and`."""
    if not isinstance(self, Tensor):
        self = as_tensor("logical_and_", self)
    if not isinstance(other, Tensor):
        other = as_tensor("logical_and_", other)
    return changed("logical_and_", self, bodies.logical_and, other)


@overridable
@method()
@boundary
def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    if not isinstance(input, Tensor):
        input = as_tensor("logical_or", input)
    if not isinstance(other, Tensor):
        other = as_tensor("logical_or", other)
    result = no_record_ops.add(as_bool(input), as_bool(other))
    return result if out is None else write_out("logical_or", result, out)


@method()
@boundary
def logical_or_(self: Tensor, other: Tensor) -> Tensor:
    """`logical_or` in place: changes `self` and returns it. Arguments: those of `logical_or`."""
    if not isinstance(self, Tensor):
        self = as_tensor("logical_or_", self)
    if not isinstance(other, Tensor):
        other = as_tensor("logical_or_", other)
    return changed("logical_or_", self, bodies.logical_or, other)


@overridable
@method()
@boundary
def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    if not isinstance(input, Tensor):
        input = as_tensor("logical_xor", input)
    if not isinstance(other, Tensor):
        other = as_tensor("logical_xor", other)
    result = no_record_ops.ne(as_bool(input), as_bool(other))
    return result if out is None else write_out("logical_xor", result, out)


@method()
@boundary
def logical_xor_(self: Tensor, other: Tensor) -> Tensor:
    """`logical_xor` in place: changes `self` and returns it. Arguments: those of `logical_xor`."""
    if not isinstance(self, Tensor):
        self = as_tensor("logical_xor_", self)
    if not isinstance(other, Tensor):
        other = as_tensor("logical_xor_", other)
    return changed("logical_xor_", self, bodies.logical_xor, other)


@overridable
@method()
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("logical_not", input)
        result = no_record_ops.eq(input.detach(), False if input.dtype is bool_ else 0)
        return result if out is None else write_out("logical_not", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def logical_not_(self: Tensor) -> Tensor:
    """`logical_not` in place."""
    try:
        if not isinstance(self, Tensor):
            self = as_tensor("logical_not_", self)
        return changed("logical_not_", self, bodies.logical_not)
    except FaculaError as error:
        trim_traceback(error)
        raise
