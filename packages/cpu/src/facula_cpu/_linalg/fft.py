"""Planners of Fourier transforms: NumPy's, on the memory of tensors, in the operands' precision."""

from __future__ import annotations

from typing import Literal

import numpy as np

from .lapack import computes

Norm = Literal["backward", "ortho", "forward"]
FEW = 4096  # elements below which Python's overhead exceeds the transform
OTHER: dict[Norm, Norm] = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


# The one-dimensional functions have less overhead in Python than those of several dimensions.
@computes("fft_complex")
def fft_complex(a: np.ndarray, out: np.ndarray, dims: tuple[int, ...], inverse: bool, norm: Norm) -> None:
    """Transform to complex along all `dims`. For many real numbers, half is computed, and the rest is its conjugate."""
    if len(dims) == 1 and a.size < FEW:
        (np.fft.ifft if inverse else np.fft.fft)(a, axis=dims[0], norm=norm, out=out)
        return
    if len(dims) == 1 and a.dtype.kind != "c":
        half, n = np.moveaxis(out, dims[0], -1), a.shape[dims[0]]
        values = np.moveaxis(np.fft.rfft(a, axis=dims[0], norm=OTHER[norm] if inverse else norm), dims[0], -1)
        count = values.shape[-1]
        half[..., :count] = np.conj(values) if inverse else values
        np.conj(half[..., (n - 1) // 2 : 0 : -1], out=half[..., count:])
        return
    if out.dtype == np.complex64:  # NumPy's transforms of these take twice as long
        a = a.astype(np.complex128)
    if len(dims) == 1:
        out[...] = (np.fft.ifft if inverse else np.fft.fft)(a, axis=dims[0], norm=norm)
    else:
        out[...] = (np.fft.ifftn if inverse else np.fft.fftn)(a, axes=dims, norm=norm)


@computes("fft_from_real")
def fft_from_real(a: np.ndarray, out: np.ndarray, dims: tuple[int, ...], norm: Norm) -> None:
    """Transform real to complex: half of the last of `dims`, as the rest follows by symmetry."""
    if len(dims) == 1:
        np.fft.rfft(a, axis=dims[0], norm=norm, out=out)
    else:
        np.fft.rfftn(a, axes=dims, norm=norm, out=out)


@computes("fft_to_real")
def fft_to_real(a: np.ndarray, out: np.ndarray, dims: tuple[int, ...], length: int, norm: Norm) -> None:
    """Transform complex to real; the input has half of the last of `dims`."""
    if len(dims) == 1:
        np.fft.irfft(a, length, dims[0], norm, out)
    else:
        sizes = [*[a.shape[dim] for dim in dims[:-1]], length]
        out[...] = np.fft.irfftn(a, s=sizes, axes=dims, norm=norm)
