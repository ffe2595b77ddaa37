"""Levels: forward mode and gradients at nested levels, of every operator, against the ordinary tape and each other."""

from __future__ import annotations

import numpy as np
import pytest
from samples import CHANGES, SAMPLES, differentiable, every_change, every_operator, pair, total

import facula_tensor as ft
from facula_autograd import grad as tape_grad
from facula_tensor.extend import no_record_ops, operator, operators
from facula_tensor.func import grad, jvp, vjp
from facula_tensor.testing._operands import make, values_of
from facula_tensor.testing._transforms import direction


def tangents(*points):
    """Return tangent directions that expose errors even if an operator is symmetric."""
    return tuple(
        make(direction(values_of(point)) * (1 + place), point.dtype.name) for place, point in enumerate(points)
    )


# Tangents only.
APART = {
    "scatter": "of two elements for one place the last one wins, and both have the gradient",
}


def close(got, wanted):
    rtol = 1e-6 if ft.float32 in (got.dtype, wanted.dtype) else 1e-7
    np.testing.assert_allclose(got.detach().numpy(), wanted.detach().numpy(), rtol=rtol, atol=1e-9)


def seeded(function):
    """Return the function with a fixed seed, so that each call draws the same numbers."""

    def call(*points):
        ft.manual_seed(7)
        return function(*points)

    return call


def inner(a, b):
    """Return the real inner product."""
    return (a * b.conj()).real.sum() if a.dtype.is_complex else (a * b).sum()


def on_tape(function, *leaves):
    """Return the result on the ordinary tape, or None if no operand is differentiable."""
    result = function(*leaves)
    return result if differentiable(result) else None


@every_operator
def test_the_tangent_is_the_transpose_of_the_gradient(name):
    """<u, J t> = <u J, t>, with u J from the ordinary tape."""
    if name in APART:
        pytest.skip(APART[name])
    function, leaves = seeded(SAMPLES[name]), SAMPLES[name].leaves()
    if not SAMPLES[name].case.gradient and (leaves[0].dtype is ft.int64 or function(*leaves).is_floating_point()):
        pytest.skip("has no derivative that is known")
    result = on_tape(function, *leaves)
    points, along = tuple(SAMPLES[name].leaves(requires_grad=False)), tangents(*leaves)
    out, slope = jvp(function, points, along)
    close(out, function(*points))
    if result is None:  # 0 if the derivative is known to vanish, as for comparisons
        assert not (slope != 0).any()
        return
    assert (slope.shape, slope.dtype) == (out.shape, out.dtype)
    u = ft.arange(1, result.numel() + 1, dtype=ft.float64).reshape(result.shape).cos().to(result.dtype)
    gradients = tape_grad(result, leaves, u, allow_unused=True)
    backwards = sum(inner(g, t) for g, t in zip(gradients, along, strict=True) if g is not None)
    close(inner(slope, u), backwards)
    assert not slope.requires_grad
    _, pull = vjp(function, *points)
    for got, wanted in zip(pull(u), gradients, strict=True):
        close(got, ft.zeros_like(got) if wanted is None else wanted)


def second_on_tape(function, leaves, along):
    """Return the gradient of a call and its Hessian product by the ordinary tape; None without gradients."""
    result = on_tape(function, *leaves)
    if result is None:
        return None
    first = tape_grad(total(result), leaves, create_graph=True, allow_unused=True)
    slope = sum(inner(g, t) for g, t in zip(first, along, strict=True) if g is not None)
    if not slope.requires_grad:
        return first, tuple(map(ft.zeros_like, leaves))
    try:
        second = tape_grad(slope, leaves, allow_unused=True)
    except NotImplementedError:
        return None
    return first, tuple(ft.zeros_like(x) if g is None else g for x, g in zip(leaves, second, strict=True))


@every_operator
def test_second_derivatives_agree_in_every_order(name):
    if name in APART:
        pytest.skip(APART[name])
    function, leaves = seeded(SAMPLES[name]), SAMPLES[name].leaves()
    along = tangents(*leaves)
    wanted = second_on_tape(function, leaves, along)
    if wanted is None or not SAMPLES[name].case.second:
        pytest.skip("not differentiable twice")
    points = tuple(SAMPLES[name].leaves(requires_grad=False))
    places = tuple(range(len(points)))
    gradient = grad(lambda *given: total(function(*given)), places)

    def slope(*given):
        return jvp(lambda *inside: total(function(*inside)), given, along)[1]

    first, forward_over_reverse = jvp(gradient, points, along)
    reverse_over_forward = grad(slope, places)(*points)
    products = lambda *given: sum(inner(g, t) for g, t in zip(gradient(*given), along))
    reverse_over_reverse = grad(products, places)(*points)
    for place, (g, h) in enumerate(zip(*wanted, strict=True)):
        close(first[place], ft.zeros_like(h) if g is None else g)
        for found in (forward_over_reverse, reverse_over_forward, reverse_over_reverse):
            close(found[place], h)
    twice = jvp(slope, points, along)[1]
    close(twice, sum(inner(h, t) for h, t in zip(wanted[1], along, strict=True)))


@every_change
def test_changes_in_place(name):
    """Changes of a copy, of a view of it, and of a tensor that the function makes."""
    sample = CHANGES[name]

    def through_views(x, *others):
        whole = x.clone()
        if sample.case.shapes:  # some operands do not fit a part of them
            return sample.change(whole, *others) ** 2
        sample.change(whole[1:], *[operand[1:] for operand in others])
        made = ft.zeros(4, 3, dtype=x.dtype)
        column = made[:, 1]
        column += x[1]
        sample.change(column, *[operand[0] for operand in others])
        made = made.clone()  # some changes keep a reference to their result, which is changed again
        made[0] = whole[:, 2] * whole[1, 1]
        return whole.sum() * whole[2] + made.sum(1)

    leaves = sample.leaves()
    along, places = tangents(*leaves), tuple(range(len(leaves)))
    first, second = second_on_tape(through_views, leaves, along)
    points = tuple(sample.leaves(requires_grad=False))
    gradient = grad(lambda *given: total(through_views(*given)), places)
    got, over = jvp(gradient, points, along)
    back = grad(lambda *given: jvp(lambda *inside: total(through_views(*inside)), given, along)[1], places)(*points)
    for k, leaf in enumerate(leaves):
        close(got[k], ft.zeros_like(leaf) if first[k] is None else first[k])
        close(over[k], second[k])
        close(back[k], second[k])


def test_perturbations_are_distinguished():
    one = ft.tensor(1.0)
    for outer in (grad, lambda f: lambda x: jvp(f, (x,), (one,))[1]):
        for within in (grad, lambda f: lambda x: jvp(f, (x,), (one,))[1]):
            assert outer(lambda x, within=within: x * within(lambda y: x + y)(one))(one).item() == 1
            assert outer(lambda x, within=within: x * within(lambda y: x * y * y)(x))(ft.tensor(2.0)).item() == 24


PROGRAMS = [
    lambda x: ft.tanh(x) * x**3,
    lambda x: (x.exp() + 1).log() / (1 + x * x),
    lambda x: ft.where(x > 0.5, x.sin() * x, x.sqrt()),
    lambda x: ft.stack([x, x * x, x**0.5]).logsumexp(0) * ft.sigmoid(x),
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("kinds", ["fff", "ffr", "frf", "rff", "frr", "rfr", "rrf", "rrr"])
def test_third_derivatives_in_every_order(program, kinds):
    """Third derivatives of a scalar function, compared with the ordinary tape."""
    x = ft.tensor(0.7, dtype=ft.float64, requires_grad=True)
    wanted = program(x)
    for _ in kinds:
        (wanted,) = tape_grad(wanted, x, create_graph=True)
    function = program
    for kind in kinds:
        function = grad(function) if kind == "r" else lambda a, f=function: jvp(f, (a,), (ft.ones_like(a),))[1]
    close(function(x.detach()), wanted)


@pytest.fixture
def declared_tangent():
    """Declare an operator with a jvp that differs from the one derived from its gradient."""

    @operator
    class _declared_tangent:
        """Twice the first operand plus the second."""

        inputs = ("input", "other")
        parameters = ("factor",)

        def decompose(F, operands, parameters):
            return None

        def outputs(layout, other, factor):
            return layout

        def execute(operands, parameters):
            return [no_record_ops.add(no_record_ops.mul(operands[0], parameters[0]), operands[1])]

        def vjp_input(F, g, _other, factor):
            return F.mul(g, factor)

        def vjp_other(F, g):
            return F.clone(g)

        def jvp(F, tangents, out, factor):
            return F.mul(F.ones_like(out), 100 * factor + tangents.count(None))

    yield _declared_tangent
    del operators["declared_tangent"]


def test_a_declaration_may_define_its_tangent(declared_tangent):
    x, y = pair(requires_grad=False)
    out, slope = jvp(lambda x, y: declared_tangent(x, y, (2,)), (x, y), (x, y))
    close(out, 2 * x + y)
    assert (slope == 200).all()
    assert (jvp(lambda x: declared_tangent(x, y, (3,)), (x,), (x,))[1] == 301).all()
