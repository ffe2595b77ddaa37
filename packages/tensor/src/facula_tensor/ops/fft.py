"""Fourier transform operators over whole dimensions of the operand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import contiguous

from .._core.tensor import Tensor
from .._creation.filled import zeros
from .._dispatch.declaration import operator
from .._dispatch.namespaces import composite

if TYPE_CHECKING:
    from .._dispatch.namespaces import Namespace

# The inverse of a transform scaled by `norm` has the opposite scaling.
OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


@operator
class _fft_complex:
    """Compute the transform along dimensions, or its inverse: complex, of complex or real input.

    `norm` is the direction that is scaled: "forward", "backward", or "ortho" for the square root in both.
    """

    parameters = ("dims", "inverse", "norm")
    linear = ("input",)
    holomorphic = False

    def outputs(layout, dims, inverse, norm):
        return contiguous(layout.shape, layout.dtype.to_complex(), layout.device)

    def vjp_input(F, g, input_layout, dims, inverse, norm):
        return F.as_dtype_of(F.fft_complex(g, (dims, not inverse, OPPOSITE[norm])), input_layout)


@operator
class _fft_from_real:
    """Transform real input, omitting the half of the last of `dims` that is the conjugate of the other."""

    parameters = ("dims", "norm")
    linear = ("input",)
    holomorphic = False

    def outputs(layout, dims, norm):
        last = dims[-1]
        shape = list(layout.shape)
        shape[last] = shape[last] // 2 + 1
        return contiguous(tuple(shape), layout.dtype.to_complex(), layout.device)

    def vjp_input(F, g, input_layout, dims, norm):
        # The transform of the full spectrum, with zeros for the omitted half.
        missing = input_layout.shape[dims[-1]] - g.shape[dims[-1]]
        whole = F.with_zeros(g, dims[-1], missing)
        return F.clone(F.real_view(F.fft_complex(whole, (dims, True, OPPOSITE[norm]))))


@operator
class _fft_to_real:
    """Transform back to real output, with `length` elements along the last of `dims`, from half of the spectrum."""

    parameters = ("dims", "length", "norm")
    linear = ("input",)
    holomorphic = False

    def outputs(layout, dims, length, norm):
        shape = list(layout.shape)
        shape[dims[-1]] = length
        return contiguous(tuple(shape), layout.dtype.to_real(), layout.device)

    def vjp_input(F, g, dims, length, norm):
        half = F.fft_from_real(g, (dims, OPPOSITE[norm]))
        # An element that represents itself and its conjugate counts twice.
        twice = (length - 1) // 2
        if not twice:
            return half
        ends = [F.narrow(half, dims[-1], 0, 1), F.mul(F.narrow(half, dims[-1], 1, twice), 2)]
        if length % 2 == 0:
            ends.append(F.narrow(half, dims[-1], twice + 1, 1))
        return F.cat(tuple(ends), (dims[-1],))


@composite
def with_zeros(F: Namespace, input: Tensor, dim: int, count: int) -> Tensor:
    """Append `count` zeros to `input` along a dimension."""
    if not count:
        return input
    shape = list(input.shape)
    shape[dim] = count
    return F.cat((input, zeros(*shape, dtype=input.dtype, device=input.device)), (dim,))
