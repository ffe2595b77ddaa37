"""Frequencies of a transform's elements, and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from ..ops.flips import roll
from ..ops.transforms import dims_to_shift, frequencies

if TYPE_CHECKING:
    from .._core.tensor import Tensor
    from .._core.types import DeviceLike, Dims, DTypeLike


@boundary
def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The frequencies of what `fft` gives of `n` elements, `d` apart: 0, 1, ..., -2, -1 times 1 / (n d).

    Arguments:
        n: the number of elements that are transformed.
        d: the distance of two samples.
        out: where the result goes; a new tensor if None.
        dtype: the default floating dtype if None.
        layout: `strided`, the only one there is, or None.
        device: where the elements lie; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return frequencies("fft.fftfreq", n, d, False, out, dtype, layout, device, requires_grad)


@boundary
def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """The frequencies of what `rfft` gives of `n` elements, `d` apart: 0, 1, ..., n // 2 times 1 / (n d).

    Arguments:
        n: the number of elements that are transformed.
        d: the distance of two samples.
        out: where the result goes; a new tensor if None.
        dtype: the default floating dtype if None.
        layout: `strided`, the only one there is, or None.
        device: where the elements lie; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    return frequencies("fft.rfftfreq", n, d, True, out, dtype, layout, device, requires_grad)


@overridable
@boundary
def fftshift(input: Tensor, dim: Dims | None = None) -> Tensor:
    """`input` rolled so that frequency 0 is in the middle, along `dim` (an integer or several) or all dimensions.

    >>> fftshift(fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    input, dims = dims_to_shift("fft.fftshift", input, dim)
    return roll(input, [input.shape[one] // 2 for one in dims], dims) if dims else recorded_ops.clone(input)


@overridable
@boundary
def ifftshift(input: Tensor, dim: Dims | None = None) -> Tensor:
    """The inverse of `fftshift`.

    >>> ifftshift(fftshift(fftfreq(5)))
    tensor([ 0.0000,  0.2000,  0.4000, -0.4000, -0.2000])
    """
    input, dims = dims_to_shift("fft.ifftshift", input, dim)
    return roll(input, [(input.shape[one] + 1) // 2 for one in dims], dims) if dims else recorded_ops.clone(input)
