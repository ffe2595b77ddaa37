"""Fourier transforms of real numbers, and their inverses."""

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
def rfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The first n // 2 + 1 elements of `fft` of real numbers; the others are their conjugates.

    Arguments:
        input: the numbers to transform.
        n: how many elements along `dim` take part; all if None.
        dim: the dimension.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, -1 for all; all if None.
        dim: the dimensions.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, -1 for all; all if None.
        dim: the dimensions; the last ones, as many as `s` has, or all, if None.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        n: the number of elements of the result along `dim`; 2 (m - 1) of m if None.
        dim: the dimension.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, and the last dimension of the result has; -1 for all; all
            if None.
        dim: the dimensions.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

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

    Arguments:
        input: the numbers to transform.
        s: how many elements of each dimension take part, and the last dimension of the result has; -1 for all; all
            if None.
        dim: the dimensions; the last ones, as many as `s` has, or all, if None.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import ones
    >>> irfftn(ones(2, 4)).shape
    facula.Size([2, 6])
    """
    return write_out("fft.irfftn", to_real("fft.irfftn", input, s, dim, norm, several=True), out)
