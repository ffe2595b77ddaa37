"""Fourier transforms, against NumPy in double precision, which computes them with other algorithms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_helpers import BACKEND, layout

from facula_cpu import get_num_threads, set_num_threads

LENGTHS = [
    *range(1, 18),
    31,
    37,
    41,
    64,
    74,
    100,
    127,
    128,
    129,
    131,
    169,
    256,
    257,
    263,
    512,
    1000,
    1009,
    1024,
    2018,
    4096,
]
NAMES = {"float32": "complex64", "float64": "complex128"}
NORMS = ["backward", "ortho", "forward"]


def random(shape, name, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape) if name.startswith("c") else values).astype(name)


def launch(operator, a, out, *parameters):
    plan = BACKEND.plan(operator, (layout(a),), (layout(out),), parameters)
    workspace = np.empty(plan.workspace, "u1")
    plan.launch(out.size, a.ctypes.data, out.ctypes.data, *[workspace.ctypes.data] * (plan.workspace > 0))
    return out


def close(got, wanted):
    """Check that errors are below 12 units in the last place of the root mean square, per doubling of the length."""
    size = np.sqrt((np.abs(wanted) ** 2).mean())
    assert np.abs(got - wanted).max() <= 12 * np.log2(2 * got.size) * np.finfo(got.dtype).eps * size


def check(shape, dims, name, norm="backward", seed=0, strides=slice(None)):
    """Check all transforms of arrays of that shape; `strides` selects a part of the last dimension."""
    x = random(shape, name, seed)[..., strides]
    z = random(shape, NAMES[name], seed + 1)[..., strides]
    wide, wide_z, complex_name = x.astype("f8"), z.astype("c16"), NAMES[name]
    for inverse in (False, True):
        transform = np.fft.ifftn if inverse else np.fft.fftn
        for a, reference in ((x, wide), (z, wide_z)):
            got = launch("fft_complex", a, np.empty(a.shape, complex_name), dims, inverse, norm)
            close(got, transform(reference, axes=dims, norm=norm))
    half = np.fft.rfftn(wide, axes=dims, norm=norm)
    close(launch("fft_from_real", x, np.empty(half.shape, complex_name), dims, norm), half)
    spectrum = random((*half.shape[:-1], 2 * half.shape[-1]), complex_name)[..., ::2]
    length = x.shape[dims[-1]]
    wanted = np.fft.irfftn(spectrum.astype("c16"), [x.shape[dim] for dim in dims], dims, norm)
    close(launch("fft_to_real", spectrum, np.empty(x.shape, name), dims, length, norm), wanted)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", LENGTHS)
def test_every_length(name, n):
    check((3, n), (1,), name, "ortho")
    check((n, 19), (0,), name, "forward")


@given(st.integers(1, 700), st.sampled_from([*NAMES]), st.sampled_from(NORMS), st.integers(0, 3))
def test_lengths(n, name, norm, seed):
    check((n,), (0,), name, norm, seed)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dims", [(0, 1), (1, 0), (0, 1, 2), (2, 0, 1), (1, 2)])
def test_dimensions_and_strides(name, dims):
    check((4, 35, 18), dims, name)
    check((2, 3, 280), dims, name, "ortho", strides=slice(None, None, 2))


def test_a_line_is_computed_the_same_anywhere():
    x = random((41, 300), "complex64")
    want = launch("fft_complex", x, np.empty_like(x), (1,), False, "backward")
    columns = np.ascontiguousarray(x.T)
    got = launch("fft_complex", columns, np.empty_like(columns), (0,), False, "backward")
    assert np.array_equal(got.T, want)
    for i in (0, 40):
        assert np.array_equal(launch("fft_complex", x[i], np.empty_like(x[i]), (0,), False, "backward"), want[i])


@pytest.mark.parametrize("shape", [(1000, 64), (70, 1024), (3, 90, 90), (1, 40000), (1, 30011)])
def test_threads_do_not_change_bits(shape):
    x = random(shape, "complex64")
    threads, results = get_num_threads(), []
    try:
        for count in (1, 4):
            set_num_threads(count)
            results.append(launch("fft_complex", x, np.empty_like(x), (0, 1), True, "ortho"))
    finally:
        set_num_threads(threads)
    assert np.array_equal(*results)


@pytest.mark.parametrize("n", [8, 300, 67])
def test_not_finite(n):
    x = random((5, n), "complex64")
    x[1, 3], x[3, 2] = np.nan, np.inf
    got = launch("fft_complex", x, np.empty_like(x), (1,), False, "backward")
    assert np.isfinite(got).all(1).tolist() == [True, False, True, False, True]


def test_without_lines():
    x = np.empty((0, 8), "complex64")
    assert launch("fft_complex", x, np.empty_like(x), (1,), False, "backward").shape == (0, 8)


@pytest.mark.parametrize("name", ["complex64", "complex128"])
@pytest.mark.parametrize("length", [4, 8, 12, 16, 32])
def test_bits_do_not_depend_on_the_place_in_a_batch(length, name):
    """Lines in complete vectors and the remaining ones take other code. Signs of zeros are among the bits."""
    rng = np.random.default_rng(length)
    lines = rng.choice([0.0, -0.0, 1.0], (60, 2 * length), p=[0.45, 0.45, 0.1])
    for line in lines.view("complex128").astype(name):
        many = np.tile(line, (17, 1))
        got = launch("fft_complex", many, np.empty_like(many), (1,), False, "backward")
        assert len({row.tobytes() for row in got}) == 1
