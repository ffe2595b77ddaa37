"""Fourier transforms by CuPy. They cannot fail, and wait for nothing."""

from __future__ import annotations

from typing import Any

from .launches import computes


@computes("fft_complex")
def fft_complex(cp: Any, a: Any, out: Any, dims: tuple[int, ...], inverse: bool, norm: str) -> None:
    """Transform to complex along all `dims`."""
    out[...] = (cp.fft.ifftn if inverse else cp.fft.fftn)(a, axes=dims, norm=norm)


@computes("fft_from_real")
def fft_from_real(cp: Any, a: Any, out: Any, dims: tuple[int, ...], norm: str) -> None:
    """Transform real to complex: half of the last of `dims`."""
    out[...] = cp.fft.rfftn(a, axes=dims, norm=norm)


@computes("fft_to_real")
def fft_to_real(cp: Any, a: Any, out: Any, dims: tuple[int, ...], length: int, norm: str) -> None:
    """Transform complex to real; the input has half of the last of `dims`.

    That dimension comes last, as on the CPU: cuFFT's transform of several assumes the symmetry of a real result.
    """
    if dims[:-1]:
        a = cp.fft.ifftn(a, axes=dims[:-1], norm=norm)
    out[...] = cp.fft.irfft(a, length, dims[-1], norm)
