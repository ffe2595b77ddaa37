"""Cases of copies of views, of predicates, and of further variants of decompositions and transforms."""

from __future__ import annotations

import numpy as np
from case import COMPLEX, FLOATS, INTEGERS, REALS, SCALES, Case, always, boolean

import facula_tensor as ft
from facula_tensor import fft, linalg, special

REAL, BOTH = ("float64",), ("float64", "complex128")
WIDE = ("float32", "float64")
LAYOUTS = ("contiguous", "transposed", "sliced", "offset")


def of(name, function, reference, **given):
    """Make a case of a function of one tensor."""
    given = {"shapes": ((3, 4),), "layouts": LAYOUTS, "rejects": False, **given}
    return Case(name, function, reference, **given)


def moved(name, function, reference, **given):
    """Make a case of a view or its copy in every dtype."""
    return of(name, function, reference, gradient=BOTH, **given)


def put(x, y):
    x = x.copy()
    x.reshape(-1)[[1, 3, 5, 7]] = y.reshape(-1)
    return x


def in_order(x):
    """Return a copy in contiguous memory."""
    return x.clone(memory_format=ft.contiguous_format)


COPIES = [
    moved("alias_copy", ft.alias_copy, np.copy),
    of("detach_copy", ft.detach_copy, np.copy),
    moved("as_strided", lambda x: ft.as_strided(x.contiguous(), (2, 3), (1, 2)),
          lambda x: np.stack([np.ravel(x)[[0, 2, 4]], np.ravel(x)[[1, 3, 5]]])),
    moved("as_strided_copy", lambda x: ft.as_strided_copy(x.contiguous(), (2, 3), (1, 2)),
          lambda x: np.stack([np.ravel(x)[[0, 2, 4]], np.ravel(x)[[1, 3, 5]]])),
    moved("as_strided_scatter", lambda x, y: ft.as_strided_scatter(in_order(x), y, (2, 2), (4, 2), 1), put, arity=2,
          shapes=((3, 4), (2, 2))),
    moved("diagonal_copy", lambda x: ft.diagonal_copy(x, 1), lambda x: np.diagonal(x, 1)),
    moved("expand_copy", lambda x: ft.expand_copy(x, (2, 3, 4)), lambda x: np.stack([x, x])),
    moved("broadcast_to", lambda x: ft.broadcast_to(x, (2, 3, 4)), lambda x: np.stack([x, x])),
    moved("select_copy", lambda x: ft.select_copy(x, 1, -1), lambda x: x[:, -1]),
    moved("split_copy", lambda x: ft.split_copy(x, 3, 1)[1], lambda x: x[:, 3:]),
    moved("split_with_sizes_copy", lambda x: ft.split_with_sizes_copy(x, (1, 3), 1)[1], lambda x: x[:, 1:]),
    moved("unsafe_split", lambda x: ft.unsafe_split(x, 2, 1)[1], lambda x: x[:, 2:]),
    moved("unsafe_split_with_sizes", lambda x: ft.unsafe_split_with_sizes(x, (1, 2))[1], lambda x: x[1:]),
    moved("squeeze_copy", lambda x: ft.squeeze_copy(x), lambda x: x[0], shapes=((1, 4),)),
    moved("unsqueeze_copy", lambda x: ft.unsqueeze_copy(x, 1), lambda x: x[:, None]),
    moved("t_copy", ft.t_copy, np.transpose),
    moved("transpose_copy", lambda x: ft.transpose_copy(x, 0, 1), np.transpose),
    moved("swapaxes", lambda x: ft.swapaxes(x, 0, 1), np.transpose),
    moved("unfold_copy", lambda x: ft.unfold_copy(x, 1, 2, 1),
          lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, 1)),
    moved("view_copy", lambda x: ft.view_copy(x.contiguous(), (2, 6)), lambda x: x.reshape(2, 6)),
    moved("atleast_1d", lambda x: ft.atleast_1d(x[0, 0]), lambda x: x[0, :1]),
    moved("dsplit", lambda x: ft.dsplit(x, 2)[1], lambda x: x[..., 1:], shapes=((2, 2, 2),)),
    moved("resolve_conj", ft.resolve_conj, np.copy, may_return_operand=True),
    moved("resolve_neg", ft.resolve_neg, np.copy, may_return_operand=True),
]  # fmt: skip


def bucket(x):
    return np.searchsorted([-1.5, 0.0, 1.5], x)


def most_frequent(x):
    return np.array([min(row, key=lambda number: (-list(row).count(number), number)) for row in x])


ANSWERS = [
    of("isclose", lambda x, y: ft.isclose(x, y, 0.0, 1.0), lambda x, y: abs(x.astype(float) - y) <= 1, arity=2,
       shapes=((3, 4), (3, 4)), dtypes=REALS, result=boolean),
    of("isin", lambda x: ft.isin(x, x[0]), lambda x: np.isin(x, x[0]), dtypes=REALS, result=boolean, meta=False),
    of("nonzero", ft.nonzero, lambda x: np.argwhere(x), result=always("int64"), meta=False, batching=False),
    of("argwhere", ft.argwhere, lambda x: np.argwhere(x), result=always("int64"), meta=False, batching=False),
    of("bucketize", lambda x: ft.bucketize(x, ft.tensor([-1.5, 0.0, 1.5], dtype=x.dtype, device=x.device)), bucket,
       dtypes=WIDE, result=always("int64")),
    of("searchsorted", lambda x: ft.searchsorted(ft.tensor([-1.5, 0.0, 1.5], dtype=x.dtype, device=x.device), x),
       bucket, dtypes=WIDE, result=always("int64")),
    of("bincount", ft.bincount, np.bincount, shapes=((6,),), dtypes=INTEGERS, domain=(0, 5), result=always("int64"),
       meta=False, batching=False),
    of("unique", ft.unique, np.unique, dtypes=("bool", *REALS), meta=False, batching=False),
    of("unique_consecutive", lambda x: ft.unique_consecutive(x.flatten().sort().values), np.unique,
       dtypes=("bool", *REALS), meta=False, batching=False),
    of("unravel_index", lambda x: ft.stack(ft.unravel_index(x, (3, 4))),
       lambda x: np.stack(np.unravel_index(x, (3, 4))), dtypes=("int64",), domain=(0, 11), meta=False, batching=False),
    of("mode", lambda x: ft.mode(x, 1).values, most_frequent, dtypes=REALS, gradient=()),
    of("mode of different elements", lambda x: ft.mode(x, 1).values, lambda x: x.min(1), dtypes=REALS, gradient=REAL,
       distinct=True),
    of("nextafter", ft.nextafter, np.nextafter, arity=2, shapes=((3, 4), (3, 4)), dtypes=WIDE, elementwise=False),
    of("std_mean", lambda x: sum(ft.std_mean(x, 1)), lambda x: x.std(1, ddof=1) + x.mean(1), dtypes=FLOATS,
       gradient=REAL, loose=10),
    of("var_mean", lambda x: sum(ft.var_mean(x, 0)), lambda x: x.var(0, ddof=1) + x.mean(0), dtypes=FLOATS,
       gradient=REAL, loose=10),
    of("zeta", lambda x: special.zeta(x, x + 1), lambda x: sum(1.0 / (x + 1 + k) ** x for k in range(300)), dtypes=WIDE,
       domain=(8.0, 12.0), loose=1e3),
]  # fmt: skip


def of_matrix(name, function, reference, **given):
    """Make a case of a function of invertible matrices."""
    regular = lambda x: function(x + 4 * ft.eye(3, dtype=x.dtype, device=x.device))
    given = {
        "shapes": ((3, 3),),
        "dtypes": (*WIDE, *COMPLEX),
        "domain": (-1.0, 1.0),
        "gradient": BOTH,
        "loose": 50,
        **given,
    }
    return of(name, regular, lambda x: reference(x + 4 * np.eye(3)), **given)


def positive(x):
    return x @ x.mH


def rebuilt(factors):
    p, lower, upper = ft.lu_unpack(*factors[:2])
    return p @ lower @ upper


FORMS = [
    of_matrix("linalg.cholesky_ex", lambda x: linalg.cholesky_ex(positive(x)).L,
              lambda x: np.linalg.cholesky(x @ x.conj().T)),
    of_matrix("linalg.inv_ex", lambda x: linalg.inv_ex(x).inverse, np.linalg.inv),
    of_matrix("linalg.solve_ex", lambda x: linalg.solve_ex(x, x[:, :2].conj()).result,
              lambda x: np.linalg.solve(x, x[:, :2].conj())),
    of_matrix("linalg.lu_factor", lambda x: rebuilt(linalg.lu_factor(x)), np.copy),
    of_matrix("linalg.lu_factor_ex", lambda x: rebuilt(linalg.lu_factor_ex(x)), np.copy),
    of_matrix("lu_unpack", lambda x: ft.lu_unpack(*linalg.lu_factor(x))[2],
              lambda x: np.linalg.solve(lower_of(x), x)),
    of("linalg.vector_norm", lambda x: linalg.vector_norm(x, 3, 1), lambda x: (abs(x) ** 3).sum(1) ** (1 / 3),
       dtypes=WIDE, gradient=REAL, loose=10, scales=SCALES),
    of("fft.fftshift", lambda x: fft.fftshift(x, 1), lambda x: np.fft.fftshift(x, 1), gradient=BOTH),
    of("fft.ifftshift", lambda x: fft.ifftshift(x), np.fft.ifftshift, gradient=BOTH),
]  # fmt: skip


def lower_of(x):
    """Return the factor with a unit diagonal; if the diagonal dominates, elimination swaps no rows."""
    x, lower = x.copy(), np.eye(3, dtype=x.dtype)
    for k in range(3):
        for i in range(k + 1, 3):
            lower[i, k] = x[i, k] / x[k, k]
            x[i] = x[i] - lower[i, k] * x[k]
    return lower


def hermitian(name, function, whole, **given):
    """Make a case of a transform between real elements and half of their symmetric spectrum."""
    return of(name, function, whole, layouts=LAYOUTS[:3], loose=50, **given)


TRANSFORMS = [
    hermitian("fft.hfft2", lambda x: fft.hfft2(x), lambda x: np.fft.irfft2(x.conj()) * 18, shapes=((3, 4),),
              dtypes=COMPLEX, result=lambda d: {"complex64": "float32"}.get(d, "float64"), gradient=("complex128",)),
    hermitian("fft.hfftn", lambda x: fft.hfftn(x), lambda x: np.fft.irfft2(x.conj()) * 18, shapes=((3, 4),),
              dtypes=COMPLEX, result=lambda d: {"complex64": "float32"}.get(d, "float64"), gradient=("complex128",)),
    hermitian("fft.ihfft2", lambda x: fft.ihfft2(x), lambda x: np.fft.rfft2(x).conj() / 12, dtypes=WIDE,
              result=lambda d: {"float32": "complex64"}.get(d, "complex128"), gradient=REAL),
    hermitian("fft.ihfftn", lambda x: fft.ihfftn(x), lambda x: np.fft.rfft2(x).conj() / 12, dtypes=WIDE,
              result=lambda d: {"float32": "complex64"}.get(d, "complex128"), gradient=REAL),
]  # fmt: skip

FURTHER_FORMS = [*COPIES, *ANSWERS, *FORMS, *TRANSFORMS]
