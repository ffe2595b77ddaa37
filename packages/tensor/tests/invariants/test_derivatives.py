"""Derivatives of functions: comparison with central differences and with each other; errors."""

from __future__ import annotations

import numpy as np
import pytest

import facula_autograd as ag
import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor.derivatives import hessian, hvp, jacobian, jvp, vhp, vjp

X = np.array([[1.0, 2.0, 3.0], [0.5, 0.2, 0.1]])
Y = np.array([2.0, 3.0, 4.0])
V = np.array([0.3, -1.0, 2.0])


def tensors(*arrays):
    return tuple(ft.tensor(a) for a in arrays)


def many(a, b):
    return (a * b).exp() * 1e-3, (b * b).sum()


def one(a, b):
    return (a * a * b).sum() * (b * b * b).sum()


def differences(function, arrays, step=1e-6):
    """Return Jacobians by central differences: nested lists, outputs by inputs."""
    columns = []
    for k, array in enumerate(arrays):
        slopes = []
        for place in np.ndindex(array.shape):
            ends = []
            for sign in (1, -1):
                moved = [a.copy() for a in arrays]
                moved[k][place] += sign * step
                ends.append([out.numpy(force=True) for out in function(*tensors(*moved))])
            slopes.append([(high - low) / (2 * step) for high, low in zip(*ends, strict=True)])
        columns.append([np.stack(s, -1).reshape(*s[0].shape, *array.shape) for s in zip(*slopes, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


def test_jacobian_and_its_products():
    x, y = tensors(X, Y)
    matrices = jacobian(many, (x, y))
    expected = differences(many, (X, Y))
    for row, right in zip(matrices, expected, strict=True):
        for got, wanted in zip(row, right, strict=True):
            assert tuple(got.shape) == wanted.shape
            assert not got.requires_grad
            np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-6, atol=1e-8)
    u = tensors(X[::-1].copy(), np.array(0.7))
    outputs, back = vjp(many, (x, y), u)
    out, along = jvp(many, (x, y), (x, ft.tensor(V)))
    for k, value in enumerate(many(x, y)):
        np.testing.assert_array_equal(outputs[k].numpy(), value.numpy())
        np.testing.assert_array_equal(out[k].numpy(), value.numpy())
        pushed = sum(
            np.tensordot(expected[k][i], v, v.ndim) for i, v in enumerate((X, V))
        )  # fmt: skip
        np.testing.assert_allclose(along[k].numpy(), pushed, rtol=1e-5)
    for i in range(2):
        pulled = sum(np.tensordot(u[k].numpy(), expected[k][i], u[k].ndim) for k in range(2))
        np.testing.assert_allclose(back[i].numpy(), pulled, rtol=1e-5, atol=1e-7)


def test_hessian_and_its_products():
    x, y = tensors(X, Y)
    matrices = hessian(one, (x, y))
    expected = differences(lambda *points: vjp(one, points)[1], (X, Y))
    for row, right in zip(matrices, expected, strict=True):
        for got, wanted in zip(row, right, strict=True):
            np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-6, atol=1e-6)
    for product in (vhp, hvp):
        assert product(lambda a: one(a, y).reshape(1, 1), x, x)[0].shape == (1, 1)
        value, found = product(one, (x, y), tensors(X, V))
        assert value.item() == one(x, y).item()
        for i in range(2):
            wanted = sum(np.tensordot(expected[i][k], v, v.ndim) for k, v in enumerate((X, V)))
            np.testing.assert_allclose(found[i].numpy(), wanted, rtol=1e-6, atol=1e-6)


def test_results_are_tuples_if_inputs_or_outputs_are():
    (y,) = tensors(Y)
    alone = jacobian(lambda a: a * a, y)
    np.testing.assert_array_equal(alone.numpy(), np.diag(2 * Y))
    assert (jacobian(lambda a: a * a, (y,))[0] == alone).all()
    assert (jacobian(lambda a: (a * a,), y)[0] == alone).all()
    assert (jacobian(lambda a: (a * a,), (y,))[0][0] == alone).all()
    cubes = hessian(lambda a: (a * a * a).sum(), y)
    np.testing.assert_array_equal(cubes.numpy(), np.diag(6 * Y))
    assert (hessian(lambda a: (a * a * a).sum(), (y,))[0][0] == cubes).all()


def test_results_can_be_differentiated():
    w = ft.tensor(Y, requires_grad=True)
    cubes = hessian(lambda a: (a * a * a * a).sum(), w, create_graph=True)
    (third,) = ag.grad(cubes.sum(), w)
    np.testing.assert_allclose(third.numpy(), 24 * Y)
    (through,) = ag.grad(jacobian(lambda a: a * a, w * 3, create_graph=True).sum(), w)
    np.testing.assert_array_equal(through.numpy(), [6.0] * 3)
    for product in (vjp, jvp):
        found = product(lambda a: a * a, w, ft.tensor(V), create_graph=True)[1]
        np.testing.assert_allclose(ag.grad(found.sum(), w)[0].numpy(), 2 * V)
    assert w.grad is None


def test_outputs_independent_of_an_input():
    x, y = tensors(X, Y)
    assert jacobian(lambda a, b: b * 2, (x, y))[0].tolist() == np.zeros((3, 2, 3)).tolist()
    assert jacobian(lambda a: a.detach(), y).tolist() == np.zeros((3, 3)).tolist()
    assert hessian(lambda a: (a * 2).sum(), y).tolist() == np.zeros((3, 3)).tolist()
    assert jvp(lambda a: a.detach(), y, y)[1].tolist() == [0.0] * 3
    assert tuple(jacobian(lambda a: a * a, y[:0]).shape) == (0, 0)
    for vectorize in (False, True):
        nothing = jacobian(lambda a: (a * a.conj()).real, (y[:0] * 1j), vectorize=vectorize)
        assert (tuple(nothing.shape), nothing.dtype) == ((0, 0), ft.complex128)
    for call in (
        lambda: jacobian(lambda a, b: b * 2, (x, y), strict=True),
        lambda: jacobian(lambda a: a.detach(), y, strict=True),
    ):
        with raises(ag.GradientError, "jacobian", "strict=True"):
            call()
    with raises(ag.GradientError, "vjp", "strict=True"):
        vjp(lambda a, b: b.sum(), (x, y), strict=True)


@pytest.mark.parametrize("vectorize", [False, True])
def test_forward_mode_equals_reverse_mode(vectorize):
    points = tensors(X, Y)
    rows = jacobian(many, points, strategy="forward-mode", vectorize=vectorize), jacobian(many, points)
    rows += hessian(one, points, outer_jacobian_strategy="forward-mode"), hessian(one, points)
    for forwards, backwards in zip(rows[::2], rows[1::2], strict=True):
        for got, wanted in zip(sum(forwards, ()), sum(backwards, ()), strict=True):
            assert not got.requires_grad
            np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-12, atol=1e-12)
    with raises(ag.GradientError, "jvp", "output 1 does not"):
        jacobian(many, points, strategy="forward-mode", strict=True)
    (leaf,) = tensors(Y)
    leaf.requires_grad_()
    jacobian(lambda a: a**3, leaf, create_graph=True, strategy="forward-mode").sum().backward()
    np.testing.assert_allclose(leaf.grad.numpy(), 6 * Y)


@pytest.mark.parametrize("create_graph", [False, True])
def test_vectorized_rows_take_one_pass(create_graph):
    """The other rows take one pass each, without batches."""
    passes = []

    class Cube(ag.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            passes.append(g)
            (x,) = ctx.saved_tensors
            return g * 3 * x * x

    (y,) = tensors(Y)
    y.requires_grad_()
    for vectorize, wanted in ((False, 3), (True, 1)):
        passes.clear()
        found = jacobian(Cube.apply, y, create_graph, vectorize=vectorize)
        assert (len(passes), found.requires_grad) == (wanted, create_graph)
        np.testing.assert_array_equal(found.numpy(force=True), np.diag(3 * Y * Y))
        if create_graph:
            np.testing.assert_array_equal(ag.grad(found.sum(), y)[0].numpy(), 6 * Y)
        second = hessian(lambda a: (a**4).sum(), y, create_graph, vectorize=vectorize)
        np.testing.assert_allclose(second.numpy(force=True), np.diag(12 * Y * Y), rtol=1e-14)
        rows = hessian(one, tensors(X, Y), vectorize=vectorize)
        for got, expected in zip(sum(rows, ()), sum(hessian(one, tensors(X, Y)), ()), strict=True):
            np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-12)
    with raises(ag.GradientError, "jacobian", "output 1 to depend on input 0"):
        jacobian(many, tensors(X, Y), strict=True, vectorize=True)


def test_results_have_the_structure_of_the_outputs():
    (y,) = tensors(Y)
    for strategy in ("reverse-mode", "forward-mode"):
        found = jacobian(lambda a: {"b": [a * a]}, y, strategy=strategy)
        np.testing.assert_array_equal(found["b"][0].numpy(), np.diag(2 * Y))
    output, slope = jvp(lambda a: {"b": a * a}, y, y)
    assert (output["b"].tolist(), slope["b"].tolist()) == ((Y * Y).tolist(), (2 * Y * Y).tolist())
    assert vjp(lambda a: [a * a], y, [y])[1].tolist() == (2 * Y * Y).tolist()


def test_gradients_of_a_batch():
    (y,) = tensors(Y)
    y.requires_grad_()
    outputs = y * y, y.sum()
    units = ft.eye(3, dtype=ft.float64), ft.ones(3, dtype=ft.float64)
    (got,) = ag.grad(outputs, y, units, is_grads_batched=True)
    np.testing.assert_array_equal(got.numpy(), np.diag(2 * Y) + 1)
    other = ft.ones(2, requires_grad=True)
    got = ag.grad(y * 2, (y, other), units[0], is_grads_batched=True, materialize_grads=True)
    assert [tuple(result.shape) for result in got] == [(3, 3), (3, 2)]
    with raises(ag.GradientError, "grad", "one length"):
        ag.grad((y * 2, y.sum()), y, (units[0], units[1][:2]), is_grads_batched=True)


def test_derivatives_under_no_grad():
    (y,) = tensors(Y)
    with ft.no_grad():
        assert jacobian(lambda a: a * a, y).tolist() == np.diag(2 * Y).tolist()
        for product in (vjp, jvp, hvp, vhp):
            found = product(lambda a: (a * a * a).sum() if "h" in product.__name__ else a * a, y, y, create_graph=True)
            assert found[1].requires_grad


def test_errors():
    (y,) = tensors(Y)
    with raises(ValueError, "jacobian", "'reverse-mode' or 'forward-mode'", value="'backward'"):
        jacobian(lambda a: a, y, strategy="backward")
    with raises(TypeError, "jacobian", "inputs", "number 0 is of type list"):
        jacobian(lambda a: a, [y])
    with raises(TypeError, "jacobian", "expected floating or complex inputs", "number 0 is int64 (3,)"):
        jacobian(lambda a: a, ft.arange(3))
    for function in (jacobian, hessian, vjp, jvp, hvp, vhp):
        with raises(TypeError, function.__name__, "expected a function", value="int 3"):
            function(3, y)
    with raises(RuntimeError, "jacobian", "expected real outputs", "output 0 is complex128"):
        jacobian(lambda a: a * 1j, y)
    with raises(TypeError, "jacobian", "expected what the function returns"):
        jacobian(lambda a: 3.0, y)
    with raises(RuntimeError, "hessian", "one element", "(3,)"):
        hessian(lambda a: a, y)
    with raises(RuntimeError, "vjp", "expected v"):
        vjp(lambda a: a, y)
    with raises(ValueError, "jvp", "expected v of shapes [(3,)]", value=[(2,)]):
        jvp(lambda a: a, y, y[:2])


COMPARISONS = ("eq_", "ne_", "lt_", "le_", "gt_", "ge_", "less_", "greater_equal_")


@pytest.mark.parametrize("name", COMPARISONS)
def test_in_place_comparisons_have_zero_gradients(name):
    """As in PyTorch, both the changed tensor and the one that it is compared with get zeros, not None."""
    x, row = ft.ones(2, 3, requires_grad=True), ft.ones(3, dtype=ft.float64, requires_grad=True)
    y = x * 2
    getattr(y, name)(row * 1)
    (y * y).sum().backward()
    for operand in (x, row):
        assert operand.grad.shape == operand.shape and operand.grad.dtype is operand.dtype and not operand.grad.any()
    plain = ft.zeros(2, 3)
    getattr(plain, name)(row)
    assert plain.requires_grad
    row.grad = None
    plain.sum().backward()
    assert row.grad.tolist() == [0.0] * 3
    same = x * 2
    getattr(same, name)(same)
    assert not ag.grad(same.sum(), x)[0].any()
    whole = ft.zeros(3, dtype=ft.int64)
    getattr(whole, name)(row)
    with ft.no_grad():
        plain = getattr(ft.zeros(3), name)(row)
    assert not whole.requires_grad and not plain.requires_grad


@pytest.mark.parametrize("dim", [0, 1])
def test_an_empty_tensor_ignored_by_cat_has_a_gradient(dim):
    empty, full = ft.zeros(0, dtype=ft.float64, requires_grad=True), ft.ones(2, 3, requires_grad=True)
    for parts in ([empty, full], [full, empty], [empty, full, empty]):
        for _ in range(2):
            empty.grad = None
            ft.cat([parts[0] * 2, *parts[1:]], dim).sum().backward()
            assert empty.grad.shape == (0,) and empty.grad.dtype is ft.float64
    assert full.grad.tolist() == [[8.0] * 3] * 2
    for others in ([empty], [ft.ones(3)], [ft.zeros(0, 3)]):
        empty.grad = None
        ft.cat([empty, *others]).sum().backward()
        assert empty.grad.shape == (0,)
    with ft.no_grad():
        assert not ft.cat([empty, full], dim).requires_grad
