"""Fourier transforms between real numbers and those of which half are conjugates of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._dispatch.overrides import overridable
from .._dispatch.writing import write_out
from ..ops.transforms import from_real, to_real

if TYPE_CHECKING:
    from .._core.tensor import Tensor
    from .._core.types import Dims, Lengths


@overridable
@boundary
def hfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The transform of numbers whose other half is their conjugates: real numbers.

    Arguments:
        input: the numbers to transform.
        n: the number of elements of the result along `dim`; 2 (m - 1) of m if None.
        dim: the dimension.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, and the last dimension of the result has; -1 for all; all
            if None.
        dim: the dimensions.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, and the last dimension of the result has; -1 for all; all
            if None.
        dim: the dimensions; the last ones, as many as `s` has, or all, if None.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        n: how many elements along `dim` take part; all if None.
        dim: the dimension.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, -1 for all; all if None.
        dim: the dimensions.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, -1 for all; all if None.
        dim: the dimensions; the last ones, as many as `s` has, or all, if None.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import ones
    >>> ihfftn(ones(2, 4)).shape
    facula.Size([2, 3])
    """
    return write_out("fft.ihfftn", from_real("fft.ihfftn", input, s, dim, norm, hermitian=True, several=True), out)
