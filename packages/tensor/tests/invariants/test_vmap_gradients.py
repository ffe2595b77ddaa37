"""`vmap` of Functions of the user, derivatives built on `vmap`, and in-place changes by batched tangents."""

from __future__ import annotations

import pytest

import facula_tensor as ft
from facula_autograd import GradientError
from facula_autograd import grad as tape_grad
from facula_errors.testing import raises
from facula_tensor import Function
from facula_tensor.func import grad, hessian, jacfwd, jacrev, jvp, vmap

X = ft.arange(6).reshape(3, 2).double()


def equal(got, wanted):
    return got.dtype is wanted.dtype and got.tolist() == wanted.tolist()


# ------------------------------------------------------------------------------------------------- Functions
class Cube(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, y):
        return x**3 * y, ft.zeros(1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, g, _):
        x, y = ctx.saved_tensors
        return 3 * x * x * y * g, x**3 * g


class CubeByRule(Cube):
    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, x, y):
        assert (info.batch_size, info.randomness, in_dims) == (3, "error", (0, None))
        return CubeByRule.apply(x, y), (0, None)


class CubeInside(Cube):
    """`Cube`, by a rule that does not depend on the length or position of the batch."""

    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, x, y):
        return CubeInside.apply(x, y), (0, None)


@pytest.mark.parametrize("function", [Cube, CubeByRule])
def test_user_functions(function):
    """Values and gradients, in both orders and on the ordinary tape; unbatched operands get the sum."""
    y = ft.tensor([2.0, 3.0], dtype=ft.float64)
    call = vmap(lambda x, y: function.apply(x, y)[0], (0, None))
    assert equal(call(X, y), X**3 * y)
    rows = vmap(grad(lambda x, y: function.apply(x, y)[0].sum(), (0, 1)), (0, None))(X, y)
    assert equal(rows[0], 3 * X * X * y)
    assert equal(rows[1], X**3)
    whole = grad(lambda x, y: call(x, y).sum(), (0, 1))(X, y)
    assert equal(whole[0], 3 * X * X * y)
    assert equal(whole[1], (X**3).sum(0))
    leaves = X.clone().requires_grad_(), y.clone().requires_grad_()
    call(*leaves).sum().backward()
    assert [equal(leaf.grad, gradient) for leaf, gradient in zip(leaves, whole, strict=True)] == [True, True]


@pytest.mark.parametrize("function", [Cube, CubeInside])
def test_user_functions_under_two_levels(function):
    """Values and gradients of a batch of batches; operands without either level get the sum over both."""
    rows, y = ft.stack([X, X + 1, X - 2]), ft.tensor([2.0, 3.0], dtype=ft.float64)
    call = vmap(vmap(lambda x, y: function.apply(x, y)[0], (0, None)), (0, None))
    assert equal(call(rows, y), rows**3 * y)
    assert equal(vmap(vmap(grad(lambda x: function.apply(x, y)[0].sum())))(rows), 3 * rows * rows * y)
    assert equal(grad(lambda y: call(rows, y).sum())(y), (rows**3).sum((0, 1)))


def test_user_functions_without_a_rule():
    class Plain(Function):
        @staticmethod
        def forward(ctx, x):
            return x

    class Both(CubeByRule):
        generate_vmap_rule = True

    with raises(NotImplementedError, "Plain", "has no rule for vmap", "define vmap(info, in_dims"):
        vmap(Plain.apply)(X)
    with raises(NotImplementedError, "Both", "expected vmap or generate_vmap_rule = True", value="both"):
        vmap(Both.apply)(X, X)


# -------------------------------------------------------------------------------------------- built on vmap
def test_batched_gradients():
    """One pass for all rows: a hook sees the batch once."""
    x = X.clone().requires_grad_()
    y, calls = (x**3).sum(1), []
    y.register_hook(lambda g: calls.append(tuple(g.shape)))
    units = ft.eye(3, dtype=ft.float64)
    (found,) = tape_grad(y, x, units, is_grads_batched=True, retain_graph=True)
    assert equal(found, ft.stack([tape_grad(y, x, unit, retain_graph=True)[0] for unit in units]))
    assert calls == [(3,)] * 4
    with raises(GradientError, "grad", "of one length"):
        tape_grad((y, y), x, (units, units[:2]), is_grads_batched=True)


def test_jacobians_call_the_function_once():
    calls = []

    def function(x):
        calls.append(x)
        return (x**3).sum(1)

    wanted = ft.stack([grad(lambda x, i=i: (x**3).sum(1)[i])(X) for i in range(3)])
    for jacobian in (jacrev(function), jacrev(function, chunk_size=2), jacfwd(function)):
        calls.clear()
        assert equal(jacobian(X), wanted)
        assert len(calls) == 1
    assert equal(hessian(lambda x: (x**3).sum())(X[2]), ft.diag(6 * X[2]))


# ------------------------------------------------------------------------------- batched tangents, in place
def filled(x, z):
    y = ft.zeros_like(x)
    y[1:] = x[1:] * z[:-1]
    return y * x


def summed(x, z):
    total = ft.zeros((), dtype=x.dtype)
    for i in range(2):
        total += x[i] ** 2 * z[0]
    return total


def viewed_before(x, z):
    """Make a view before its base is changed by a tangent that is the same for all."""
    y = ft.zeros(3, dtype=x.dtype)
    part = y[:2]
    y[2].copy_(z[0])
    part.mul_(2).add_(x)
    return y * y


@pytest.mark.parametrize("function", [filled, summed, viewed_before, lambda x, z: x.clone().mul_(x).sum()])
def test_changes_of_unbatched_tensors_by_batched_tangents(function):
    """Compared with a loop over directions, also if only one operand's tangent is batched, and in Hessians."""
    x, z = X[1], X[2]
    looped = [ft.stack([jvp(function, (x, z), pair)[1] for pair in pairs])
              for pairs in ([(row, z) for row in X], [(x, row) for row in X])]  # fmt: skip
    for wanted, dims in zip(looped, ((0, None), (None, 0)), strict=True):
        given = (X, z) if dims[1] is None else (x, X)
        assert equal(vmap(lambda v, w: jvp(function, (x, z), (v, w))[1], dims)(*given), wanted)
    assert equal(jacfwd(function)(x, z), jacrev(function)(x, z))

    def scalar(x):
        return (function(x, z) ** 2).sum()

    assert equal(hessian(scalar)(x), jacfwd(jacfwd(scalar))(x))
    assert equal(hessian(scalar)(x), jacrev(jacrev(scalar))(x))
