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
    try:
        result = bodies.ihfftn(input, s, dim, norm)
        return result if out is None else write_out("fft.ihfftn", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
