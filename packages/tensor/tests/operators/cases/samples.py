"""Cases of statistics: moments that ignore NaN, quantiles, histograms, covariances, differences, areas."""

from __future__ import annotations

import numpy as np
from case import COMPLEX, FLOATS, INTEGERS, REALS, Case, accumulated, always, floating

import facula_tensor as ft

REAL, BOTH = ("float64",), ("float64", "complex128")
WIDE = ("float32", "float64")
LAYOUTS = ("contiguous", "transposed", "sliced", "expanded", "offset")


def of(name, function, reference, **given):
    """Make a case of a function of one (3, 4) tensor of samples."""
    return Case(name, function, reference, **{"shapes": ((3, 4),), "layouts": LAYOUTS, "loose": 10, **given})


def summed(x):
    return x.astype(np.int64) if x.dtype.kind in "biu" else x


def norm_down(x):
    """Make cases that limit 2-norms to 2."""
    norms = np.sqrt((np.abs(x) ** 2).sum(1, keepdims=True))
    return x * np.where(norms > 2, 2 / (norms + 1e-7), 1)


def trapz_over_a_row(y):
    return ft.trapz(y, y[0], dim=1)


def slopes(x):
    return np.gradient(x.astype(float) if x.dtype.kind in "biu" else x, 0.5, axis=1, edge_order=2)


SAMPLES = [
    of("nansum(0)", lambda x, **out: ft.nansum(x, 0, **out), lambda x: summed(x).sum(0), out=True, gradient=REAL,
       dtypes=("bool", *REALS), result=accumulated),
    of("nanmean(1)", lambda x, **out: ft.nanmean(x, 1, **out), lambda x: x.mean(1), out=True, gradient=BOTH,
       dtypes=FLOATS + COMPLEX),
    of("aminmax(1)", lambda x: sum(ft.aminmax(x, dim=1)), lambda x: x.min(1) + x.max(1), dtypes=REALS,
       gradient=REAL, distinct=True, domain=(-6, 6), rejects=False),
    of("quantile", lambda x, **out: ft.quantile(x, 0.3, **out), lambda x: np.quantile(x, 0.3), out=True,
       dtypes=WIDE, gradient=REAL, distinct=True),
    of("quantile([...], 1)", lambda x: ft.quantile(x, ft.tensor([0.2, 0.7, 1.0], dtype=x.dtype, device=x.device), 1),
       lambda x: np.quantile(x, [0.2, 0.7, 1.0], 1), dtypes=WIDE, gradient=REAL, distinct=True, meta=False),
    *[
        of(f"quantile({kind})", lambda x, kind=kind: x.quantile(0.45, 0, True, interpolation=kind),
           lambda x, kind=kind: np.quantile(x, 0.45, 0, keepdims=True, method=kind), dtypes=WIDE, gradient=REAL,
           distinct=True)
        for kind in ("lower", "higher", "midpoint", "nearest")
    ],
    of("nanquantile(0)", lambda x: ft.nanquantile(x, 0.6, 0), lambda x: np.quantile(x, 0.6, 0), dtypes=WIDE,
       gradient=REAL, distinct=True),
    of("histc", lambda x, **out: ft.histc(x, 5, -2, 2, **out), lambda x: np.histogram(x, 5, (-2, 2))[0], out=True,
       dtypes=FLOATS, domain=(-2.5, 2.4), meta=False, batching=False),
    of("histogram", lambda x: ft.histogram(x, 4, range=(-2.0, 2.0)).hist, lambda x: np.histogram(x, 4, (-2, 2))[0],
       dtypes=WIDE, meta=False, batching=False),
    of("histogram(density)", lambda x: ft.histogram(x, 4, range=(-3.5, 3.5), density=True).hist,
       lambda x: np.histogram(x, 4, (-3.5, 3.5), density=True)[0], dtypes=WIDE, meta=False, batching=False),
    of("histogramdd", lambda x: ft.histogramdd(x[:, :2], (2, 3), range=(-2.0, 2.0, -3.0, 3.0)).hist,
       lambda x: np.histogramdd(x[:, :2], (2, 3), ((-2, 2), (-3, 3)))[0], dtypes=WIDE, meta=False, batching=False),
    of("cov", ft.cov, lambda x: np.cov(x), dtypes=REALS + COMPLEX, result=floating, gradient=BOTH, loose=40),
    of("corrcoef", ft.corrcoef, np.corrcoef, dtypes=("float32", "float64", *COMPLEX), gradient=REAL, loose=40,
       rejects=False, layouts=("contiguous", "transposed", "sliced")),
    of("diff", lambda x, **out: ft.diff(x, **out), lambda x: np.diff(x), out=True, gradient=BOTH),
    of("diff(2, 0)", lambda x: x.diff(2, 0), lambda x: np.diff(x, 2, 0), gradient=BOTH),
    of("trapezoid", lambda x: ft.trapezoid(x, dx=2), lambda x: np.trapezoid(summed(x), dx=2), dtypes=FLOATS + COMPLEX,
       gradient=BOTH, rejects=False),
    of("trapz(x)", lambda y: trapz_over_a_row(y * 1), lambda y: np.trapezoid(y, y[0], axis=1),
       dtypes=FLOATS, gradient=REAL, rejects=False),
    of("cumulative_trapezoid", lambda x: ft.cumulative_trapezoid(x, dim=0),
       lambda x: np.cumsum((x[1:] + x[:-1]) / 2, 0), dtypes=FLOATS + COMPLEX, gradient=BOTH, rejects=False),
    of("gradient", lambda x: ft.gradient(x, spacing=0.5, dim=1, edge_order=2)[0], slopes, gradient=BOTH,
       dtypes=(*INTEGERS[1:], *FLOATS, *COMPLEX), result=floating),
    of("renorm", lambda x, **out: ft.renorm(x, 2, 0, 2, **out), norm_down, out=True, inplace=None, gradient=BOTH,
       dtypes=FLOATS + COMPLEX),
    of("sum_to_size", lambda x: x.sum_to_size(1, 4), lambda x: summed(x).sum(0, keepdims=True), result=accumulated,
       gradient=BOTH),
    of("vander", lambda x: ft.vander(x, 3), lambda x: np.vander(summed(x), 3), result=accumulated, gradient=BOTH,
       shapes=((4,),)),
    of("fill", lambda x, **out: ft.fill(x, 1, **out), np.ones_like, out=True),
    of("narrow_copy", lambda x: x.narrow_copy(1, 1, 2), lambda x: x[:, 1:3], gradient=BOTH),
    of("permute_copy", lambda x, **out: ft.permute_copy(x, (1, 0), **out), np.transpose, out=True, gradient=BOTH),
    of("unbind_copy", lambda x: ft.unbind_copy(x, 1)[1], lambda x: x[:, 1], gradient=BOTH),
    of("slice_copy", lambda x: ft.slice_copy(x, 1, 1, None, 2), lambda x: x[:, 1::2], gradient=BOTH),
    of("split_with_sizes", lambda x: x.split_with_sizes((1, 3), 1)[1], lambda x: x[:, 1:], gradient=BOTH),
    of("unsafe_chunk", lambda x: ft.unsafe_chunk(x, 2, 1)[1], lambda x: x[:, 2:], gradient=BOTH),
    of("nonzero_static", lambda x: ft.nonzero_static(ft.isfinite(x[0]), size=5),
       lambda x: np.array([[0], [1], [2], [3], [-1]]), result=always("int64"), meta=False, batching=False),
    of("constant_pad_nd", lambda x: ft.constant_pad_nd(x, (1, 2), 1), lambda x: np.pad(x, ((0, 0), (1, 2)),
       constant_values=1), gradient=BOTH),
]  # fmt: skip
