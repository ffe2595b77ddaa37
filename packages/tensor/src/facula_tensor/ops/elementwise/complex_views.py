"""Operators of complex numbers: views of their parts, conjugation, and construction from parts.

The public functions are in `ops/elementwise/complex_numbers.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_storage import DType, Layout, complex64, complex128, contiguous, float32, float64, layout_of
from facula_storage.extend.layouts import COMPLEX

from ..._core.tensor import Tensor, layout_of_tensor
from ..._dispatch.declaration import elementwise, operator, view
from ..._dispatch.namespaces import composite, may_alias_grad, no_record_ops
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.slow_path.writing import write
from ..memory.copying import uninitialized

if TYPE_CHECKING:
    from ..._dispatch.namespaces import Namespace


def magnitude(dtype: DType) -> DType:
    """Return the dtype of the parts of a complex number."""
    return dtype.to_real()


@composite
def conj(F: Namespace, input: Tensor) -> Tensor:
    """Return the complex conjugate; a real tensor is returned unchanged."""
    if not input.is_complex():
        return input
    return F.conjugate(input)


@elementwise
class _conjugate:
    """The complex conjugate of each element."""

    holomorphic = False
    kernel = "conj"

    def vjp_input(F, g):
        return F.conjugate(g)


# ------------------------------------------------------------------------------------------- views of the parts
@view
class _view_as_real:
    """Complex numbers as pairs of real numbers along a new last dimension: real part, imaginary part."""

    def window(layout):
        check_complex("view_as_real", layout)
        strides = (*[2 * step for step in layout.strides], 1)
        return layout_of((*layout.shape, 2), strides, layout.dtype.to_real(), layout.device), 0

    @may_alias_grad
    def vjp_input(F, g):
        return F.pairs_as_complex(g)


@view
class _view_as_complex:
    """Pairs of real numbers along the last dimension as complex numbers."""

    def window(layout):
        shape, strides = layout.shape, layout.strides
        if layout.dtype not in (float32, float64):
            raise DTypeError(f"view_as_complex: expected float32 or float64; got {layout.dtype.name}")
        if not shape or shape[-1] != 2:
            raise ArgumentError(f"view_as_complex: expected a last dimension of length 2; got shape {shape}")
        if layout.numel and (strides[-1] != 1 or any([step % 2 for step in strides[:-1]])):
            raise ArgumentError(
                "view_as_complex: expected pairs of neighbours, the last stride 1 and the others even; "
                f"got strides {strides}; call .contiguous() first"
            )
        dtype = complex64 if layout.dtype is float32 else complex128
        return layout_of(shape[:-1], tuple([step // 2 for step in strides[:-1]]), dtype, layout.device), 0

    @may_alias_grad
    def vjp_input(F, g):
        return F.view_as_real(g)


@view
class _real_view:
    """The real parts of complex numbers."""

    def window(layout):
        return part_of(layout), 0

    def vjp_input(F, g, input_layout):
        return F.to(g, (input_layout.dtype,))


@view
class _imag_view:
    """The imaginary parts of complex numbers."""

    def window(layout):
        check_complex("imag", layout)
        part = part_of(layout)
        return part, part.dtype.itemsize if part.numel else 0

    def vjp_input(F, g, input_layout):
        return F.mul(F.to(g, (input_layout.dtype,)), 1j)


def part_of(layout: Layout) -> Layout:
    """Return the layout of one part of complex numbers, which consist of two real numbers each."""
    return layout_of(layout.shape, tuple([2 * step for step in layout.strides]), layout.dtype.to_real(), layout.device)


def check_complex(name: str, layout: Layout) -> None:
    """Raise a TypeError unless the dtype is complex."""
    if layout.dtype.category != COMPLEX:
        raise DTypeError(f"{name}: expected a complex tensor; got {layout.dtype.name}")


@composite
def pairs_as_complex(F: Namespace, g: Tensor) -> Tensor:
    """Return `view_as_complex` of pairs with any strides."""
    return F.view_as_complex(F.contiguous(g))


@composite
def real_of(F: Namespace, input: Tensor) -> Tensor:
    """Return the real part as a view; a real tensor is returned unchanged."""
    return F.real_view(input) if layout_of_tensor(input).dtype.category == COMPLEX else input


def _whole_layout(real: Layout, imag: Layout) -> Layout:
    """Return the layout of complex numbers with these parts."""
    return contiguous(broadcast_shapes("complex", real.shape, imag.shape), real.dtype.to_complex(), real.device)


@operator
class _from_parts:
    """Complex numbers constructed from their parts, which broadcast."""

    inputs = ("real", "imag")
    holomorphic = False
    broadcasts = True

    outputs = _whole_layout
    batching = "elementwise"

    def execute(operands, parameters):
        real, imag = operands
        result = uninitialized(_whole_layout(real._layout, imag._layout))
        write(no_record_ops.real_view(result), real)
        write(no_record_ops.imag_view(result), imag)
        return [result]

    def vjp_real(F, g):
        return F.clone(F.real_view(g))

    def vjp_imag(F, g):
        return F.clone(F.imag_view(g))
