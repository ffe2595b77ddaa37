"""Window functions, and Fourier transforms of overlapping frames: `stft` and its inverse.

Loaded at first use. J. B. Allen and L. R. Rabiner, A Unified Approach to Short-Time Fourier Analysis and Synthesis,
Proc. IEEE 65, 1977; F. J. Harris, On the Use of Windows for Harmonic Analysis with the DFT, Proc. IEEE 66, 1978.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary, published

from ._core.default_device import default_device
from ._core.formats import check_storage
from ._core.promotion import as_dtype, as_integer, get_default_dtype
from ._core.tensor import Tensor
from ._creation.filled import finish, ones, zeros
from ._creation.from_memory import from_numpy
from ._creation.ranges import arange
from ._dispatch.arguments import refuse_choice
from ._dispatch.overrides import overridable
from .fft import fft, ifft, irfft, rfft
from .functional import pad
from .ops.elementwise.complex_numbers import view_as_real

if TYPE_CHECKING:
    from ._core.types import DeviceLike, DTypeLike

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "istft", "kaiser_window", "stft"]

__dir__ = published(__name__)

SMALLEST_ENVELOPE = 1e-11  # the smallest sum of overlapping windows to divide by


def _window(
    name: str, length: int, periodic: bool, values: np.ndarray, dtype: DTypeLike | None, device: DeviceLike | None,
    requires_grad: bool,
) -> Tensor:  # fmt: skip
    """Return the first `length` of symmetric `values` as a tensor."""
    kind = get_default_dtype() if dtype is None else as_dtype(dtype, name)
    if not kind.is_floating_point:
        raise ArgumentError(f"{name}: expected a floating dtype; got {kind}")
    place = default_device() if device is None else device
    made = from_numpy(np.ascontiguousarray(values[:length])).to(place, kind)
    return finish(made, requires_grad)


def _symmetric_length(name: str, length: int, periodic: bool, layout: object) -> int:
    """Return the number of points of the symmetric window that a window of `length` is the beginning of."""
    check_storage(name, layout, False)
    length = as_integer(length, name, "window_length")
    if length < 0:
        raise ArgumentError(f"{name}: expected window_length of at least 0; got {length}")
    return length + 1 if periodic and length > 1 else length


def _cosines(
    name: str, factors: tuple[float, ...], length: int, periodic: bool, layout: object, *rest: object
) -> Tensor:
    """Return a window that is a sum of cosines: factors[0] - factors[1] cos(t) + factors[2] cos(2 t) and so on."""
    count = _symmetric_length(name, length, periodic, layout)
    angle = 2 * np.pi * np.arange(count) / max(count - 1, 1)
    values = sum(factor * (-1) ** k * np.cos(k * angle) for k, factor in enumerate(factors))
    return _window(name, length, periodic, values if count > 1 else np.ones(count), *rest)  # type: ignore[arg-type]


@boundary
def hann_window(
    window_length: int, periodic: bool = True, *, dtype: DTypeLike | None = None, layout: object = None,
    device: DeviceLike | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return a Hann window: a raised cosine from 0 to 1 to 0.

    Arguments:
        window_length: the number of elements.
        periodic: return a periodic window, for use with Fourier transforms, rather than a symmetric one. It consists of
            the first `window_length` elements of the symmetric window that is one longer.
        dtype: the dtype of the result; the default floating dtype if None.
        layout: `strided`, the only supported layout, or None.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _cosines("hann_window", (0.5, 0.5), window_length, periodic, layout, dtype, device, requires_grad)


@boundary
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *,
    dtype: DTypeLike | None = None, layout: object = None, device: DeviceLike | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return a Hamming window: alpha - beta cos(t).

    Arguments:
        window_length: the number of elements.
        periodic: return a periodic window, for use with Fourier transforms, rather than a symmetric one.
        alpha: the constant term.
        beta: the factor of the cosine.
        dtype: the dtype of the result; the default floating dtype if None.
        layout: `strided`, the only supported layout, or None.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> hamming_window(2)
    tensor([0.0800, 1.0000])
    """
    return _cosines("hamming_window", (alpha, beta), window_length, periodic, layout, dtype, device, requires_grad)


@boundary
def blackman_window(
    window_length: int, periodic: bool = True, *, dtype: DTypeLike | None = None, layout: object = None,
    device: DeviceLike | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return a Blackman window: 0.42 - 0.5 cos(t) + 0.08 cos(2 t).

    Arguments:
        window_length: the number of elements.
        periodic: return a periodic window, for use with Fourier transforms, rather than a symmetric one.
        dtype: the dtype of the result; the default floating dtype if None.
        layout: `strided`, the only supported layout, or None.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> blackman_window(3, periodic=False)[1]
    tensor(1.)
    """
    return _cosines("blackman_window", (0.42, 0.5, 0.08), window_length, periodic, layout, dtype, device, requires_grad)


@boundary
def bartlett_window(
    window_length: int, periodic: bool = True, *, dtype: DTypeLike | None = None, layout: object = None,
    device: DeviceLike | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return a Bartlett window: a triangle from 0 to 1 to 0.

    Arguments:
        window_length: the number of elements.
        periodic: return a periodic window, for use with Fourier transforms, rather than a symmetric one.
        dtype: the dtype of the result; the default floating dtype if None.
        layout: `strided`, the only supported layout, or None.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    count = _symmetric_length("bartlett_window", window_length, periodic, layout)
    values = np.bartlett(count) if count > 1 else np.ones(count)
    return _window("bartlett_window", window_length, periodic, values, dtype, device, requires_grad)


@boundary
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: DTypeLike | None = None,
    layout: object = None, device: DeviceLike | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Return a Kaiser window, which is defined by the Bessel function I0.

    Arguments:
        window_length: the number of elements.
        periodic: return a periodic window, for use with Fourier transforms, rather than a symmetric one.
        beta: the shape parameter; larger values give narrower windows.
        dtype: the dtype of the result; the default floating dtype if None.
        layout: `strided`, the only supported layout, or None.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> kaiser_window(3, periodic=False)[1]
    tensor(1.)
    """
    count = _symmetric_length("kaiser_window", window_length, periodic, layout)
    values = np.kaiser(count, beta) if count > 1 else np.ones(count)
    return _window("kaiser_window", window_length, periodic, values, dtype, device, requires_grad)


def _framing(
    name: str, n_fft: int, hop_length: int | None, win_length: int | None, window: Tensor | None, like: Tensor
) -> tuple[int, Tensor]:
    """Return the hop between frames, and a window of the length of a frame."""
    hop = n_fft // 4 if hop_length is None else as_integer(hop_length, name, "hop_length")
    width = n_fft if win_length is None else as_integer(win_length, name, "win_length")
    if hop <= 0:
        raise ArgumentError(f"{name}: expected hop_length above 0; got {hop}")
    if not 0 < width <= n_fft:
        raise ArgumentError(f"{name}: expected 0 < win_length <= n_fft; got {width} and {n_fft}")
    if window is None:
        kind = like.dtype.to_real()
        window = ones(width, dtype=kind, device=like.device)
    elif not isinstance(window, Tensor) or tuple(window.shape) != (width,):
        shown = tuple(window.shape) if isinstance(window, Tensor) else type(window).__name__
        raise ArgumentError(f"{name}: expected window of shape ({width},), as win_length says; got {shown}")
    left = (n_fft - width) // 2
    return hop, pad(window, (left, n_fft - width - left)) if width < n_fft else window


@overridable
@boundary
def stft(
    input: Tensor,
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
    """Compute Fourier transforms of overlapping frames of signals (length) or (batch, length).

    Frame t begins at element t * hop_length, or is centred there with `center`.

    Arguments:
        input: the signals, real or complex.
        n_fft: the length of a frame.
        hop_length: the distance between frames; n_fft // 4 if None.
        win_length: the length of the window, which is padded with 0 on both sides; n_fft if None.
        window: the window that frames are multiplied by, (win_length,); ones if None.
        center: pad the signals by n_fft // 2 on both sides.
        pad_mode: the padding: "reflect", "constant", "replicate" or "circular".
        normalized: divide by the square root of n_fft.
        onesided: return only n_fft // 2 + 1 frequencies; by default for real signals and windows.
        return_complex: whether the result is complex; otherwise real and imaginary parts are in a last dimension of 2.
            Required for real signals.
        align_to_window: must be None or False.

    Returns:
        (batch, frequencies, frames), without the first dimension for a single signal.

    Raises:
        RuntimeError: if lengths are inconsistent with each other or the signal.

    >>> from facula_tensor import arange
    >>> stft(arange(8.0), 4, return_complex=True).shape
    facula.Size([3, 9])
    """
    if not isinstance(input, Tensor) or input.ndim not in (1, 2):
        shown = f"shape {tuple(input.shape)}" if isinstance(input, Tensor) else type(input).__name__
        raise ArgumentError(f"stft: expected signals (length) or (batch, length); got {shown}")
    if align_to_window:
        raise ArgumentError("stft: expected align_to_window to be None or False; pad the signal before, by pad()")
    if pad_mode not in ("reflect", "constant", "replicate", "circular"):
        refuse_choice("stft", "pad_mode", pad_mode, "'reflect', 'constant', 'replicate' or 'circular'")
    if not (input.is_complex() or input.is_floating_point()):
        raise InvalidTypeError(f"stft: expected floating or complex signals; got {input.dtype}")
    n_fft = as_integer(n_fft, "stft", "n_fft")
    hop, weights = _framing("stft", n_fft, hop_length, win_length, window, input)
    is_complex = input.is_complex() or weights.is_complex()
    if return_complex is None and not is_complex:
        raise ArgumentError(
            "stft: expected return_complex for a real signal; give return_complex=True, and view_as_real() for parts"
        )
    if onesided is None:
        onesided = not is_complex
    elif onesided and is_complex:
        raise ArgumentError("stft: expected onesided=False for complex signals; got True")
    signals = input if input.ndim == 2 else input.unsqueeze(0)
    if center:
        side = n_fft // 2
        signals = pad(signals.unsqueeze(0), (side, side), pad_mode).squeeze(0)
    if not 0 < n_fft <= signals.shape[-1]:
        raise ArgumentError(f"stft: expected 0 < n_fft <= {signals.shape[-1]}, the signal's length; got {n_fft}")
    frames = signals.unfold(-1, n_fft, hop) * weights
    made = (rfft if onesided else fft)(frames, norm="ortho" if normalized else "backward").transpose(1, 2)
    made = made if input.ndim == 2 else made.squeeze(0)
    return made if return_complex is None or return_complex else view_as_real(made)


def _overlapped(frames: Tensor, hop: int) -> Tensor:
    """Add overlapping frames (batch, frames, n) at distances of `hop` into signals (batch, length)."""
    batch, count, n = frames.shape
    places = arange(count, device=frames.device).unsqueeze(1) * hop + arange(n, device=frames.device)
    length = n + hop * (count - 1)
    blank = zeros(batch, length, dtype=frames.dtype, device=frames.device)
    return blank.index_add(1, places.reshape(-1), frames.reshape(batch, -1))


@overridable
@boundary
def istft(
    input: Tensor,
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
    """Invert `stft`: transform frames back, weight and add them, and divide by the sum of the windows.

    Arguments:
        input: (batch, frequencies, frames) complex, or without the first dimension.
        n_fft: the length of a frame.
        hop_length: the distance between frames; n_fft // 4 if None.
        win_length: the length of the window; n_fft if None.
        window: the window of `stft`, (win_length,); ones if None.
        center: whether the signals were padded by n_fft // 2 on both sides.
        normalized: whether `stft` divided by the square root of n_fft.
        onesided: whether there are n_fft // 2 + 1 frequencies; determined by the shape if None.
        length: the length of the signals; the length that the frames cover if None.
        return_complex: whether the signals are complex, of n_fft frequencies. Real signals are computed from the first
            n_fft // 2 + 1 frequencies.

    Returns:
        (batch, length), without the first dimension for a single signal.

    Raises:
        RuntimeError: if lengths are inconsistent, or the sum of the windows is 0 at some element.

    >>> from facula_tensor import arange
    >>> istft(stft(arange(8.0), 4, return_complex=True), 4, length=8)[3]
    tensor(3.)
    """
    if not isinstance(input, Tensor) or not input.is_complex() or input.ndim not in (2, 3):
        shown = f"{input.dtype} {tuple(input.shape)}" if isinstance(input, Tensor) else type(input).__name__
        raise ArgumentError(f"istft: expected complex numbers, (frequencies, frames) or (batch, ...); got {shown}")
    n_fft = as_integer(n_fft, "istft", "n_fft")
    hop, weights = _framing("istft", n_fft, hop_length, win_length, window, input)
    spectra = (input if input.ndim == 3 else input.unsqueeze(0)).transpose(1, 2)
    half = n_fft // 2 + 1
    if onesided is None:
        onesided = spectra.shape[-1] != n_fft
    expected = half if onesided else n_fft
    if spectra.shape[-1] != expected:
        raise ArgumentError(f"istft: expected {expected} frequencies for n_fft {n_fft}; got {spectra.shape[-1]}")
    if return_complex and onesided:
        raise ArgumentError("istft: expected onesided=False with return_complex=True; got True")
    if hop > weights.shape[0]:
        raise ArgumentError(f"istft: expected hop_length of at most win_length; got {hop}")
    norm = "ortho" if normalized else "backward"
    frames = ifft(spectra, norm=norm) if return_complex else irfft(spectra[..., :half], n_fft, norm=norm)
    count = frames.shape[1]
    signals = _overlapped(frames * weights, hop)
    envelope = _overlapped((weights * weights).expand(1, count, n_fft), hop)
    start = n_fft // 2 if center else 0
    covered = signals.shape[1]
    end = start + length if length is not None else covered - (n_fft // 2 if center else 0)
    signals, envelope = signals[:, start:end], envelope[:, start:end]
    if not envelope.numel() or not envelope.abs().min().item() > SMALLEST_ENVELOPE:
        raise ArgumentError("istft: expected windows that add up to more than 0 everywhere; choose a smaller hop")
    signals = signals / envelope
    if end > covered:
        signals = pad(signals, (0, end - covered))
    return signals if input.ndim == 3 else signals.squeeze(0)
