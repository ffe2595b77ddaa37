"""Fourier transforms by the names of `torch.fft`.

What it is: transforms of complex numbers (`fft`), of real ones (`rfft`, which leaves out the half that follows by
symmetry), and to real ones (`irfft`, `hfft`), along one dimension, two (`fft2`) or several (`fftn`), by NumPy's FFT.
Where next: `ops/fourier.py` for the operators, `ops/transforms.py` for arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from ._core.names import listed
from ._core.tensor import Tensor
from ._dispatch.namespaces import recorded_ops
from ._dispatch.overrides import overridable
from ._dispatch.writing import write_out
from .ops.flips import roll
from .ops.transforms import complex_transform, dims_to_shift, frequencies, from_real, to_real

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._core.types import DeviceLike, Dims, DTypeLike, Lengths

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

__dir__: Callable[[], list[str]] = listed(__name__)


@overridable
@boundary
def fft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The discrete Fourier transform along a dimension.

    `n` elements along `dim` take part, cut off or filled up with zeros: all if it is not given. `norm` says which
    direction is scaled: "forward" (by 1 / n), "backward" (the inverse; the default) or "ortho" (both, by the root).
    Integers are computed in the default floating dtype.

    >>> from facula_tensor import tensor
    >>> fft(tensor([1.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return write_out("fft.fft", complex_transform("fft.fft", input, n, dim, norm, False), out)


@overridable
@boundary
def fft2(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`fft` along two dimensions.

    `s` are the lengths that take part, as `n` of `fft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> fft2(ones(2, 4)).shape
    facula.Size([2, 4])
    """
    return write_out("fft.fft2", complex_transform("fft.fft2", input, s, dim, norm, False, several=True), out)


@overridable
@boundary
def fftn(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`fft` along several dimensions: the last ones where `s` says how many, else all.

    `s` are the lengths that take part, as `n` of `fft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> fftn(ones(2, 4)).shape
    facula.Size([2, 4])
    """
    return write_out("fft.fftn", complex_transform("fft.fftn", input, s, dim, norm, False, several=True), out)


@overridable
@boundary
def ifft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `fft`.

    `n` elements along `dim` take part, cut off or filled up with zeros; `norm` as in `fft`.

    >>> from facula_tensor import tensor
    >>> ifft(tensor([3.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return write_out("fft.ifft", complex_transform("fft.ifft", input, n, dim, norm, True), out)


@overridable
@boundary
def ifft2(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`ifft` along two dimensions.

    `s` are the lengths that take part, as `n` of `ifft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> ifft2(ones(2, 4)).shape
    facula.Size([2, 4])
    """
    return write_out("fft.ifft2", complex_transform("fft.ifft2", input, s, dim, norm, True, several=True), out)


@overridable
@boundary
def ifftn(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`ifft` along several dimensions: the last ones where `s` says how many, else all.

    `s` are the lengths that take part, as `n` of `ifft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> ifftn(ones(2, 4)).shape
    facula.Size([2, 4])
    """
    return write_out("fft.ifftn", complex_transform("fft.ifftn", input, s, dim, norm, True, several=True), out)


@overridable
@boundary
def rfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The first n // 2 + 1 elements of `fft` of real numbers; the others are their conjugates.

    `n` elements along `dim` take part, cut off or filled up with zeros; `norm` as in `fft`.

    >>> from facula_tensor import tensor
    >>> rfft(tensor([1.0, 0.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return write_out("fft.rfft", from_real("fft.rfft", input, n, dim, norm), out)


@overridable
@boundary
def rfft2(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`rfft` along two dimensions.

    `s` are the lengths that take part, as `n` of `rfft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> rfft2(ones(2, 4)).shape
    facula.Size([2, 3])
    """
    return write_out("fft.rfft2", from_real("fft.rfft2", input, s, dim, norm, several=True), out)


@overridable
@boundary
def rfftn(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`rfft` along several dimensions: the last ones where `s` says how many, else all.

    `s` are the lengths that take part, as `n` of `rfft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> rfftn(ones(2, 4)).shape
    facula.Size([2, 3])
    """
    return write_out("fft.rfftn", from_real("fft.rfftn", input, s, dim, norm, several=True), out)


@overridable
@boundary
def irfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `rfft`: real numbers.

    The result has `n` elements along `dim`, 2 (m - 1) of m if it is not given; `norm` as in `fft`.

    >>> from facula_tensor import tensor
    >>> irfft(tensor([4.0, 0.0, 0.0]))
    tensor([1., 1., 1., 1.])
    """
    return write_out("fft.irfft", to_real("fft.irfft", input, n, dim, norm), out)


@overridable
@boundary
def irfft2(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`irfft` along two dimensions.

    `s` are the lengths that take part, as `n` of `irfft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> irfft2(ones(2, 4)).shape
    facula.Size([2, 6])
    """
    return write_out("fft.irfft2", to_real("fft.irfft2", input, s, dim, norm, several=True), out)


@overridable
@boundary
def irfftn(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`irfft` along several dimensions: the last ones where `s` says how many, else all.

    `s` are the lengths that take part, as `n` of `irfft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> irfftn(ones(2, 4)).shape
    facula.Size([2, 6])
    """
    return write_out("fft.irfftn", to_real("fft.irfftn", input, s, dim, norm, several=True), out)


@overridable
@boundary
def hfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The transform of numbers whose other half is their conjugates: real numbers.

    The result has `n` elements along `dim`, 2 (m - 1) of m if it is not given; `norm` as in `fft`.

    >>> from facula_tensor import tensor
    >>> hfft(tensor([1.0, 0.0, 0.0]))
    tensor([1., 1., 1., 1.])
    """
    return write_out("fft.hfft", to_real("fft.hfft", input, n, dim, norm, hermitian=True), out)


@overridable
@boundary
def hfft2(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`hfft` along two dimensions.

    `s` are the lengths that take part, as `n` of `hfft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> hfft2(ones(2, 4)).shape
    facula.Size([2, 6])
    """
    return write_out("fft.hfft2", to_real("fft.hfft2", input, s, dim, norm, hermitian=True, several=True), out)


@overridable
@boundary
def hfftn(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`hfft` along several dimensions: the last ones where `s` says how many, else all.

    `s` are the lengths that take part, as `n` of `hfft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> hfftn(ones(2, 4)).shape
    facula.Size([2, 6])
    """
    return write_out("fft.hfftn", to_real("fft.hfftn", input, s, dim, norm, hermitian=True, several=True), out)


@overridable
@boundary
def ihfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `hfft`, of real numbers: the first n // 2 + 1 elements.

    `n` elements along `dim` take part, cut off or filled up with zeros; `norm` as in `fft`.

    >>> from facula_tensor import tensor
    >>> ihfft(tensor([4.0, 0.0, 0.0, 0.0]))
    tensor([1.-0.j, 1.-0.j, 1.-0.j])
    """
    return write_out("fft.ihfft", from_real("fft.ihfft", input, n, dim, norm, hermitian=True), out)


@overridable
@boundary
def ihfft2(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`ihfft` along two dimensions.

    `s` are the lengths that take part, as `n` of `ihfft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> ihfft2(ones(2, 4)).shape
    facula.Size([2, 3])
    """
    return write_out("fft.ihfft2", from_real("fft.ihfft2", input, s, dim, norm, hermitian=True, several=True), out)


@overridable
@boundary
def ihfftn(
    input: Tensor,
    s: Lengths | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """`ihfft` along several dimensions: the last ones where `s` says how many, else all.

    `s` are the lengths that take part, as `n` of `ihfft`; -1 keeps one.

    >>> from facula_tensor import ones
    >>> ihfftn(ones(2, 4)).shape
    facula.Size([2, 3])
    """
    return write_out("fft.ihfftn", from_real("fft.ihfftn", input, s, dim, norm, hermitian=True, several=True), out)


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
