"""Windows and transforms of frames against their definitions in float64; low-rank matrix factors."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor import lowrank, windowed

COSINES = {"hann": (0.5, 0.5), "hamming": (0.54, 0.46), "blackman": (0.42, 0.5, 0.08)}


def window_of(name, count):
    if count < 2:
        return np.ones(count)
    n = np.arange(count)
    if name in COSINES:
        return sum(a * (-1) ** k * np.cos(2 * np.pi * k * n / (count - 1)) for k, a in enumerate(COSINES[name]))
    return np.bartlett(count) if name == "bartlett" else np.kaiser(count, 12.0)


@pytest.mark.parametrize("name", [*COSINES, "bartlett", "kaiser"])
@pytest.mark.parametrize("length", [0, 1, 2, 5, 8])
def test_windows(name, length):
    function = getattr(windowed, f"{name}_window")
    np.testing.assert_allclose(function(length, False, dtype=ft.float64).numpy(), window_of(name, length), atol=1e-15)
    periodic = window_of(name, length + 1)[:-1] if length > 1 else np.ones(length)
    np.testing.assert_allclose(function(length, dtype=ft.float64).numpy(), periodic, atol=1e-15)
    assert function(length).dtype is ft.float32 and function(length, requires_grad=True).requires_grad
    with raises(ValueError, f"{name}_window", "expected window_length of at least 0", value=-1):
        function(-1)
    assert function(length, layout=ft.strided).layout is ft.strided
    with raises(
        NotImplementedError, f"{name}_window", "layout facula.strided is the only one", value="facula.sparse_coo"
    ):
        function(length, layout=ft.sparse_coo)
    with raises(ValueError, f"{name}_window", "expected a floating dtype", "int64", value="facula"):
        function(3, dtype=ft.int64)


def frames_of(x, n, hop, window, center, mode):
    if center:
        x = np.pad(x, [(0, 0), (n // 2, n // 2)], {"replicate": "edge"}.get(mode, mode))
    starts = range(0, x.shape[1] - n + 1, hop)
    return np.stack([x[:, start : start + n] * window for start in starts], 1)


@pytest.mark.parametrize(("n", "hop", "win"), [(8, None, None), (8, 3, 6), (9, 4, 7), (10, 5, 10)])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalized", [True, False])
def test_frames_round_trip(n, hop, win, center, normalized):
    x = np.random.default_rng(0).standard_normal((2, 37))
    window = 0.2 + windowed.hann_window(win or n, dtype=ft.float64)
    width, step = win or n, hop or n // 4
    padded = np.pad(window.numpy(), ((n - width) // 2, n - width - (n - width) // 2))
    options = {"window": window, "center": center, "normalized": normalized}
    for mode in ("reflect", "constant", "replicate"):
        wanted = np.fft.fft(frames_of(x, n, step, padded, center, mode)).transpose(0, 2, 1)
        wanted = wanted / np.sqrt(n) if normalized else wanted
        signal = ft.from_numpy(x)
        whole = windowed.stft(signal, n, hop, win, pad_mode=mode, onesided=False, return_complex=True, **options)
        np.testing.assert_allclose(whole.numpy(), wanted, atol=1e-12)
        half = signal[0].stft(n, hop, win, pad_mode=mode, return_complex=False, **options)
        np.testing.assert_allclose(half.numpy()[..., 0], wanted.real[0, : n // 2 + 1], atol=1e-12)
        if win is None or win == n or center:
            made = whole.istft(n, hop, win, onesided=False, **options)
            np.testing.assert_allclose(made.numpy(), x[:, : made.shape[1]], atol=1e-10)
            assert made.shape[1] > 37 - n
            redundant = ft.from_numpy(np.where(np.arange(n)[:, None] > n // 2, 7.0, wanted))  # not read
            again = redundant.istft(n, hop, win, onesided=False, **options)
            np.testing.assert_allclose(again.numpy(), made.numpy(), atol=1e-12)
    z = x + 1j * x[:, ::-1]
    spectrum = windowed.stft(ft.from_numpy(z), n, hop, win, **options)
    if center:
        made = windowed.istft(spectrum, n, hop, win, return_complex=True, onesided=False, **options)
        np.testing.assert_allclose(made.numpy(), z[:, : made.shape[1]], atol=1e-10)


def test_gradients_and_lengths():
    x = ft.from_numpy(np.random.default_rng(0).standard_normal(16)).requires_grad_()
    made = windowed.istft(windowed.stft(x, 8, return_complex=True), 8, length=16)
    (made * made).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * x.detach().numpy(), atol=1e-10)
    longer = windowed.istft(windowed.stft(x, 8, return_complex=True), 8, length=24).detach()
    assert longer.shape == (24,) and not longer[20:].any()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: windowed.stft(x, 8), "stft: expected return_complex for a real signal"),
        (lambda x: windowed.stft(x, 17, center=False, return_complex=True), "stft: n_fft ... got 17"),
        (lambda x: windowed.stft(x, 8, win_length=9, return_complex=True), "stft: 0 ... got 9 and 8"),
        (lambda x: windowed.stft(x, 8, 0, return_complex=True), "stft: hop_length above 0; got 0"),
        (lambda x: windowed.stft(x, 8, window=ft.ones(7), return_complex=True), "stft: shape (8,) ... got (7,)"),
        (lambda x: windowed.stft(x + 0j, 8, onesided=True), "stft: onesided=False for complex signals"),
        (lambda x: windowed.stft(x[None, None], 8, return_complex=True), "stft: got shape (1, 1, 16)"),
        (lambda x: windowed.stft(x, 8, return_complex=True, align_to_window=True), "stft: align_to_window"),
        (lambda x: windowed.istft(x, 8), "istft: expected complex numbers ... got facula.float32 (16,)"),
        (lambda x: windowed.istft(ft.ones(4, 3) + 0j, 8), "istft: expected 5 frequencies for n_fft 8; got 4"),
        (lambda x: windowed.istft(ft.ones(5, 3) + 0j, 8, window=ft.zeros(8)), "istft: add up to more than 0"),
        (lambda x: windowed.istft(ft.ones(5, 3) + 0j, 8, return_complex=True), "istft: onesided=False with"),
    ],
)
def test_invalid_sizes_are_rejected(call, text):
    with raises((ValueError, RuntimeError), text):
        call(ft.ones(16))


@pytest.mark.parametrize("shape", [(20, 9), (9, 20), (3, 20, 9)])
def test_low_rank_factors(shape):
    random = np.random.default_rng(0)
    a = random.standard_normal((*shape[:-1], 4)) @ random.standard_normal((*shape[:-2], 4, shape[-1]))
    for matrix, factors in [
        (a, lowrank.svd_lowrank(ft.from_numpy(a), q=4)),
        (a - 1, lowrank.svd_lowrank(ft.from_numpy(a), 6, M=ft.ones(1, dtype=ft.float64))),
        (a - a.mean(-2, keepdims=True), lowrank.pca_lowrank(ft.from_numpy(a), q=5)),
        (a, lowrank.pca_lowrank(ft.from_numpy(a), center=False)),
    ]:
        U, S, V = (factor.numpy() for factor in factors)
        np.testing.assert_allclose(U * S[..., None, :] @ V.swapaxes(-1, -2), matrix, atol=1e-9)
        np.testing.assert_allclose(S, np.linalg.svd(matrix)[1][..., : S.shape[-1]], atol=1e-9)
    for wrong in ({"q": 10}, {"q": -1}, {"niter": -1}):
        with raises(ValueError, "svd_lowrank"):
            lowrank.svd_lowrank(ft.from_numpy(a), **wrong)
    with raises(TypeError, "pca_lowrank", "expected A to be a tensor", value="list"):
        lowrank.pca_lowrank([1])
