"""Methods implemented in modules that are loaded at first use."""

from __future__ import annotations

from .._core.tensor import Tensor, method


@method()
def stft(
    self: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """`windowed.stft` of this tensor: Fourier transforms of overlapping frames."""
    from .. import windowed

    return windowed.stft(
        self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex,
        align_to_window,
    )  # fmt: skip


@method()
def istft(
    self: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """`windowed.istft` of this tensor: the signals of which `stft` made it."""
    from .. import windowed

    return windowed.istft(
        self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex
    )
