"""Copies: all pairs of dtypes, any strides, in blocks; casts follow the rules of cast.inc."""

import numpy as np
import pytest
from arrays import make, operands, same
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_helpers import (
    COMPLEX,
    FLOAT8,
    FLOATS,
    INTEGERS,
    NAMES,
    UNSIGNED,
    dtype_of,
    empty,
    launch,
    narrow,
    numpy_dtype,
    run,
    widen,
)

from facula_cpu import get_num_threads, set_num_threads

ALL = [*NAMES, *UNSIGNED, *FLOAT8]


def cast(array, name):
    """Cast by cast.inc's rules, in NumPy.

    Unsigned types except uint8 have the range of int64 or int32; uint64 has its own.
    """
    if dtype_of(array).name == name:
        return array
    wide = widen(array)
    if name == "bool":
        return wide != 0
    if name in UNSIGNED:
        if name == "uint64" and wide.dtype.kind in "fc":
            number = np.trunc(wide.real.astype("f8"))
            high = (number >= 2.0**63) & (number < 2.0**64)
            low = cast(np.where(high, 0, number), "int64").astype(name)
            return np.where(high, np.where(high, number, 0).astype(name), low)
        return cast(array, "int32" if name == "uint16" else "int64").astype(name)
    if name in INTEGERS:
        if wide.dtype.kind in "fc":
            number = wide.real.astype("f8")
            bits = 63 if name == "int64" else 31
            fits = (np.trunc(number) >= -(2.0**bits)) & (number < 2.0**bits)
            whole = np.where(fits, np.where(fits, number, 0).astype("i8"), np.int64(-(2**bits)))
            return whole.astype(name)
        return wide.astype(name)
    if name in (*FLOATS, *FLOAT8) and wide.dtype.kind == "c":
        wide = wide.real
    if name in ("float16", "bfloat16", *FLOAT8):
        wide = wide.astype("f4")
    return narrow(wide, name)


@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("target", ALL)
@given(case=operands(1), strided=st.booleans())
@settings(max_examples=12)
def test_every_pair_of_dtypes(source, target, case, strided):
    """Check all 400 casts of ordinary and special values, with strides and broadcasting."""
    shape, (given_shape,), rng, special = case
    a = make(rng, given_shape, source, strided, special)
    with np.errstate(all="ignore"):
        wanted = np.broadcast_to(cast(a, target), shape)
    same(launch("copy", [a], make(rng, shape, target, strided)), wanted)


@pytest.mark.parametrize("target", INTEGERS)
def test_floats_out_of_range(target, level):
    """Check that NaN and numbers out of range have one defined result at each level, vectorized or not."""
    values = np.array(
        [np.nan, np.inf, -np.inf, 3e9, -3e9, -(2.0**31) - 0.5, 2.0**31 - 0.5, 1e30, 300.7, -300.7, 2.0**63, 255.9, -0.9]
        * 20
    )
    for source in FLOATS:
        with np.errstate(all="ignore"):
            a = narrow(values, source)
            wanted = cast(a, target)
        same(run("copy", a, to=target), wanted)
        same(run("copy", a[::3], to=target), wanted[::3])


@pytest.mark.parametrize("name", ALL)
@given(case=operands(1), strided=st.booleans())
@settings(max_examples=10)
def test_copies_keep_all_bits(name, case, strided):
    """Check that a copy within a dtype keeps the payloads of NaNs."""
    _, (shape,), rng, _ = case
    bits = rng.integers(0, 256, (*shape, numpy_dtype(name).itemsize), dtype="u1")
    if name == "bool":
        bits &= 1
    a = empty(shape, name)
    np.asarray(a).reshape(-1).view("u1")[:] = bits.reshape(-1)
    out = make(rng, shape, name, strided)
    launch("copy", [a], out)
    assert np.ascontiguousarray(out).tobytes() == np.asarray(a).tobytes()


def test_half_precision_casts_round_like_numpy(level):
    """Check that all float16 numbers widen as in NumPy, and that all roundings of float32 agree with NumPy's.

    Casts from float16 to bfloat16 have one NaN, without sign and payload, as in PyTorch.
    """
    every = np.arange(65536, dtype="u2").view("f2")
    wanted = np.where(np.isnan(every), 0x7FC0, np.asarray(narrow(every.astype("f4"), "bfloat16")).view("u2"))
    for step in (1, 3):
        assert (np.asarray(run("copy", every[::step], to="bfloat16")).view("u2") == wanted[::step]).all()
    same(run("copy", every, to="float32"), every.astype("f4"))
    same(run("copy", every[::2], to="float32"), every[::2].astype("f4"))
    patterns = np.arange(0, 2**32, 9973, dtype=np.uint64).astype(np.uint32).view("f4")
    ties = (np.arange(65535, dtype="u4") << 13).view("f4") * np.float32(2**112)
    for floats in (patterns, ties, np.nextafter(ties, np.float32(0)), np.float32([65519.996, 65520, 2**-25, 2**-24])):
        with np.errstate(over="ignore"):
            same(run("copy", floats, to="float16"), floats.astype("f2"))
            same(run("copy", floats[::3], to="float16"), floats[::3].astype("f2"))
        wanted = narrow(floats, "bfloat16")
        assert np.asarray(run("copy", floats, to="bfloat16")).tobytes() == np.asarray(wanted).tobytes()


@pytest.mark.parametrize("name", FLOAT8)
def test_float8_casts_follow_the_definition(name, level):
    """Check every float16 and bfloat16 number, midpoints between two codes, and random bits."""
    codes = np.arange(256, dtype="u1").view(type(empty(0, name)))
    same(run("copy", codes, to="float32"), widen(codes))
    halves = np.arange(65536, dtype="u2")
    bits = np.random.default_rng(0).integers(0, 2**32, 1 << 20, "u4")
    small = np.arange(0x300000, 0x900000, 7, "u4")
    for values in (halves.view("f2"), (halves.astype("u4") << 16).view("f4"), bits.view("f4"), small.view("f4")):
        with np.errstate(invalid="ignore"):
            wanted = np.asarray(narrow(widen(values), name))
        same(run("copy", values, to=name), wanted)
        same(run("copy", values[::3], to=name), wanted[::3])


@pytest.mark.parametrize("name", ["uint8", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("threads", [1, 2])
def test_transposing(name, threads):
    """Check copies in blocks: sizes near the block's, dimensions around the transposed two, threads."""
    before = get_num_threads()
    set_num_threads(threads)
    try:
        rng = np.random.default_rng(0)
        for rows, columns in [(16, 16), (33, 65), (130, 17), (300, 257), (15, 100)]:
            a = make(rng, (rows, columns), name, False)
            same(run("copy", a.T), a.T)
            around = make(rng, (2, rows, 3, columns), name, False)
            for order in [(0, 3, 2, 1), (3, 2, 1, 0), (2, 0, 3, 1), (0, 2, 3, 1)]:
                same(run("copy", around.transpose(order)), around.transpose(order))
            out = np.zeros((columns * 2, rows + 5), a.dtype)[::2, 2 : rows + 2]
            same(launch("copy", [a.T], out), a.T)
    finally:
        set_num_threads(before)


@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("target", ALL)
def test_transposing_casts(source, target):
    """Check that casts in tiles give the same values as casts by rows, for every pair of dtypes."""
    rng = np.random.default_rng(1)
    for shape in [(70, 35), (3, 1100), (600, 5), (16, 64)]:
        a = make(rng, shape, source, False, True)
        with np.errstate(all="ignore"):
            same(run("copy", a.T, to=target), cast(a.T, target))
    a = make(rng, (2, 100, 3, 40), source, False, True)
    for view in (a.transpose(0, 2, 3, 1), a[:, ::3].transpose(3, 1, 2, 0), a[:, :, :, ::2].transpose(0, 3, 2, 1)):
        with np.errstate(all="ignore"):
            same(run("copy", view, to=target), cast(view, target))


@pytest.mark.parametrize("name", ["uint8", "int16", "float32", "float64", "complex128"])
def test_narrow_transposes(name, level):
    """Check images between channels first and channels last with 1 to 17 channels; only the output is written."""
    rng = np.random.default_rng(2)
    for channels in range(1, 18):
        a = make(rng, (2, channels, 9, 11), name, False)
        same(run("copy", a.transpose(0, 2, 3, 1)), a.transpose(0, 2, 3, 1))
        a = make(rng, (2, 9, 11, channels), name, False)
        same(run("copy", a.transpose(0, 3, 1, 2)), a.transpose(0, 3, 1, 2))
        a = make(rng, (channels, 99), name, False)
        out = np.zeros((101, channels + 2), a.dtype)
        launch("copy", [a.T], out[1:-1, 1:-1])
        same(np.ascontiguousarray(out[1:-1, 1:-1]), a.T)
        out[1:-1, 1:-1] = 0
        assert not out.any()


@pytest.mark.parametrize("name", ["bool", "bfloat16", "float32", "complex64"])
def test_sizes_near_the_tile(name):
    """Check every length of the last vectors of a line and of a row."""
    rng = np.random.default_rng(3)
    for rows in [*range(16, 36), 63, 64, 65, 129]:
        a = make(rng, (rows, 150 - rows), name, False)
        same(run("copy", a.T), a.T)


def test_many_dimensions():
    """Check sixteen dimensions that do not merge."""
    a = np.arange(2**16, dtype="i4").reshape((2,) * 16)
    swapped = a.transpose([*range(1, 16, 2), *range(0, 16, 2)])
    same(run("copy", swapped), swapped)


def test_complex_to_real_drops_the_imaginary_part():
    """Check the documented result; the tensor level warns."""
    a = np.array([1 + 2j, 0 + 5j], COMPLEX[0])
    assert run("copy", a, to="float32").tolist() == [1.0, 0.0]
    assert run("copy", a, to="bool").tolist() == [True, True]
