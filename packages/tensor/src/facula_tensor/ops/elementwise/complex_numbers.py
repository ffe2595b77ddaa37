"""Public functions of complex numbers: parts, conjugates, angles, and construction from parts."""

from __future__ import annotations

from math import nan, pi
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError, MissingAttributeError
from facula_errors.extend import boundary
from facula_storage import float32, float64
from facula_storage.extend.layouts import COMPLEX, FLOATING

from ..._core.promotion import floating
from ..._core.tensor import Tensor, layout_of_tensor, method, steady
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..memory.assignment import assign_inplace

if TYPE_CHECKING:
    from ..._core.types import Operand
    from ..._dispatch.kinds import Checked, Steady
    from ..._dispatch.namespaces import Namespace


# ----------------------------------------------------------------------------------------------------- parts
@function(overridable=True, inline=True)
def real(F: Namespace, input: Checked) -> Tensor:
    """Return the real part of each element, as a view; a real tensor is returned unchanged.

    >>> from facula_tensor import tensor
    >>> real(tensor([1 + 2j]))
    tensor([1.])
    """
    return F.real_of(input)


@function(overridable=True)
def imag(F: Namespace, input: Checked) -> Tensor:
    """Return the imaginary part of each element, as a view.

    Real tensors raise a TypeError (the attribute raises an AttributeError).

    >>> from facula_tensor import tensor
    >>> imag(tensor([1 + 2j]))
    tensor([2.])
    """
    dtype = layout_of_tensor(input).dtype
    if dtype.category != COMPLEX:
        raise DTypeError(f"imag: expected a complex tensor; got {dtype.name}")
    return F.imag_view(input)


def _imag(self: Tensor) -> Tensor:
    dtype = layout_of_tensor(self).dtype
    if dtype.category != COMPLEX:  # an AttributeError, so that loops over all attributes continue
        raise MissingAttributeError(
            f"imag: expected a complex tensor; got {dtype.name}, whose elements have no imaginary part"
        )
    return recorded_ops.imag_view(self)


def _set_real(self: Tensor, new: Operand) -> None:
    recorded_ops.real_of(self).copy_(new)


def _set_imag(self: Tensor, new: Operand) -> None:
    _imag(self).copy_(new)


Tensor.real = property(  # type: ignore[method-assign, assignment]
    lambda self: recorded_ops.real_of(self), boundary(_set_real), doc="The real part of each element, as a view."
)
Tensor.imag = property(  # type: ignore[method-assign, assignment]
    boundary(_imag), boundary(_set_imag), doc="The imaginary part of each element, as a view."
)


@function(overridable=True, inline=True)
def view_as_real(F: Namespace, input: Checked) -> Tensor:
    """View complex numbers as pairs of real numbers, real part first, along a new last dimension.

    Real tensors raise a TypeError.

    >>> from facula_tensor import tensor
    >>> view_as_real(tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
    return F.view_as_real(input)


@function(overridable=True)
def view_as_complex(F: Namespace, input: Steady) -> Tensor:
    """View pairs of real numbers (..., 2), float32 or float64, as complex numbers (...).

    The two numbers of a pair must be adjacent, and each pair must begin at an even position of the storage; otherwise a
    ValueError is raised.

    >>> from facula_tensor import tensor
    >>> view_as_complex(tensor([[1.0, 2.0]]))
    tensor([1.+2.j])
    """
    if input.storage_offset() % 2:
        raise ArgumentError(
            f"view_as_complex: expected an even storage offset; got {input.storage_offset()}; call .clone() first"
        )
    return F.view_as_complex(input)


def _real_pair(name: str, names: tuple[str, str], *given: Tensor) -> tuple[Tensor, Tensor]:
    """Return snapshots of the two tensors; raise a TypeError with their names unless both are float32 or float64."""
    first, second = [steady(as_tensor(name, operand)) for operand in given]
    dtypes = [layout_of_tensor(operand).dtype for operand in (first, second)]
    if dtypes[0] not in (float32, float64) or dtypes[0] is not dtypes[1]:
        raise DTypeError(
            f"{name}: expected {names[0]} and {names[1]} both in float32, or both in float64; "
            f"got {dtypes[0].name} and {dtypes[1].name}; convert with .to()"
        )
    return first, second


def _complex_result(name: str, result: Tensor, out: Tensor | None) -> Tensor:
    """Return `result`, or write it to `out`; raise a TypeError if `out` has another dtype."""
    if out is not None and layout_of_tensor(as_tensor(name, out)).dtype is not result.dtype:
        raise DTypeError(f"{name}: expected out to be {result.dtype.name}; got {out.dtype.name}")
    return write_out(name, result, out)


@function(overridable=True)
def complex(F: Namespace, real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Construct complex numbers from their real and imaginary parts, which broadcast.

    Arguments:
        real: float32 or float64.
        imag: of the same dtype.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> complex(tensor([1.0]), tensor([2.0]))
    tensor([1.+2.j])
    """
    return _complex_result("complex", F.from_parts(*_real_pair("complex", ("real", "imag"), real, imag)), out)


@function(overridable=True)
def polar(F: Namespace, abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Construct complex numbers from their magnitudes and angles, which broadcast.

    Arguments:
        abs: the magnitudes, float32 or float64.
        angle: the angles in radians, of the same dtype.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> polar(tensor([2.0]), tensor([0.0]))
    tensor([2.+0.j])
    """
    size, turn = _real_pair("polar", ("abs", "angle"), abs, angle)
    return _complex_result("polar", F.from_parts(F.mul(size, F.cos(turn)), F.mul(size, F.sin(turn))), out)


# ------------------------------------------------------------------------------------------------- conjugates
@function(method=True, inline=True)
def conj(F: Namespace, input: Checked) -> Tensor:
    """Return the complex conjugate, in newly allocated memory; a real tensor is returned unchanged.

    (In PyTorch the result is a lazily conjugated view.)

    >>> from facula_tensor import tensor
    >>> conj(tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return F.conj(input)


@function(method=True, changes=True, out=True, inline=True)
def conj_physical(F: Namespace, input: Checked) -> Tensor:
    """Return the complex conjugate, in newly allocated memory; a real tensor is returned unchanged.

    >>> from facula_tensor import tensor
    >>> conj_physical(tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    return F.conj(input)


@function(method=True, inline=True)
def resolve_conj(input: Checked) -> Tensor:
    """Return `input` itself: conjugates are never computed lazily."""
    return input


@function(method=True, inline=True)
def resolve_neg(input: Checked) -> Tensor:
    """Return `input` itself: negations are never computed lazily."""
    return input


@function(method=True, inline=True)
def is_conj(input: Checked) -> bool:
    """Return False: conjugates are never computed lazily."""
    return False


@function(method=True, inline=True)
def is_neg(input: Checked) -> bool:
    """Return False: negations are never computed lazily."""
    return False


@function(method=True)
def adjoint(F: Namespace, input: Checked) -> Tensor:
    """Exchange the last two dimensions of matrices and conjugate them. The result is a view for real matrices.

    >>> from facula_tensor import tensor
    >>> adjoint(tensor([[1j, 2.0]]))
    tensor([[0.-1.j],
            [2.-0.j]])
    """
    return F.conj(F.mT(input) if layout_of_tensor(input).shape else input)


@method("mH")  # type: ignore[misc, prop-decorator]
@property
@boundary
def mH(self: Tensor) -> Tensor:
    """The `adjoint`: matrices with the last two dimensions exchanged, conjugated."""
    return adjoint(self)


@method("H")  # type: ignore[misc, prop-decorator]
@property
@boundary
def H(self: Tensor) -> Tensor:
    """The adjoint of one matrix. More dimensions raise a ValueError; `mH` transposes their last two."""
    if self.ndim not in (0, 2):
        raise ArgumentError(f"H: expected a matrix; got shape {tuple(self.shape)}; use mH for a stack of them")
    return adjoint(self)


# ------------------------------------------------------------------------------------------- angles and signs
@function(method=True, out=True)
def angle(F: Namespace, input: Steady) -> Tensor:
    """Return the angle of each complex element in radians, from -pi to pi; for real elements 0, or pi if negative.

    The result is real; integers use the default floating dtype. The slope at 0 is 0.

    >>> from facula_tensor import tensor
    >>> angle(tensor([1j, -1.0]))
    tensor([1.5708, 3.1416])
    """
    layout = layout_of_tensor(input)
    if layout.dtype.is_complex:
        return F.atan2(F.imag_view(input), F.real_view(input))
    if layout.dtype.category < FLOATING:
        input = F.to(input, (floating(layout.dtype),))
    sign = F.sign(input)  # its slope is 0
    half_turns = F.mul(F.sub(F.abs(sign), sign), pi / 2)
    return F.where(F.ne(input, input), nan, half_turns)


@function(method=True, out=True, inline=True)
def sgn(F: Namespace, input: Steady) -> Tensor:
    """Return x / |x| for each complex element, and 0 for 0; return the sign of real elements.

    >>> from facula_tensor import tensor
    >>> sgn(tensor([3 + 4j, 0]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    """
    return F.direction(input)


@overridable
@method()
@boundary
def sgn_(self: Tensor) -> Tensor:
    """Apply `sgn` to this tensor in place and return it."""
    return assign_inplace("sgn_", self, sgn(recorded_ops.clone(as_tensor("sgn_", self))))  # nodes save the old value


@function(method=True)
def isreal(input: Steady) -> Tensor:
    """Return True for each element whose imaginary part is 0.

    >>> from facula_tensor import tensor
    >>> isreal(tensor([1 + 0j, 1j]))
    tensor([ True, False])
    """
    x = input.detach()
    return no_record_ops.eq(
        no_record_ops.imag_view(x) if layout_of_tensor(x).dtype.is_complex else no_record_ops.zeros_like(x), 0
    )
