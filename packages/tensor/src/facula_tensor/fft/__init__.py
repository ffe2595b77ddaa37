"""Fourier transforms with the names of `torch.fft`.

Contents: transforms of complex input (`fft`), of real input (`rfft`, which omits the redundant half of the
spectrum) and to real output (`irfft`, `hfft`), over one dimension, two (`fft2`) or several (`fftn`).
Where next: `fft/_functions.py`; `ops/fft.py` for the operators, `fft/_arguments.py` for arguments.
"""

from __future__ import annotations

from facula_errors.extend import published

from .._forms.fft._functions import (
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
from . import _functions as _functions  # declares the transforms
from ._frequencies import fftfreq, fftshift, ifftshift, rfftfreq

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

__dir__ = published(__name__)
