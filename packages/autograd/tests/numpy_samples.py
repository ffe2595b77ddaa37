"""Calls of NumPy's functions with arguments; test_numpy.py runs all its checks on each.

An operand is an array, or a shape to fill with distinct numbers between 0.2 and 0.9.
"""

import numpy as np

L = np.linalg
MASK = np.array([[True, False, True], [False, True, True]])
SIGNED = np.array([-1.7, -0.6, 0.4, 2.3])
ZERO = np.array([[0.5, 0.0, 2.0], [1.5, 0.7, -0.3]])

UNARY = (
    np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.square, np.reciprocal, np.negative,
    np.positive, np.conjugate, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh,
    np.arcsinh, np.arctanh, np.absolute, np.sign, np.real, np.imag, np.angle, np.copy,
)  # fmt: skip
UNARY_REAL = (
    np.cbrt, np.degrees, np.radians, np.rad2deg, np.deg2rad, np.floor, np.ceil, np.trunc, np.rint, np.fabs, np.spacing,
    np.fix, np.nan_to_num,
)  # fmt: skip
BINARY = (np.add, np.subtract, np.multiply, np.divide, np.power, np.float_power)
BINARY_REAL = (
    np.arctan2, np.hypot, np.logaddexp, np.logaddexp2, np.remainder, np.fmod, np.copysign, np.maximum, np.minimum,
    np.fmax, np.fmin, np.heaviside, np.floor_divide,
)  # fmt: skip


def symmetric(x):
    """Return a positive definite matrix computed from `x` by functions under test."""
    return x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(x.shape[-2])


# name: (function, *operands)
COMPLEX = {
    **{f.__name__: (f, (2, 3)) for f in UNARY},
    **{f.__name__: (f, (2, 3), (3,)) for f in BINARY},
    **{f.__name__ + ", column": (f, (2, 1), (1, 3)) for f in BINARY},
    **{f.__name__ + ", number": (f, (), (2, 2)) for f in BINARY},
    "arccosh": (np.arccosh, np.linspace(1.2, 3, 4)),
    "abs": (lambda x: abs(x) + np.abs(x), (3,)),
    "outer product of a ufunc": (np.multiply.outer, (2,), (2, 2)),
    "operators": (lambda a, b: +a - b + 2**a - a**b + a**2 + (-b) ** 3 + np.float64(2) ** a, (2, 2), (2,)),
    "where": (lambda a, b: np.where(MASK, a, b), (2, 3), (3,)),
    "where, number": (lambda a: np.where(MASK, 0.0, a) + np.where([True, False, True], a, 1), ()),
    "astype": (lambda a: a.astype(complex) * 2 + np.astype(a, np.complex128), (3,)),
    "full_like": (lambda a: np.full_like(np.broadcast_to(a, (2, 2)), a) * a, ()),
    "complex parts": (lambda a: a.real * a.imag + np.angle(a, deg=True), (2,)),
    # reductions
    "sum": (lambda a: np.sum(a) * a.sum(axis=0) * a.sum(1, keepdims=True), (2, 3)),
    "sum, two axes": (lambda a: np.sum(a, axis=(0, -1)) * a.sum((0, 2), keepdims=True), (2, 2, 2)),
    "sum where": (lambda a: np.sum(a, where=MASK, initial=2.0), (2, 3)),
    "sum of nothing": (lambda a: np.sum(a * np.zeros((0, 3)), axis=0) + a, (3,)),
    "sum of a number": (lambda a: np.sum(a) + np.mean(a), ()),
    "add.reduce": (lambda a: np.add.reduce(a) + np.add.reduce(a, axis=None) + np.add.reduce(a, -1)[0], (2, 3)),
    "prod": (lambda a: np.prod(a) + a.prod(0) + np.prod(a, axis=-1, keepdims=True), (2, 3)),
    "prod, two axes": (lambda a: np.prod(a, axis=(0, 2), keepdims=True, initial=2.0, where=a != 0), (2, 2, 2)),
    "prod with a zero": (lambda a: np.prod(a, axis=1) + a[0, 0], ZERO),
    "prod with zeros": (lambda a: np.multiply.reduce(a), np.array([0.0, 2.0, 0.0])),
    "mean": (lambda a: np.mean(a) + a.mean(0) + np.mean(a, axis=1, keepdims=True), (2, 3)),
    "mean where": (lambda a: np.mean(a, axis=0, where=MASK), (2, 3)),
    "var": (lambda a: np.var(a) + a.var(0) + np.var(a, axis=1, keepdims=True, ddof=1), (2, 3)),
    "std": (lambda a: np.std(a) + a.std(0, ddof=1) + np.std(a, axis=1, keepdims=True), (2, 3)),
    "cumsum": (lambda a: np.cumsum(a)[:3] + a.cumsum(1) + np.add.accumulate(a), (2, 3)),
    "cumprod": (lambda a: np.cumprod(a)[:3] + a.cumprod(1) + np.multiply.accumulate(a), (2, 3)),
    "cumprod with a zero": (lambda a: np.cumprod(a, axis=1), ZERO),
    "nansum": (lambda a: np.nansum(np.where(MASK, a, np.nan), axis=1), (2, 3)),
    "nanmean": (lambda a: np.nanmean(np.where(MASK, a, np.nan), axis=1), (2, 3)),
    "nanprod": (lambda a: np.nanprod(np.where(MASK, a, np.nan), axis=1), (2, 3)),
    "average": (lambda a, w: np.average(a, 1, w) + np.average(a), (2, 3), (2, 3)),
    "average, weights of one axis": (lambda a, w: np.average(a, axis=1, weights=w), (2, 3), (3,)),
    # shapes
    "reshape": (lambda a: np.reshape(a, (3, 2)) + a.reshape((3, 2)) * a.reshape(3, -1) + np.reshape(a, 6)[0], (2, 3)),
    "reshape, by columns": (lambda a: np.reshape(a, (3, 2), order="F") * a.reshape(3, 2), (2, 3)),
    "ravel": (lambda a: np.ravel(a) + a.ravel(order="F") + a.flatten(), (2, 3)),
    "squeeze": (lambda a: np.squeeze(a) * a.squeeze(0), (1, 3)),
    "expand_dims": (lambda a: np.expand_dims(a, (0, 2)) * a, (3,)),
    "atleast_1d": (lambda a, b: [np.atleast_1d(a), *np.atleast_1d(b, a)], (), (2,)),
    "atleast_2d": (np.atleast_2d, (3,)),
    "atleast_3d": (np.atleast_3d, (2, 3)),
    "transpose": (lambda a: a.T + np.transpose(a, (2, 1, 0)) * a.transpose(2, 1, 0) + a.transpose(), (2, 1, 2)),
    "transpose, by turns": (lambda a: np.transpose(a, (1, 2, 0)) * 2, (2, 1, 3)),
    "swapaxes": (lambda a: np.swapaxes(a, 0, 2) + a.swapaxes(0, -1), (2, 1, 3)),
    "moveaxis": (lambda a: np.moveaxis(a, 0, -1) * 3, (2, 1, 3)),
    "rollaxis": (lambda a: np.rollaxis(a, 2), (2, 1, 3)),
    "matrix_transpose": (lambda a: np.matrix_transpose(a) + a.mT + L.matrix_transpose(a), (2, 1, 3)),
    "broadcast_to": (lambda a: np.broadcast_to(a, (2, 2, 3)), (2, 1)[1:] + (3,)),
    "broadcast_arrays": (np.broadcast_arrays, (2, 1), (3,)),
    "roll": (lambda a: np.roll(a, 1) + np.roll(a, shift=(1, 2), axis=(0, 1)), (2, 3)),
    "flip": (lambda a: np.flip(a) + np.flip(m=a, axis=1) + np.fliplr(a) * np.flipud(a), (2, 3)),
    "rot90": (lambda a: np.rot90(a, 3), (2, 3)),
    "tile": (lambda a: np.tile(a, (2, 2)), (1, 2)),
    "repeat": (lambda a: np.repeat(a, [1, 2, 0], axis=1) + a.repeat(3)[:3], (2, 3)),
    "resize": (lambda a: np.resize(a, (2, 2)), (3,)),
    "diag": (lambda a: np.diag(a) + np.diag(np.diag(a, 1), -1) + np.diagflat(a), (3,)),
    "diagonal": (lambda a: a.diagonal() + np.diagonal(a, 0, 1, 2)[0] + L.diagonal(a, offset=-1), (2, 3, 2)),
    "triu": (lambda a: np.triu(a) * np.tril(a, 1), (2, 3)),
    "take": (lambda a: np.take(a, [0, 2, 2], axis=1) + a.take([1]), (2, 3)),
    "take_along_axis": (lambda a: np.take_along_axis(a, np.array([[2], [0]]), axis=1), (2, 3)),
    "delete": (lambda a: np.delete(a, 1, axis=1), (2, 3)),
    "compress": (lambda a: np.compress([True, False, True], a, axis=1), (2, 3)),
    "extract": (lambda a: np.extract(MASK, a), (2, 3)),
    "sliding_window_view": (lambda a: np.lib.stride_tricks.sliding_window_view(a, 3), (4,)),
    "pad": (lambda a: np.pad(a, ((1, 0), (0, 2))) + np.pad(a, ((1, 0), (0, 2)), constant_values=2.0), (1, 2)),
    "pad, by itself": (lambda a: np.pad(a, 2, "wrap") * np.pad(a, 2, mode="reflect") + np.pad(a, 2, "edge"), (4,)),
    "split": (lambda a: np.split(a, [1], axis=1) + np.array_split(a, 2, 1) + np.hsplit(a, 3), (2, 3)),
    "split, more": (lambda a: np.vsplit(a, 2) + np.dsplit(a, [1]) + list(np.unstack(a, axis=2)), (2, 2, 2)),
    "trace": (lambda a: np.trace(a, 1) * a.trace() + L.trace(a), (3, 3)),
    "shifts of frequencies": (lambda a: np.fft.fftshift(a) * 2 + np.fft.ifftshift(a, axes=1), (2, 3)),
    # several arrays
    "concatenate": (lambda a, b: np.concatenate((a, b, np.ones((1, 3)), a), 0), (2, 3), (1, 3)),
    "concatenate, flat": (lambda a, b: np.concatenate([a, b], axis=None), (2, 3), ()),
    "stack": (lambda a, b: np.stack([a, b, [1.0, 2.0]], axis=-1) + np.stack((b, a, a), 1), (2,), (2,)),
    "vstack": (lambda a, b: np.vstack([a, b]), (2, 3), (3,)),
    "hstack": (lambda a, b: [np.hstack((a, b)), np.hstack((a[0], b[0]))], (2, 3), (2, 1)),
    "dstack": (lambda a, b: np.dstack((a, b)), (2, 2), (2, 2)),
    "column_stack": (lambda a, b: np.column_stack((a, b)), (2,), (2, 2)),
    "append": (lambda a, b: [np.append(a, b), np.append(b, [[1.0, 2.0, 3.0]], axis=0)], (2,), (1, 3)),
    "block": (lambda a, b: [np.block([[a, b], [b, a]]), np.block([b[0], 2.0])], (2, 2), (2, 2)),
    "meshgrid": (lambda a, b: [*np.meshgrid(a, b), *np.meshgrid(a, b, indexing="ij", sparse=True)], (2,), (3,)),
    "diff": (lambda a, b: np.diff(a, 2, axis=0) + np.diff(a, prepend=0, append=b)[0, :2], (3, 2), (3, 2)),
    "ediff1d": (lambda a: np.ediff1d(a, to_begin=a[0], to_end=[2.0]), (3,)),
    "trapezoid": (lambda y, x: np.trapezoid(y, x) + np.trapezoid(y, dx=0.5, axis=0)[0], (2, 3), (3,)),
    "linspace": (lambda a, b: np.linspace(a, b, 3) + np.linspace(a, 2.0, 3, endpoint=False, axis=-1), (3,), ()),
    "polyval": (lambda p, x: np.polyval(p, x) + np.polyval(p[:2], [0.5, 2.0]), (3,), (2,)),
    "no elements": (lambda a: np.concatenate((np.tanh(a[:0]), a, np.flip(a[:0]) @ np.ones((3, 3)))), (2, 3)),
    # indexing
    "index": (lambda a: a[1] + a[..., 0] + a[:, None, 1] + a[-1, ::-1] + a[1, [0, 0]], (2, 2)),
    "mask": (lambda a: [a[MASK], a[[True, False]], a[a.real > 0.5], a[np.array([[1], [0]]), [0, 2]]], (2, 3)),
    "iteration": (lambda a: sum(x * y for x, y in a), (3, 2)),
    # products
    "dot": (lambda a, b: np.dot(a, b) * np.dot(a, b)[0], (2, 3), (3, 2)),
    "methods": (lambda a: a.dot(np.ones(3)) + a.take([1], axis=1).ravel() * a.swapaxes(0, 1)[0].copy(), (2, 3)),
    "dot of vectors": (lambda a, b: np.dot(a, b) * np.dot(b, 2.0), (3,), (3,)),
    "dot of more": (lambda a, b: [np.dot(a, b), np.dot(a, b[0, :, 0])], (2, 2, 3), (2, 3, 2)),
    "matmul": (lambda a, b: np.matmul(a, b) + L.matmul(a, b) + a @ b, (2, 2, 3), (3, 1)),
    "matmul, vector": (lambda a, b: np.matmul(a, b) + np.ones(3) @ b, (2, 3), (3,)),
    "inner": (lambda a, b: [np.inner(a, b), np.inner(a, 2.0)], (2, 3), (2, 3)),
    "outer": (lambda a, b: np.outer(a, b) + L.outer(a, b.ravel()), (3,), (2, 1)),
    "vdot": (lambda a, b: np.vdot(a, b), (2, 2), (2, 2)),
    "vecdot": (lambda a, b: np.vecdot(a, b) + L.vecdot(a, b, axis=-1), (2, 3), (3,)),
    "tensordot": (lambda a, b: np.tensordot(a, b) + np.tensordot(a, b, ([1, 0], [1, 0])), (2, 2), (2, 2, 2)),
    "tensordot, one axis": (lambda a, b: np.tensordot(a, b, (0, -1)) + L.tensordot(a, b, axes=1), (2, 2), (2, 2)),
    "kron": (lambda a, b: np.kron(a, b), (2, 2), (2,)),
    "cross": (lambda a, b: np.cross(a, b) + L.cross(b, a, axis=-1) * 2, (2, 3), (3,)),
    "convolve": (lambda a, v: [np.convolve(a, v, m) for m in ("full", "same", "valid")], (3,), (4,)),
    "correlate": (lambda a, v: np.correlate(a, v, "full"), (4,), (2,)),
    "einsum": (lambda a, b: np.einsum("ij,jk->ik", a, b) + np.einsum("ij , jk", a, b), (2, 3), (3, 2)),
    "einsum, summed": (lambda a, b: np.einsum("ij,k->k", a, b) + np.einsum("ij->", a), (2, 3), (2,)),
    "einsum, diagonal": (lambda a, b: np.einsum("ii,jij->i", a, b) + np.einsum("ii", a), (2, 2), (2, 2, 2)),
    "einsum, dots": (lambda a, b: np.einsum("...ij,...jk->...ik", a, b) * np.einsum("i...", b), (2, 2), (2, 2, 2)),
    "einsum, dots in the result": (lambda a, b: np.einsum("i...,...j", a, b), (2, 2), (1, 2)),
    "einsum, three": (lambda a, b, c: np.einsum("i,ij,j->", a, b, c, optimize=True), (2,), (2, 3), (3,)),
    "einsum, lists": (lambda a, b: np.einsum(a, [0, 1], b, [1, 2], [2, 0]) + np.einsum(a, [0, 0]), (2, 2), (2, 2)),
    # linear algebra
    "inv": (lambda a: L.inv(symmetric(a)), (2, 2, 2)),
    "det": (lambda a: L.det(symmetric(a)), (2, 2, 2)),
    "det of singular matrices": (L.det, np.array([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]])),
    "det of one number": (L.det, np.zeros((1, 1))),
    "solve": (lambda a, b: L.solve(symmetric(a), b), (2, 2), (2, 3)),
    "solve, vector": (lambda a, b: L.solve(symmetric(a), b), (2, 2, 2), (2,)),
    "cholesky": (lambda a: L.cholesky(symmetric(a)) + np.conj(L.cholesky(symmetric(a), upper=True).mT), (2, 2)),
    "eigvalsh": (lambda a: L.eigvalsh(symmetric(a)) + L.eigh(symmetric(a))[0], (2, 2)),
    "eigh": (lambda a: (lambda w, v: abs(v) ** 2 * w)(*L.eigh(symmetric(a))), (3, 3)),
    "matrix_power": (lambda a: L.matrix_power(a, 3) + L.matrix_power(a, -2) + L.matrix_power(a, 0), symmetric(ZERO)),
    "multi_dot": (lambda a, b: L.multi_dot([a, b, a]), (2, 3), (3, 2)),
    "norm": (lambda a: L.norm(a) + L.norm(a, axis=0) + L.norm(a, "fro", (0, 1), keepdims=True)[0], (2, 3)),
    "norm of vectors": (lambda a: L.norm(a, 1, 0) + L.norm(a, np.inf, 0) + L.norm(a, 3, axis=0, keepdims=True), (2, 3)),
    "norm of matrices": (lambda a: L.norm(a, 1) * L.norm(a, -np.inf) + L.matrix_norm(a), (2, 3)),
    "vector_norm": (lambda a: L.vector_norm(a, axis=1) + L.vector_norm(a, ord=-np.inf, axis=1, keepdims=True), (2, 3)),
    # transforms
    "fft": (lambda a: [np.fft.fft(a, norm="ortho"), np.fft.ifft(a, 4, axis=0), np.fft.fft(a, 2)], (2, 3)),
    "fft of axes": (lambda a: np.fft.fft2(a) + np.fft.ifft2(a) + np.fft.fftn(a) * np.fft.ifftn(a, axes=(0,)), (2, 3)),
}  # fmt: skip

REAL = {
    **{f.__name__: (f, (2, 3)) for f in UNARY_REAL},
    **{f.__name__ + ", signed": (f, SIGNED) for f in (*UNARY_REAL, np.absolute, np.sign, np.arctan, np.tanh)},
    **{f.__name__: (f, (2, 3), (3,)) for f in BINARY_REAL},
    **{f.__name__ + ", signed": (f, SIGNED, SIGNED[::-1] * 1.3) for f in BINARY_REAL},
    "ldexp": (lambda a: np.ldexp(a, 3), (3,)),
    "power at 0": (lambda a: a**2 + np.power(a, [2.0, 3.0, 0.0]) + np.power(a, np.float64(2)) + a**0, np.arange(3.0)),
    "select": (lambda a, b: np.select([a < -1, a < 1], [b, a * b], default=a), SIGNED, (4,)),
    "operands by name": (lambda a: np.round(a=a) + np.nan_to_num(x=a) + np.mean(a=a) + np.roll(a=a, shift=1), (3,)),
    "round": (lambda a: np.round(a, 1) + np.around(a) * a.round(2), (3,)),
    "remainders": (lambda a, b: [*divmod(a, b), a % b, a // b, 5.0 % b, *np.divmod(a, 0.37)], SIGNED, (4,)),
    "modf": (lambda a: list(np.modf(a)), SIGNED),
    "clip": (lambda a: np.clip(a, -0.7, 0.5) + a.clip(max=0.5) + np.clip(a, -1.0, None), SIGNED),
    "clip by Variables": (lambda a, b: np.clip(a, b, b + 1) + np.clip(a, a_min=None, a_max=b), SIGNED, (4,)),
    "max": (lambda a: np.max(a) + a.max(0) + np.amax(a, axis=1, keepdims=True) + np.maximum.reduce(a), (2, 3)),
    "min": (lambda a: np.min(a) + a.min(0) + np.amin(a, axis=1, keepdims=True) + np.minimum.reduce(a), (2, 3)),
    "max where": (lambda a: np.max(a, axis=0, where=MASK, initial=0.1) + np.min(a, initial=5.0), (2, 3)),
    "interp": (np.interp, np.array([0.1, 0.35, 0.9, 2.0]), np.array([0.2, 0.4, 1.1]), (3,)),
    "nanmax": (lambda a: np.nanmax(np.where(MASK, a, np.nan), 1) + np.nanmin(np.where(MASK, a, np.nan), 1), (2, 3)),
    "ptp": (lambda a: np.ptp(a) + np.ptp(a, 0), (2, 3)),
    "logaddexp.reduce": (lambda a: np.logaddexp.reduce(a) + np.logaddexp.reduce(a, axis=None), (2, 3)),
    "logaddexp2.reduce": (lambda a: np.logaddexp2.reduce(a, axis=1, keepdims=True), (2, 3)),
    "sort": (lambda a: np.sort(a) + np.sort(a, axis=0) + np.sort(a, None)[:3], (2, 3)),
    "quantile": (lambda a: np.quantile(a, [0.2, 0.7], axis=0) + np.quantile(a, 0.4, keepdims=True), (2, 2)),
    "percentile": (lambda a: np.percentile(a, 33) + np.percentile(a, [10, 60], axis=1, keepdims=True), (2, 3)),
    "median": (lambda a: np.median(a) + np.median(a, axis=0) + np.median(a, 1, keepdims=True), (2, 3)),
    "outer of maximum": (np.maximum.outer, (2,), (3,)),
    "slogdet": (lambda a: L.slogdet(a)[1] * L.slogdet(a).sign, np.array([[0.5, 2.0], [1.5, -0.3]])),
    "rfft": (lambda a: [np.fft.rfft(a), np.fft.rfft(a, 4, axis=0)], (2, 3)),
}  # fmt: skip
if hasattr(np, "matvec"):
    COMPLEX["matvec"] = (lambda a, b: np.matvec(a, b) + np.vecmat(b[..., :2], a)[..., :2], (2, 3), (3,))


def operands(samples, name, dtype=float):
    """Return new arrays for a sample. The imaginary parts of complex arrays are chosen like the real parts."""
    rng = np.random.default_rng(len(name))
    for x in samples[name][1:]:
        if isinstance(x, tuple):
            steps = np.linspace(0.45, 0.9, 1 if x == () else int(np.prod(x))) ** 1.9
            x, y = (rng.permutation(steps + rng.uniform(-0.02, 0.02)).reshape(x) for _ in range(2))
        else:
            y = x[::-1] / 3
        yield x + 1j * y if dtype is complex else np.array(x)
