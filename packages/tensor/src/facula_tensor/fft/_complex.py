"""Fourier transforms of complex numbers, and their inverses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._dispatch.overrides import overridable
from .._dispatch.writing import write_out
from ..ops.transforms import complex_transform

if TYPE_CHECKING:
    from .._core.tensor import Tensor
    from .._core.types import Dims, Lengths


@overridable
@boundary
def fft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The discrete Fourier transform along a dimension.

    Operands are cut off or filled up with zeros to `n` elements. Scaling is by 1 / n, or in both directions by its
    root. Integers are computed in the default floating dtype.

    Arguments:
        input: the numbers to transform.
        n: how many elements along `dim` take part; all if None.
        dim: the dimension.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, -1 for all; all if None.
        dim: the dimensions.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, -1 for all; all if None.
        dim: the dimensions; the last ones, as many as `s` has, or all, if None.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        n: how many elements along `dim` take part; all if None.
        dim: the dimension.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, -1 for all; all if None.
        dim: the dimensions.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, -1 for all; all if None.
        dim: the dimensions; the last ones, as many as `s` has, or all, if None.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import ones
    >>> ifftn(ones(2, 4)).shape
    facula.Size([2, 4])
    """
    return write_out("fft.ifftn", complex_transform("fft.ifftn", input, s, dim, norm, True, several=True), out)
