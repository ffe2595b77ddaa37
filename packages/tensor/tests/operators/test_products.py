"""outer, inner, vdot, kron and cross against NumPy, and products added to a tensor."""

import numpy as np
import pytest
from case import ALL, INTEGERS
from elements import DTYPES

import facula_tensor as ft
from facula_errors.testing import raises

NAN = float("nan")


def numbers(*shape, dtype="float64"):
    rng = np.random.default_rng(len(shape))
    values = rng.integers(0, 3, shape)
    return values.astype(dtype) if dtype in (*INTEGERS, "bool") else (values + rng.random(shape)).astype(dtype)


@pytest.mark.parametrize("name", ["outer", "ger", "inner", "kron", "vdot", "cross"])
def test_methods(name):
    a, b = (ft.tensor(numbers(3)) for _ in range(2))
    assert ft.equal(getattr(a, name)(b), getattr(ft, name)(a, b))


def test_products_promote():
    assert ft.outer(ft.ones(2, dtype=ft.int32), ft.ones(3)).dtype is ft.float32
    assert ft.kron(ft.ones(2, dtype=ft.int32), ft.ones(3)).dtype is ft.float32
    assert ft.outer(ft.tensor([True, False]), ft.tensor([True])).tolist() == [[True], [False]]


def test_cross_by_dimension():
    a, b = numbers(3, 3, 4), numbers(3, 3, 4)[::-1].copy()
    expected = np.cross(a, b, axis=0)
    np.testing.assert_allclose(ft.cross(ft.tensor(a), ft.tensor(b)).numpy(), expected)  # the first of length 3
    np.testing.assert_allclose(ft.cross(ft.tensor(a), ft.tensor(b), dim=-2).numpy(), np.cross(a, b, axis=1))
    for shapes, dim in ((((2, 4), (2, 4)), None), (((2, 3), (3,)), None), (((2, 3), (2, 3)), 0), (((2, 3), (2, 3)), 2)):
        with raises(ValueError, "cross"):
            ft.cross(*[ft.ones(shape) for shape in shapes], dim=dim)


def test_errors_of_products():
    with raises(ValueError, "outer", "expected input to have 1 dimension"):
        ft.outer(ft.ones(2, 2), ft.ones(2))
    with raises(ValueError, "inner", "(2, 3) and (2,)"):
        ft.inner(ft.ones(2, 3), ft.ones(2))
    with raises(ValueError, "vdot"):
        ft.vdot(ft.ones(1, 1), ft.ones(1))


ADDED = [
    (ft.addmm, lambda a, b: a @ b, (2, 3), (3, 4), (2, 4), (4,)),
    (ft.addmv, lambda a, b: a @ b, (2, 3), (3,), (2,), ()),
    (ft.addr, np.outer, (2,), (3,), (2, 3), (3,)),
    (ft.baddbmm, lambda a, b: a @ b, (5, 2, 3), (5, 3, 4), (5, 2, 4), (2, 1)),
    (ft.addbmm, lambda a, b: (a @ b).sum(0), (5, 2, 3), (5, 3, 4), (2, 4), (1, 4)),
]


@pytest.mark.parametrize("dtype", ALL[1:])
@pytest.mark.parametrize(("function", "product", "first", "second", "whole", "part"), ADDED)
def test_added_products(function, product, first, second, whole, part, dtype):
    kind = "float32" if dtype in ("float16", "bfloat16") else dtype
    a, b = numbers(*first, dtype=kind), numbers(*second, dtype=kind)
    tensors = [ft.tensor(operand).to(DTYPES[dtype]) for operand in (a, b)]
    for shape in (whole, part):
        added = numbers(*shape, dtype=kind)
        x = ft.tensor(added).to(DTYPES[dtype])
        for beta, alpha in ((1, 1), (2, 3), (0, 1), (0.5, 1.5)):
            got = function(x, *tensors, beta=beta, alpha=alpha)
            if dtype in INTEGERS:
                beta, alpha = int(beta), int(alpha)
            expected = (beta * added + alpha * product(a, b)).astype(kind)
            assert got.dtype is DTYPES[dtype] and got.shape == whole
            np.testing.assert_allclose(
                got.to(DTYPES[kind]).numpy(), expected, rtol=0.03 if kind != dtype else 1e-5, atol=1e-6
            )
    out = ft.empty(0, dtype=DTYPES[dtype])
    assert ft.equal(function(x, *tensors, out=out), function(x, *tensors))


@pytest.mark.parametrize(("function", "product", "first", "second", "whole", "part"), ADDED)
def test_added_in_place(function, product, first, second, whole, part):
    x, a, b = (ft.tensor(numbers(*shape)) for shape in (whole, first, second))
    wanted = function(x, a, b, beta=2, alpha=0.5)
    changing = getattr(x, function.__name__ + "_")
    assert changing(a, b, beta=2, alpha=0.5) is x and ft.equal(x, wanted)
    with pytest.raises(TypeError, match="out"):
        changing(a, b, out=x)
    if part != whole:
        with raises(ValueError, f"{function.__name__}_", "shape"):
            getattr(ft.tensor(numbers(*part)), function.__name__ + "_")(a, b)


def test_beta_0_ignores_the_input():
    got = ft.addmm(ft.tensor(NAN, requires_grad=True), ft.ones(1, 2), ft.ones(2, 1), beta=0)
    assert got.tolist() == [[2.0]]
    x = ft.ones(1, requires_grad=True)
    ft.addmm(x, ft.ones(1, 2), ft.ones(2, 1), beta=0).sum().backward()
    assert x.grad.tolist() == [0.0]


def test_errors_of_added_products():
    x, a, b = ft.ones(2, 2), ft.ones(2, 3), ft.ones(3, 2)
    with raises(RuntimeError, "addmm", "input float64, mat1 float32"):
        ft.addmm(x.double(), a, b)
    with raises(ValueError, "addmm", "expected mat1 to have 2"):
        ft.addmm(x, a[0], b)
    with raises(ValueError, "addmm", "expected an input that broadcasts to (2, 2)"):
        ft.addmm(ft.ones(3, 2, 2), a, b)
    with raises(ValueError, "baddbmm", "expected stacks"):
        ft.baddbmm(x, ft.ones(2, 2, 3), ft.ones(1, 3, 2))
    with raises(TypeError, "addmm", "expected beta"):
        ft.addmm(x, a, b, beta="1")
    with raises(TypeError, "addmm", "expected alpha"):
        ft.addmm(x, a, b, alpha=1j)
    with raises(RuntimeError, "addmm", "not defined for bool"):
        ft.addmm(x > 0, a > 0, b > 0)
    assert ft.addr(x > 5, x[0] > 0, x[0] > 5, beta=3, alpha=2).tolist() == [[False] * 2] * 2
    assert ft.addr(ft.ones(2, 2), ft.ones(2), ft.ones(2), beta=True, alpha=True).tolist() == [[2, 2]] * 2
