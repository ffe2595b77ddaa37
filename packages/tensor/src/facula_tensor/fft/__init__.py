"""Fourier transforms by the names of `torch.fft`.

What it is: transforms of complex numbers (`fft`), of real ones (`rfft`, which leaves out the half that follows by
symmetry), and to real ones (`irfft`, `hfft`), along one dimension, two (`fft2`) or several (`fftn`), by NumPy's FFT.
Where next: `_transforms.py`; `ops/fourier.py` for the operators, `ops/transforms.py` for arguments.
"""

from __future__ import annotations

from facula_errors.extend import published

from .._forms.fft._transforms import (
    fft,
    fft2,
    fftn,
    hfft,
    hfft2,
    hfftn,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)
from . import _transforms as _transforms  # declares them
from ._frequencies import fftfreq, fftshift, ifftshift, rfftfreq

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

__dir__ = published(__name__)
