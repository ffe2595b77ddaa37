"""The public functions of `ops/elementwise/complex_numbers.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import source, steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.memory.assignment import assign_inplace

bodies = bodies_of("ops.elementwise.complex_numbers")


@overridable
def real(input: Tensor) -> Tensor:
    """Return the real part of each element, as a view; a real tensor is returned unchanged.

    >>> from facula_tensor import tensor
    >>> real(tensor([1 + 2j]))
    tensor([1.])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("real", input)
        return ops.real_of(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def imag(input: Tensor) -> Tensor:
    """Return the imaginary part of each element, as a view.

    Real tensors raise a TypeError (the attribute raises an AttributeError).

    >>> from facula_tensor import tensor
    >>> imag(tensor([1 + 2j]))
    tensor([2.])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("imag", input)
        return bodies.imag(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def view_as_real(input: Tensor) -> Tensor:
    """View complex numbers as pairs of real numbers, real part first, along a new last dimension.

    Real tensors raise a TypeError.

    >>> from facula_tensor import tensor
    >>> view_as_real(tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("view_as_real", input)
        return ops.view_as_real(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def view_as_complex(input: Tensor) -> Tensor:
    """View pairs of real numbers (..., 2), float32 or float64, as complex numbers (...).

    The two numbers of a pair must be adjacent, and each pair must begin at an even position of the storage; otherwise a
    ValueError is raised.

    >>> from facula_tensor import tensor
    >>> view_as_complex(tensor([[1.0, 2.0]]))
    tensor([1.+2.j])
    """
    try:
        input = steady_tensor("view_as_complex", input)
        return bodies.view_as_complex(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Construct complex numbers from their real and imaginary parts, which broadcast.

    Arguments:
        real: float32 or float64.
        imag: of the same dtype.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> complex(tensor([1.0]), tensor([2.0]))
    tensor([1.+2.j])
    """
    try:
        return bodies.complex(ops, real, imag, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Construct complex numbers from their magnitudes and angles, which broadcast.

    Arguments:
        abs: the magnitudes, float32 or float64.
        angle: the angles in radians, of the same dtype.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> polar(tensor([2.0]), tensor([0.0]))
    tensor([2.+0.j])
    """
    try:
        return bodies.polar(ops, abs, angle, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def conj(input: Tensor) -> Tensor:
    """Return the complex conjugate, in newly allocated memory; a real tensor is returned unchanged.

    (In PyTorch the result is a lazily conjugated view.)

    >>> from facula_tensor import tensor
    >>> conj(tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("conj", input)
        return ops.conj(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the complex conjugate, in newly allocated memory; a real tensor is returned unchanged.

    >>> from facula_tensor import tensor
    >>> conj_physical(tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    try:
        if type(input) is not Tensor:
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
        if type(input) is not Tensor:
            input = as_tensor("conj_physical_", input)
        before = source("conj_physical_", input)
        return assign_inplace("conj_physical_", input, bodies.conj_physical(ops, before))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def resolve_conj(input: Tensor) -> Tensor:
    """Return `input` itself: conjugates are never computed lazily."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("resolve_conj", input)
        return input
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def resolve_neg(input: Tensor) -> Tensor:
    """Return `input` itself: negations are never computed lazily."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("resolve_neg", input)
        return input
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def is_conj(input: Tensor) -> bool:
    """Return False: conjugates are never computed lazily."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("is_conj", input)
        return False
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def is_neg(input: Tensor) -> bool:
    """Return False: negations are never computed lazily."""
    try:
        if type(input) is not Tensor:
            input = as_tensor("is_neg", input)
        return False
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def adjoint(input: Tensor) -> Tensor:
    """Exchange the last two dimensions of matrices and conjugate them. The result is a view for real matrices.

    >>> from facula_tensor import tensor
    >>> adjoint(tensor([[1j, 2.0]]))
    tensor([[0.-1.j],
            [2.-0.j]])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("adjoint", input)
        return bodies.adjoint(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle of each complex element in radians, from -pi to pi; for real elements 0, or pi if negative.

    The result is real; integers use the default floating dtype. The slope at 0 is 0.

    >>> from facula_tensor import tensor
    >>> angle(tensor([1j, -1.0]))
    tensor([1.5708, 3.1416])
    """
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
    """Return x / |x| for each complex element, and 0 for 0; return the sign of real elements.

    >>> from facula_tensor import tensor
    >>> sgn(tensor([3 + 4j, 0]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    """
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
    """Return True for each element whose imaginary part is 0.

    >>> from facula_tensor import tensor
    >>> isreal(tensor([1 + 0j, 1j]))
    tensor([ True, False])
    """
    try:
        input = steady_tensor("isreal", input)
        return bodies.isreal(input)
    except FaculaError as error:
        trim_traceback(error)
        raise
