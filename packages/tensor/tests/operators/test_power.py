"""Powers at zero: values and derivatives to order two, for tensors and numbers, real and complex."""

from __future__ import annotations

import math

import pytest

import facula_tensor as ft
from facula_autograd import grad

INF, NAN = math.inf, math.nan

# base, exponent: value, slope, second derivative, from PyTorch 2.13
BASES = {
    (0.0, 0): (1, 0, 0),
    (0.0, 1): (0, 1, 0),
    (0.0, 2): (0, 0, 2),
    (0.0, 3): (0, 0, 0),
    (0.0, 0.5): (0, INF, -INF),
    (0.0, 1.5): (0, 0, INF),
    (0.0, -1): (INF, -INF, INF),
    (-2.0, 0): (1, 0, 0),
    (-2.0, 3): (-8, 12, -12),
    (2.0, 0.5): (2**0.5, 0.5 * 2**-0.5, -0.25 * 2**-1.5),
}
# The same at negative zero, infinities and NaN.
ROOTS = {
    (-0.0, 0.5): (-0.0, -INF, -INF),
    (-INF, 0.5): (NAN, NAN, 0),
    (INF, 0.5): (INF, 0, 0),
    (-0.0, -0.5): (-INF, -INF, INF),
    (-0.0, 1.5): (0, 0, -INF),
    (NAN, 0.5): (NAN, NAN, NAN),
    (NAN, 0): (1, 0, 0),
    (NAN, 1): (NAN, 1, 0),
    (-INF, 3): (-INF, INF, -INF),
}
# From PyTorch, except that it has NaN as the second derivative of 0 ** y, which is 0 for y > 0: 0 ** y is constant.
EXPONENTS = {
    (0.0, 0): (1, 0, 0),
    (0.0, 1): (0, 0, 0),
    (0.0, 2): (0, 0, 0),
    (0.0, 0.5): (0, 0, 0),
    (0.0, -1): (INF, -INF, INF),
    (0.0, -0.5): (INF, -INF, INF),
    (1.0, 2): (1, 0, 0),
    (2.0, 0): (1, math.log(2), math.log(2) ** 2),
    (2.0, 0.5): (2**0.5, 2**0.5 * math.log(2), 2**0.5 * math.log(2) ** 2),
    (-2.0, 2): (4, NAN, NAN),
}


def derivatives(function, at, dtype):
    """Return f, f' and f'' at a point."""
    x = ft.tensor([at], dtype=dtype, requires_grad=True)
    y = function(x)
    (slope,) = grad(y, x, ft.ones_like(y), create_graph=True)
    second = grad(slope, x, ft.ones_like(slope), allow_unused=True)[0] if slope.requires_grad else None
    return [0.0 if tensor is None else tensor.item() for tensor in (y, slope, second)]


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
@pytest.mark.parametrize(("base", "exponent"), BASES)
def test_derivatives_by_the_base(base, exponent, dtype):
    expected = pytest.approx(BASES[base, exponent], rel=1e-6)
    if (base, exponent) == (0, 0):
        assert derivatives(lambda x: x**0, 0.0, dtype) == expected
        return  # the second derivative of x ** tensor(0) is NaN, as in PyTorch
    other = ft.tensor([float(exponent)], dtype=dtype)
    assert derivatives(lambda x: x**exponent, base, dtype) == expected
    assert derivatives(lambda x: x**other, base, dtype) == expected
    assert derivatives(lambda x: x ** other.clone().requires_grad_(), base, dtype) == expected


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
@pytest.mark.parametrize(("base", "exponent"), ROOTS, ids=str)
def test_roots_of_zero_and_infinity(base, exponent, dtype):
    """With a number as exponent; a tensor exponent gives the power of C, as in PyTorch."""
    found = derivatives(lambda x: x**exponent, base, dtype)
    assert found == pytest.approx(ROOTS[base, exponent], nan_ok=True)
    assert math.copysign(1, found[0]) == math.copysign(1, ROOTS[base, exponent][0]) or math.isnan(found[0])
    if exponent == 0.5:
        half = ft.tensor(0.5, dtype=dtype)
        assert (ft.tensor([base], dtype=dtype) ** half).item() == pytest.approx(abs(base) ** 0.5, nan_ok=True)


@pytest.mark.parametrize("dtype", [ft.float32, ft.float64])
@pytest.mark.parametrize(("base", "exponent"), EXPONENTS)
def test_derivatives_by_the_exponent(base, exponent, dtype):
    expected = pytest.approx(EXPONENTS[base, exponent], rel=1e-6, nan_ok=True)
    assert derivatives(lambda y: base**y, exponent, dtype) == expected
    assert derivatives(lambda y: int(base) ** y, exponent, dtype) == expected
    other = ft.tensor([base], dtype=dtype)
    assert derivatives(lambda y: other**y, exponent, dtype) == expected


def test_mixed_second_derivatives():
    """d/dx of d(x ** y)/dy, and with x and y exchanged."""
    x, y = (ft.tensor([number], dtype=ft.float64, requires_grad=True) for number in (-2.0, 0.0))
    of_x, of_y = grad(x**y, (x, y), ft.ones(1, dtype=ft.float64), create_graph=True)
    assert of_x.item() == 0 and math.isnan(of_y.item())
    assert grad(of_x, x, ft.ones_like(of_x), retain_graph=True)[0].item() == 0
    x, y = (ft.tensor([number], dtype=ft.float64, requires_grad=True) for number in (0.5, 2.0))
    of_x, of_y = grad(x**y, (x, y), ft.ones(1, dtype=ft.float64), create_graph=True)
    mixed = 0.5 + 2 * 0.5 * math.log(0.5)
    assert grad(of_x, y, ft.ones_like(of_x), retain_graph=True)[0].item() == pytest.approx(mixed)
    assert grad(of_y, x, ft.ones_like(of_y))[0].item() == pytest.approx(mixed)


@pytest.mark.parametrize("dtype", [ft.complex64, ft.complex128])
def test_complex_bases_of_zero(dtype):
    assert derivatives(lambda z: z**2, 0, dtype) == [0, 0, 2]
    assert derivatives(lambda z: z**0, 0, dtype) == [1, 0, 0]
    assert derivatives(lambda z: z**1, 0, dtype) == [0, 1, 0]
    assert derivatives(lambda z: z**2.5, 0, dtype) == [0, 0, 0]
    value, slope, _ = derivatives(lambda z: z**0.5, 0, dtype)
    assert value == 0 and math.isnan(slope.real)  # as in PyTorch
    assert derivatives(lambda w: 0**w, 2, dtype) == [0, 0, 0]
    assert derivatives(lambda w: 0**w, 0.5 + 1j, dtype) == [0, 0, 0]
