"""Sample frequencies of transforms, and shifts of the zero frequency."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .._dispatch.written import function
from ..ops.shape.flip import roll
from ._arguments import check_dims, frequencies

if TYPE_CHECKING:
    from .._core.tensor import Tensor
    from .._core.types import DeviceLike, Dims, DTypeLike
    from .._dispatch.kinds import Integer, Real, Steady
    from .._dispatch.namespaces import Namespace


@function(label="fft.fftfreq", instead=partial(frequencies, "fft.fftfreq", False))
def fftfreq(
    n: Integer,
    d: Real = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
) -> None:
    """Return the sample frequencies of `fft` for `n` samples `d` apart: 0, 1, ..., -2, -1 times 1 / (n d).

    Arguments:
        n: the number of samples.
        d: the distance between two samples.
        dtype: the dtype of the result; the default floating dtype if None.

    >>> fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """


@function(label="fft.rfftfreq", instead=partial(frequencies, "fft.rfftfreq", True))
def rfftfreq(
    n: Integer,
    d: Real = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
) -> None:
    """Return the sample frequencies of `rfft` for `n` samples `d` apart: 0, 1, ..., n // 2 times 1 / (n d).

    Arguments:
        n: the number of samples.
        d: the distance between two samples.
        dtype: the dtype of the result; the default floating dtype if None.

    >>> rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """


def rolled_half(operation: str, further: int, F: Namespace, input: Tensor, dim: Dims | None) -> Tensor:
    """Return `input` rolled by half the length of dimensions, rounded down, or rounded up if `further` is 1."""
    ndim = input.ndim
    dims = tuple(range(ndim)) if dim is None else check_dims(operation, dim, ndim)
    return roll(input, [(input.shape[axis] + further) // 2 for axis in dims], dims) if dims else F.clone(input)


@function(label="fft.fftshift", overridable=True, instead=partial(rolled_half, "fft.fftshift", 0))
def fftshift(F: Namespace, input: Steady, dim: Dims | None = None) -> None:
    """Shift frequency 0 to the middle along `dim` (an integer or several) or all dimensions.

    Arguments:
        dim: the dimension or dimensions; all of them if None.

    >>> fftshift(fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """


@function(label="fft.ifftshift", overridable=True, instead=partial(rolled_half, "fft.ifftshift", 1))
def ifftshift(F: Namespace, input: Steady, dim: Dims | None = None) -> None:
    """Undo `fftshift`.

    Arguments:
        dim: the dimension or dimensions; all of them if None.

    >>> ifftshift(fftshift(fftfreq(5)))
    tensor([ 0.0000,  0.2000,  0.4000, -0.4000, -0.2000])
    """
