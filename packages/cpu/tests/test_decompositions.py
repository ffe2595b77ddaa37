"""QR, eigenvalues and singular values of small matrices: by their definitions, and against NumPy."""

from types import SimpleNamespace

import numpy as np
import pytest
from test_elimination import close, launch, random, statuses

from facula_cpu._linalg import lapack_threads as lapack_module
from facula_cpu._linalg.lapack_threads import LARGEST, LapackThreads, lapack_threads

NAMES = ["float32", "float64"]
SHAPES = [(1, 1), (2, 2), (3, 3), (4, 4), (16, 16), (33, 33), (64, 64), (65, 65), (7, 3, 3), (2, 0, 5, 5)]
RECTANGLES = [(5, 3), (3, 5), (64, 1), (1, 64), (64, 16), (16, 40), (40, 64), (2, 3, 6, 4), (3, 0)]
LARGE = [(100, 70), (70, 100), (130, 3), (2, 3, 130), (96, 96), (300, 5), (1000, 40), (400, 330)]


def matrices(shape, name, rank):
    """Return random matrices of that rank, if not None; -1 is for columns of very different lengths."""
    a = random(shape, name)
    if rank == -1:
        return (a * np.float64(10) ** -np.arange(shape[-1])).astype(name)
    return a if rank is None else a[..., :, :rank] @ a[..., :rank, :]


def is_orthonormal(a):
    """Check columns."""
    close(np.swapaxes(a, -1, -2) @ a, np.broadcast_to(np.eye(a.shape[-1]), (*a.shape[:-2], *2 * a.shape[-1:])))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [*SHAPES, *RECTANGLES, *LARGE])
def test_qr(name, shape):
    *batch, m, n = shape
    a = random(shape, name)
    wanted = np.linalg.qr(a.astype("f8"), "r")
    (got,) = launch("qr_r", (a,), (np.full(wanted.shape, 9, name),))
    close(got, wanted)
    for complete, k in ((False, min(m, n)), (True, m)):
        (out,) = launch("qr", (a,), (np.full((*batch, m + n, k), 9, name),), complete)
        q, r = out[..., :m, :], np.swapaxes(out[..., m:, :], -1, -2)
        close(q @ r, a)
        is_orthonormal(q)
        close(r[..., : min(m, n), :], wanted)
        assert not np.tril(r, -1).any()


@pytest.mark.parametrize("rank", [None, 1, -1])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", SHAPES)
def test_eigenvalues(name, shape, rank):
    a, n = matrices(shape, name, rank), shape[-1]
    for upper in (False, True):
        half = np.triu(a) if upper else np.tril(a)
        whole = half + np.swapaxes(np.triu(a, 1) if upper else np.tril(a, -1), -1, -2)
        out, info = launch("eigh", (a,), (np.full((*shape[:-2], n + 1, n), 9, name), statuses(a)), upper)
        values, vectors = out[..., n, :], out[..., :n, :]
        close(whole @ vectors, vectors * values[..., None, :])
        is_orthonormal(vectors)
        close(values, np.linalg.eigvalsh(whole.astype("f8")))
        assert not info.any() and (np.diff(values) >= 0).all()
        only, info = launch("eigvalsh", (a,), (np.full(shape[:-1], 9, name), statuses(a)), upper)
        close(only, values)
        assert not info.any()


@pytest.mark.parametrize("rank", [None, 1, -1])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", SHAPES + RECTANGLES[:-1])
def test_singular_values(name, shape, rank):
    *batch, m, n = shape
    a, k = matrices(shape, name, rank), min(m, n)
    wanted = np.linalg.svd(a.astype("f8"), compute_uv=False)
    only, info = launch("svdvals", (a,), (np.full(wanted.shape, 9, name), statuses(a)))
    close(only, wanted)
    for full, size in ((False, k), (True, max(m, n))):
        out, info = launch("svd", (a,), (np.full((*batch, m + n + 1, size), 9, name), statuses(a)), full)
        u, v, s = out[..., :m, : m if full else k], out[..., m:-1, : n if full else k], out[..., -1, :k]
        close((u[..., :k] * s[..., None, :]) @ np.swapaxes(v[..., :k], -1, -2), a)
        is_orthonormal(u)
        is_orthonormal(v)
        close(s, wanted)
        assert not info.any() and (np.diff(s) <= 0).all()
        assert not out[..., :m, u.shape[-1] :].any() and not out[..., m:-1, v.shape[-1] :].any()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (2, 3, 6), (3, 2, 16, 16)])
def test_pseudo_inverses(name, shape):
    a = matrices(shape, name, 2)
    wide, bound = a.astype("f8"), np.full(shape[:-2], 1e-3, name)
    nothing = np.zeros((), name)
    turned = np.empty((*shape[:-2], shape[-1], shape[-2]), name)
    for atol, rtol in ((nothing, bound), (bound, nothing)):
        out, info = launch("pinv", (a, atol, rtol), (turned.copy(), statuses(a)), False)
        close(out, np.linalg.pinv(wide, 1e-3))
        assert not info.any()
    if shape[-2] == shape[-1]:
        whole = np.tril(a) + np.swapaxes(np.tril(a, -1), -1, -2)
        out, info = launch("pinv", (a, nothing, bound), (turned.copy(), statuses(a)), True)
        close(out, np.linalg.pinv(whole.astype("f8"), 1e-3, hermitian=True))
        a[..., 0, 0] = np.nan
        out, info = launch("pinv", (a, nothing, bound), (turned.copy(), statuses(a)), True)
        assert info.all() and np.isnan(out).all()


@pytest.mark.parametrize("name", NAMES)
def test_extreme_sizes(name):
    """Squares of the elements overflow or vanish."""
    for scale in (np.finfo(name).max / 8, np.finfo(name).tiny * 8):
        a = (random((4, 4), name) / 4 * scale).astype(name)
        (r,) = launch("qr_r", (a,), (np.empty_like(a),))
        close((r / scale).astype(name), np.linalg.qr(a.astype("f8") / scale, "r"))
        s, _ = launch("svdvals", (a,), (np.empty(4, name), statuses(a)))
        close((s / scale).astype(name), np.linalg.svd(a.astype("f8") / scale, compute_uv=False))
        values, _ = launch("eigvalsh", (a,), (np.empty(4, name), statuses(a)), False)
        close((values / scale).astype(name), np.linalg.eigvalsh(a.astype("f8") / scale))


@pytest.mark.parametrize("rows", [4, 1000])
@pytest.mark.parametrize("scale", [1e-158, 3e-162, 1e-300])
def test_columns_whose_squares_vanish(rows, scale):
    a = random((rows, 2), "float64")
    a[:, 0] *= scale
    (out,) = launch("qr", (a,), (np.empty((rows + 2, 2)),), False)
    close(out[:rows] @ out[rows:].T, a)
    is_orthonormal(out[:rows])


def test_zeros():
    a = np.zeros((3, 2), "f4")
    (out,) = launch("qr", (a,), (np.empty((5, 2), "f4"),), False)
    assert np.array_equal(out, np.eye(5, 2, dtype="f4"))
    out, info = launch("svd", (a,), (np.empty((6, 3), "f4"), statuses(a)), True)
    is_orthonormal(out[:3])
    assert not out[-1].any() and info == 0


@pytest.mark.parametrize(("value", "status"), [(np.nan, 1), (np.inf, 0)])
def test_not_finite(value, status):
    a = random((3, 4, 4), "float32")
    a[1, 2, 1] = value
    results = [
        launch("eigh", (a,), (np.empty((3, 5, 4), "f4"), statuses(a)), False),
        launch("eigvalsh", (a,), (np.empty((3, 4), "f4"), statuses(a)), False),
        launch("svd", (a,), (np.empty((3, 9, 4), "f4"), statuses(a)), False),
        launch("svdvals", (a,), (np.empty((3, 4), "f4"), statuses(a))),
    ]
    for out, info in results:
        assert info.tolist() == [0, status, 0]
        assert np.isnan(out[1]).all() and np.isfinite(out[[0, 2]]).all()
    upper, info = launch("eigvalsh", (a,), (np.empty((3, 4), "f4"), statuses(a)), True)
    assert not info.any() and np.isfinite(upper).all()  # the other triangle is not read


def test_strides():
    a = np.ascontiguousarray(random((6, 3, 5), "float64").T)[:, ::2]  # (5, 2, 6)
    (out,) = launch("qr_r", (a,), (np.empty((5, 2, 6)),))
    close(out, np.linalg.qr(a, "r"))
    b = np.broadcast_to(random((3, 3), "float64"), (4, 3, 3))
    s, _ = launch("svdvals", (b,), (np.empty((4, 3)), statuses(b)))
    close(s, np.linalg.svd(b, compute_uv=False))


@pytest.mark.skipif(lapack_threads() is None, reason="NumPy's LAPACK is unknown")
@pytest.mark.parametrize(("size", "wanted"), [(400, 1), (LARGEST + 1, 2)])
def test_threads_of_lapack(monkeypatch, size, wanted):
    get, put = lapack_threads()
    before, seen = get(), []
    monkeypatch.setattr(np.linalg, "qr", lambda a, mode: (seen.append(get()), a, a)[1:])
    put(3)
    try:
        monkeypatch.setattr(lapack_module, "lib", SimpleNamespace(facula_threads=lambda: 2))
        with LapackThreads(1):  # another thread's context
            launch("qr", (np.zeros((size, size), "f4"),), (np.empty((2 * size, size), "f4"),), False)
            assert get() == wanted
        assert seen == [wanted]
        assert get() == 3
    finally:
        put(before)
