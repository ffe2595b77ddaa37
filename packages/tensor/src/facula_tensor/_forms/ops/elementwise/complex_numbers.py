"""The public functions of `ops/elementwise/complex_numbers.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import ArgumentError, DTypeError, FaculaError
from facula_errors.extend import trim_traceback
from facula_storage.extend.layouts import COMPLEX

from ...._core.tensor import Tensor, layout_of_tensor, method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import no_record_ops
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import changed

bodies = bodies_of("ops.elementwise.complex_numbers")


@overridable
def real(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("real", input)
        return ops.real_of(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def imag(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("imag", input)
        dtype = layout_of_tensor(input).dtype
        if dtype.category != COMPLEX:
            raise DTypeError(f"imag: expected a complex tensor; got {dtype.name}")
        return ops.imag_view(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def view_as_real(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("view_as_real", input)
        return ops.view_as_real(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def view_as_complex(input: Tensor) -> Tensor:
    try:
        input = steady_tensor("view_as_complex", input)
        if input.storage_offset() % 2:
            raise ArgumentError(
                f"view_as_complex: expected an even storage offset; got {input.storage_offset()}; call .clone() first"
            )
        return ops.view_as_complex(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        return bodies.complex(ops, real, imag, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        return bodies.polar(ops, abs, angle, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def conj(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("conj", input)
        return ops.conj(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("conj_physical", input)
        result = ops.conj(input)
        return result if out is None else write_out("conj_physical", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def conj_physical_(input: Tensor) -> Tensor:
    """`conj_physical` in place."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("conj_physical_", input)
        return changed("conj_physical_", input, bodies.conj_physical, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def resolve_conj(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("resolve_conj", input)
        return input
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def resolve_neg(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("resolve_neg", input)
        return input
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def is_conj(input: Tensor) -> bool:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("is_conj", input)
        return False
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def is_neg(input: Tensor) -> bool:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("is_neg", input)
        return False
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def adjoint(input: Tensor) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("adjoint", input)
        return ops.conj(ops.mT(input) if layout_of_tensor(input).shape else input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        input = steady_tensor("angle", input)
        result = bodies.angle(ops, input)
        return result if out is None else write_out("angle", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        input = steady_tensor("sgn", input)
        result = ops.direction(input)
        return result if out is None else write_out("sgn", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def isreal(input: Tensor) -> Tensor:
    try:
        input = steady_tensor("isreal", input)
        x = input.detach()
        return no_record_ops.eq(
            no_record_ops.imag_view(x) if layout_of_tensor(x).dtype.is_complex else no_record_ops.zeros_like(x), 0
        )
    except FaculaError as error:
        trim_traceback(error)
        raise
