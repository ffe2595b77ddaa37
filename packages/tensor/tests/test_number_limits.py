"""`finfo` and `iinfo`, compared with NumPy and, for bfloat16, with its bit pattern."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_floating(name):
    ours, numpy = ft.finfo(getattr(ft, name)), np.finfo(name)
    for what in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution"):
        assert getattr(ours, what) == pytest.approx(float(getattr(numpy, what)), rel=1e-3), what
    assert ours.dtype == name


def test_bfloat16():
    limits = ft.finfo(ft.bfloat16)
    one, largest = ft.tensor(1.0, dtype=ft.bfloat16), ft.tensor(limits.max, dtype=ft.bfloat16)
    assert (one + limits.eps).item() == 1 + limits.eps and (one + limits.eps / 2).item() == 1
    assert largest.item() == limits.max and (largest + limits.max / 128).item() == float("inf")


def test_default_and_complex():
    assert ft.finfo() == ft.finfo(ft.float32) == ft.finfo(ft.complex64)
    assert repr(ft.finfo(ft.bfloat16)).startswith("finfo(resolution=0.01, min=-3.38953e+38, max=3.38953e+38, ")


@pytest.mark.parametrize("name", ["uint8", "int8", "int16", "int32", "int64"])
def test_integers(name):
    ours, numpy = ft.iinfo(getattr(ft, name)), np.iinfo(name)
    assert (ours.bits, ours.min, ours.max, ours.dtype) == (numpy.bits, numpy.min, numpy.max, name)


@pytest.mark.parametrize(("limits", "dtype", "use"), [(ft.finfo, ft.int8, "iinfo"), (ft.iinfo, ft.float16, "finfo")])
def test_other_dtypes_are_rejected(limits, dtype, use):
    with raises(TypeError, limits.__name__, dtype.name, f"use {use}"):
        limits(dtype)
