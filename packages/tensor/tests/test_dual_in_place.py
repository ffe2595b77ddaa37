"""In-place changes of dual tensors whose primals require gradients, compared with out-of-place programs."""

import pytest

import facula_tensor as ft
from facula_autograd import grad, no_grad
from facula_errors.testing import raises
from facula_tensor import forward_ad, func

X = ft.tensor([1.0, 2.0, 3.0], dtype=ft.float64)
T = ft.tensor([1.0, -1.0, 0.5], dtype=ft.float64)


def through_a_view(d, x):
    y = d * 2
    y[1:].mul_(d[1:])
    return y


def seen_by_a_view(d, x):
    y = d * 2
    view = y[1:]
    y.mul_(d)
    return view * 1


def of_what_was_recorded(d, x):
    y = x * 3
    view = y[:2]
    view.mul_(d[:2])
    return y.sin()


def several(d, x):
    y = d * 2
    y.addcmul_(d, d).sin_()
    y[0] = 0
    return y * d


# An in-place program, and a function of x with the same derivatives.
PROGRAMS = {
    "the target": (lambda d, x: (d * 2).mul_(d), lambda x: 2 * x * x),
    "a view": (through_a_view, lambda x: ft.cat([2 * x[:1], 2 * x[1:] * x[1:]])),
    "a view taken before": (seen_by_a_view, lambda x: 2 * x[1:] * x[1:]),
    "a plain source": (lambda d, x: (d * 2).mul_(x), None),
    "a plain target": (of_what_was_recorded, None),
    "copy_": (lambda d, x: (d * 2).copy_(d * d), lambda x: x * x),
    "several": (several, lambda x: ft.cat([0 * x[:1], (2 * x + x * x).sin()[1:]]) * x),
    "out of place": (lambda d, x: ft.addcmul(d * 2, d, d), lambda x: 2 * x + x * x),
    "a function of three": (lambda d, x: ft.lerp(d, d * d, d.exp()), lambda x: x + x.exp() * (x * x - x)),
}


@pytest.mark.parametrize("name", [name for name, (_, twin) in PROGRAMS.items() if twin])
def test_gradients_of_changed_tensors(name):
    """Reverse over forward, by the tangent; and forward over reverse, whose gradient is dual."""
    program, twin = PROGRAMS[name]
    x = X.clone().requires_grad_()
    curvature = func.hessian(lambda x: twin(x).sum())(X) @ T
    with forward_ad.dual_level():
        y = program(forward_ad.make_dual(x, T), x)
        primal, tangent = forward_ad.unpack_dual(y)
        assert ft.allclose(primal, twin(X)) and ft.allclose(tangent, func.jvp(twin, (X,), (T,))[1])
        slope = func.grad(lambda x: twin(x).sum())(X)
        assert ft.allclose(grad(primal.sum(), x, retain_graph=True)[0], slope)
        assert ft.allclose(grad(tangent.sum(), x, retain_graph=True)[0], curvature)
        pair = forward_ad.unpack_dual(grad(y.sum(), x)[0])
    assert ft.allclose(pair.primal, slope) and ft.allclose(pair.tangent, curvature)


def test_a_plain_tensor_with_a_dual_one():
    """The tangent comes from the dual operand only: d(2 d x) = 2 x t, d sin(3 x d) = 3 x t cos(3 x d)."""
    wanted = {
        "a plain source": (2 * X * T, 4 * X, 2 * T),
        "a plain target": (
            ft.tensor([3.0, 6.0, 0.0]) * T * (3 * X * X).cos(),
            ft.cat([6 * X[:2] * (3 * X[:2] ** 2).cos(), 3 * (3 * X[2:]).cos()]),
            None,
        ),
    }
    for name, (tangent, slope, turned) in wanted.items():
        x = X.clone().requires_grad_()
        with forward_ad.dual_level():
            y = PROGRAMS[name][0](forward_ad.make_dual(x, T), x)
            found = forward_ad.unpack_dual(y)
            assert ft.allclose(found.tangent, tangent)
            assert ft.allclose(grad(found.primal.sum(), x, retain_graph=True)[0], slope)
            if turned is not None:
                assert ft.allclose(grad(found.tangent.sum(), x, retain_graph=True)[0], turned)
                assert ft.allclose(forward_ad.unpack_dual(grad(y.sum(), x)[0]).tangent, turned)


def test_no_grad_records_no_gradient():
    x = X.clone().requires_grad_()
    with forward_ad.dual_level():
        y = forward_ad.make_dual(x, T) * 2
        with no_grad():
            y.mul_(3)
        assert y.tolist() == [6.0, 12.0, 18.0] and forward_ad.unpack_dual(y).tangent.tolist() == [6.0, -6.0, 3.0]
        assert grad(y.sum(), x)[0].tolist() == [2.0, 2.0, 2.0]


def test_leaves_are_rejected():
    x = X.clone().requires_grad_()
    with forward_ad.dual_level():
        d = forward_ad.make_dual(x, T)
        for target in (d, d[1:], x):
            with raises(RuntimeError, "mul_", "this tensor is a", "leaf"):
                target.mul_(d[-target.shape[0] :])
    assert x.tolist() == X.tolist() and x.is_leaf
