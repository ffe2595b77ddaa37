"""Planners of Fourier transforms: NumPy's, on the memory of tensors, in the operands' precision."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ._lapack import computes

Norm = Literal["backward", "ortho", "forward"]


@computes("fft_complex")
def fft_complex(a: np.ndarray, out: np.ndarray, dims: tuple[int, ...], inverse: bool, norm: Norm) -> None:
    """Complex to complex, along all `dims`."""
    out[...] = (np.fft.ifftn if inverse else np.fft.fftn)(a, axes=dims, norm=norm)


@computes("fft_from_real")
def fft_from_real(a: np.ndarray, out: np.ndarray, dims: tuple[int, ...], norm: Norm) -> None:
    """Real to complex: of the last of `dims` half, as the rest follows by symmetry."""
    out[...] = np.fft.rfftn(a, axes=dims, norm=norm)


@computes("fft_to_real")
def fft_to_real(a: np.ndarray, out: np.ndarray, dims: tuple[int, ...], length: int, norm: Norm) -> None:
    """Complex, of which half of the last of `dims` is there, to real."""
    sizes = [*[a.shape[dim] for dim in dims[:-1]], length]
    out[...] = np.fft.irfftn(a, s=sizes, axes=dims, norm=norm)
