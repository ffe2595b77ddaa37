"""The public functions of `fft/_functions.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import Dims, Lengths

bodies = bodies_of("fft._functions")


@overridable
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

    >>> from facula_tensor import tensor
    >>> fft(tensor([1.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j])
    """
    try:
        result = bodies.fft(input, n, dim, norm)
        return result if out is None else write_out("fft.fft", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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

    >>> from facula_tensor import ones
    >>> fft2(ones(2, 4)).shape
    facula.Size([2, 4])
    """
    try:
        result = bodies.fft2(input, s, dim, norm)
        return result if out is None else write_out("fft.fft2", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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

    >>> from facula_tensor import ones
    >>> fftn(ones(2, 4)).shape
    facula.Size([2, 4])
    """
    try:
        result = bodies.fftn(input, s, dim, norm)
        return result if out is None else write_out("fft.fftn", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def ifft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `fft`.

    Arguments:
        input: the numbers to transform.
        n: how many elements along `dim` take part; all if None.
        dim: the dimension.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.

    >>> from facula_tensor import tensor
    >>> ifft(tensor([3.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j])
    """
    try:
        result = bodies.ifft(input, n, dim, norm)
        return result if out is None else write_out("fft.ifft", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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

    >>> from facula_tensor import ones
    >>> ifft2(ones(2, 4)).shape
    facula.Size([2, 4])
    """
    try:
        result = bodies.ifft2(input, s, dim, norm)
        return result if out is None else write_out("fft.ifft2", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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

    >>> from facula_tensor import ones
    >>> ifftn(ones(2, 4)).shape
    facula.Size([2, 4])
    """
    try:
        result = bodies.ifftn(input, s, dim, norm)
        return result if out is None else write_out("fft.ifftn", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def rfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The first n // 2 + 1 elements of `fft` of real numbers; the others are their conjugates.

    Arguments:
        input: the numbers to transform.
        n: how many elements along `dim` take part; all if None.
        dim: the dimension.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.

    >>> from facula_tensor import tensor
    >>> rfft(tensor([1.0, 0.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j])
    """
    try:
        result = bodies.rfft(input, n, dim, norm)
        return result if out is None else write_out("fft.rfft", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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

    >>> from facula_tensor import ones
    >>> rfft2(ones(2, 4)).shape
    facula.Size([2, 3])
    """
    try:
        result = bodies.rfft2(input, s, dim, norm)
        return result if out is None else write_out("fft.rfft2", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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

    >>> from facula_tensor import ones
    >>> rfftn(ones(2, 4)).shape
    facula.Size([2, 3])
    """
    try:
        result = bodies.rfftn(input, s, dim, norm)
        return result if out is None else write_out("fft.rfftn", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def irfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `rfft`: real numbers.

    Arguments:
        input: the numbers to transform.
        n: the number of elements of the result along `dim`; 2 (m - 1) of m if None.
        dim: the dimension.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.

    >>> from facula_tensor import tensor
    >>> irfft(tensor([4.0, 0.0, 0.0]))
    tensor([1., 1., 1., 1.])
    """
    try:
        result = bodies.irfft(input, n, dim, norm)
        return result if out is None else write_out("fft.irfft", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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
        s: how many elements of each dimension take part, and the last dimension of the result has; -1 for all; all if
            None.
        dim: the dimensions.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.

    >>> from facula_tensor import ones
    >>> irfft2(ones(2, 4)).shape
    facula.Size([2, 6])
    """
    try:
        result = bodies.irfft2(input, s, dim, norm)
        return result if out is None else write_out("fft.irfft2", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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
        s: how many elements of each dimension take part, and the last dimension of the result has; -1 for all; all if
            None.
        dim: the dimensions; the last ones, as many as `s` has, or all, if None.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.

    >>> from facula_tensor import ones
    >>> irfftn(ones(2, 4)).shape
    facula.Size([2, 6])
    """
    try:
        result = bodies.irfftn(input, s, dim, norm)
        return result if out is None else write_out("fft.irfftn", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def hfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The transform of numbers whose other half is their conjugates: real numbers.

    Arguments:
        input: the numbers to transform.
        n: the number of elements of the result along `dim`; 2 (m - 1) of m if None.
        dim: the dimension.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.

    >>> from facula_tensor import tensor
    >>> hfft(tensor([1.0, 0.0, 0.0]))
    tensor([1., 1., 1., 1.])
    """
    try:
        result = bodies.hfft(input, n, dim, norm)
        return result if out is None else write_out("fft.hfft", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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
        s: how many elements of each dimension take part, and the last dimension of the result has; -1 for all; all if
            None.
        dim: the dimensions.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.

    >>> from facula_tensor import ones
    >>> hfft2(ones(2, 4)).shape
    facula.Size([2, 6])
    """
    try:
        result = bodies.hfft2(input, s, dim, norm)
        return result if out is None else write_out("fft.hfft2", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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
        s: how many elements of each dimension take part, and the last dimension of the result has; -1 for all; all if
            None.
        dim: the dimensions; the last ones, as many as `s` has, or all, if None.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.

    >>> from facula_tensor import ones
    >>> hfftn(ones(2, 4)).shape
    facula.Size([2, 6])
    """
    try:
        result = bodies.hfftn(input, s, dim, norm)
        return result if out is None else write_out("fft.hfftn", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def ihfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """The inverse of `hfft`, of real numbers: the first n // 2 + 1 elements.

    Arguments:
        input: the numbers to transform.
        n: how many elements along `dim` take part; all if None.
        dim: the dimension.
        norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.

    >>> from facula_tensor import tensor
    >>> ihfft(tensor([4.0, 0.0, 0.0, 0.0]))
    tensor([1.-0.j, 1.-0.j, 1.-0.j])
    """
    try:
        result = bodies.ihfft(input, n, dim, norm)
        return result if out is None else write_out("fft.ihfft", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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

    >>> from facula_tensor import ones
    >>> ihfft2(ones(2, 4)).shape
    facula.Size([2, 3])
    """
    try:
        result = bodies.ihfft2(input, s, dim, norm)
        return result if out is None else write_out("fft.ihfft2", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
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

    >>> from facula_tensor import ones
    >>> ihfftn(ones(2, 4)).shape
    facula.Size([2, 3])
    """
    try:
        result = bodies.ihfftn(input, s, dim, norm)
        return result if out is None else write_out("fft.ihfftn", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
