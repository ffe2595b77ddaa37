"""Strategies for arrays of any dtype, shape and strides."""

import numpy as np
from hypothesis import strategies as st
from kernel_helpers import COMPLEX, FLOAT8, FLOATS, OF_BITS, numpy_dtype, to_bfloat16, widen

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, np.inf, -np.inf, np.nan, 1e-40, 3e38, 65504.0]

sizes = st.sampled_from([0, 1, 1, 2, 3, 4, 5, 17, 70])
shapes = st.lists(sizes, max_size=4).map(tuple).filter(lambda shape: np.prod(shape) < 9000)


def values(rng, shape, name, special=True):
    """Numbers of a dtype: integers of the whole range, ordinary and special floats."""
    if name == "bool":
        return np.asarray(rng.integers(0, 2, shape)).astype(bool)
    if name in COMPLEX:
        part = "float32" if name == "complex64" else "float64"
        both = values(rng, (*shape, 2), part, special)
        return both.view(name)[..., 0]
    if name in FLOATS:
        numbers = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 3, shape)
        if special:
            numbers = np.where(rng.random(shape) < 0.1, rng.choice(SPECIAL, shape), numbers)
        with np.errstate(over="ignore"):
            single = np.asarray(numbers, "f8" if name == "float64" else "f4")
            return to_bfloat16(single) if name == "bfloat16" else single.astype(name)
    if name in FLOAT8:
        return np.asarray(rng.integers(0, 256, shape, dtype="u1")).view(OF_BITS[name])
    limits = np.iinfo(name)
    wide = np.asarray(rng.integers(limits.min, limits.max, shape, dtype=name, endpoint=True))
    near = np.asarray(rng.integers(0, 5, shape)).astype(name)
    return np.where(rng.random(shape) < 0.5, wide, near).astype(name)


def laid_out(rng, array):
    """A copy of the array with other strides: dimensions stored in any order, with gaps."""
    kind = array.view(np.ndarray)
    order = rng.permutation(kind.ndim)
    steps = rng.choice([1, 1, 2, 3], kind.ndim)
    stored = np.zeros([kind.shape[d] * steps[d] for d in order], kind.dtype)
    view = stored.transpose(np.argsort(order)) if kind.ndim else stored
    view = view[(..., *(slice(None, None, step) for step in steps))]
    view[...] = kind
    return view.view(type(array))


@st.composite
def operands(draw, count):
    """A shape, `count` shapes that broadcast to it, and a random generator for their elements."""
    shape = draw(shapes)
    given = []
    for _ in range(count):
        kept = draw(st.integers(0, len(shape))) if draw(st.booleans()) else len(shape)
        part = shape[len(shape) - kept :]
        if draw(st.booleans()):
            part = tuple(1 if draw(st.integers(0, 3)) == 0 else size for size in part)
        given.append(part)
    return shape, given, np.random.default_rng(draw(st.integers(0, 2**32))), draw(st.booleans())


def make(rng, shape, name, strided, special=True):
    """Return an array of this dtype and shape, contiguous or with arbitrary strides."""
    array = values(rng, shape, name, special)
    return laid_out(rng, array) if strided else array


def same(got, wanted):
    """Check that two arrays are equal bit for bit, except for the payloads of NaNs."""
    if isinstance(got, tuple(OF_BITS.values())):
        wanted = np.asarray(wanted).view(type(got))
        assert (np.asarray(got) == np.asarray(wanted))[~np.isnan(widen(wanted))].all()
        got, wanted = widen(got), widen(wanted)
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape
    assert got.dtype == wanted.dtype
    if got.dtype.kind in "fc":
        np.testing.assert_array_equal(got, wanted)
        parts = [(got, wanted)] if got.dtype.kind == "f" else [(got.real, wanted.real), (got.imag, wanted.imag)]
        for one, other in parts:
            finite = ~np.isnan(other)
            np.testing.assert_array_equal(np.signbit(one)[finite], np.signbit(other)[finite])
    else:
        np.testing.assert_array_equal(got, wanted)


__all__ = ["laid_out", "make", "numpy_dtype", "operands", "same", "shapes", "values"]
