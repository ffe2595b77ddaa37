"""Fourier transforms: multi-dimensional Hermitian transforms, frequencies, shifts, and errors."""

import numpy as np
import pytest
from elements import check_slopes

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor import fft

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("norm", [None, "forward", "ortho"])
def test_hermitian_transforms_of_several_dimensions(norm):
    x = ft.tensor(RNG.standard_normal((3, 4)) + 1j * RNG.standard_normal((3, 4)), requires_grad=True)
    wanted = np.fft.hfft(np.fft.fft(x.detach().numpy(), axis=0, norm=norm), axis=1, norm=norm)
    np.testing.assert_allclose(fft.hfftn(x, norm=norm).detach().numpy(), wanted, atol=1e-12)
    np.testing.assert_allclose(fft.hfft2(x, (3, 5), norm=norm).shape, (3, 5))
    y = ft.tensor(RNG.standard_normal((3, 4)), requires_grad=True)
    wanted = np.fft.ifft(np.fft.ihfft(y.detach().numpy(), axis=1, norm=norm), axis=0, norm=norm)
    np.testing.assert_allclose(fft.ihfft2(y, norm=norm).detach().numpy(), wanted, atol=1e-12)
    for function, operand in ((fft.hfftn, x), (fft.ihfftn, y)):
        check_slopes(lambda z, f=function: f(z, norm=norm), (operand,))


@pytest.mark.parametrize("n", [1, 4, 5])
def test_frequencies_and_shifts(n):
    np.testing.assert_allclose(fft.fftfreq(n, 0.5).numpy(), np.fft.fftfreq(n, 0.5), rtol=1e-6)
    np.testing.assert_allclose(fft.rfftfreq(n, 0.5, dtype=ft.float64).numpy(), np.fft.rfftfreq(n, 0.5))
    x = ft.arange(3 * n).view(3, n)
    assert fft.fftshift(x).tolist() == np.fft.fftshift(x.numpy()).tolist()
    assert fft.ifftshift(x, dim=1).tolist() == np.fft.ifftshift(x.numpy(), 1).tolist()
    assert (fft.ifftshift(fft.fftshift(x)) == x).all()


@pytest.mark.parametrize("n", [127, 128])
@pytest.mark.parametrize("norm", [None, "forward", "ortho"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_transforms_of_various_lengths(dtype, norm, n):
    x = ft.tensor(RNG.standard_normal((64, n)), dtype=getattr(ft, dtype))
    for name in ("fft", "ifft", "fft2"):
        wanted = getattr(np.fft, name)(x.numpy().astype("complex128"), norm=norm)
        got = getattr(fft, name)(x, norm=norm).numpy()
        np.testing.assert_allclose(
            got, wanted, atol=(1e-6 if "32" in dtype or dtype == "complex64" else 1e-13) * abs(wanted).max()
        )
    wanted = np.fft.fft(x.numpy().astype("complex128"), axis=0, norm=norm)
    np.testing.assert_allclose(fft.fft(x, dim=0, norm=norm).numpy(), wanted, atol=1e-6 * abs(wanted).max())


def test_lengths_apply_to_the_last_dimensions():
    x = ft.ones(2, 3, 4)
    assert fft.fftn(x, s=(5,)).shape == (2, 3, 5) and fft.fftn(x, s=(-1, 2)).shape == (2, 3, 2)
    assert fft.fftn(ft.tensor(2.0)).item() == 2 and fft.fftn(x, dim=()).dtype is ft.complex64


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fft.fft(ft.ones(4).half()), "fft.fft: not defined for float16"),
        (lambda: fft.rfft(ft.ones(4) + 0j), "fft.rfft: expected real numbers; got complex64"),
        (lambda: fft.fft(ft.ones(4), norm="x"), "fft.fft: 'backward', 'forward' or 'ortho'; got 'x'"),
        (lambda: fft.fft(ft.ones(4), n=0), "fft.fft: at least 1 element to transform"),
        (lambda: fft.fft(ft.ones(0)), "fft.fft: at least 1 element to transform"),
        (lambda: fft.irfft(ft.ones(1)), "fft.irfft: at least 1 element in the result; got 0"),
        (lambda: fft.fft(ft.ones(())), "fft.fft: at least 1 dimension; got a number"),
        (lambda: fft.fftn(ft.ones(2, 2), dim=(0, 0)), "fft.fftn: names a dimension twice"),
        (lambda: fft.fftn(ft.ones(2, 2), s=(2,), dim=(0, 1)), "fft.fftn: as many lengths as dimensions"),
        (lambda: fft.fftn(ft.ones(2, 2), s=(1, 2, 2)), "fft.fftn: at most 2 lengths; got 3"),
        (lambda: fft.rfftn(ft.ones(2, 2), dim=()), "fft.rfftn: at least 1 dimension to transform"),
        (lambda: fft.fftfreq(-1), "fft.fftfreq: n of at least 0; got -1"),
        (lambda: fft.fftfreq(2, dtype=ft.int64), "fft.fftfreq: dtype to be floating or complex; got int64"),
        (lambda: fft.fft(ft.ones(4), norm=["ortho"]), "fft.fft: 'backward', 'forward' or 'ortho'; got"),
        (lambda: fft.fft(ft.ones(4), dim=1), "fft.fft: expected -1 to 0"),
        (
            lambda: fft.fftshift(ft.ones(()), 0),
            "fft.fftshift: expected at least 1 dimension, to take dim 0",
        ),
        (lambda: fft.irfftn(ft.ones(()), dim=(-1,)), "fft.irfftn: expected at least 1 dimension, to take dim"),
    ],
)
def test_errors(call, words):
    with raises((ValueError, TypeError, IndexError), words):
        call()


def test_frequencies_of_length_zero():
    assert fft.fftfreq(0).shape == (0,) and fft.rfftfreq(0).isnan().tolist() == [True]
    assert fft.fftfreq(4, 0.0)[1:].tolist() == [float("inf"), float("-inf"), float("-inf")]
