"""Random programs of views and changes inside transforms: in any order, derivatives equal those of the same program
without aliasing on the ordinary tape."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from programs import Functional, program, run
from test_programs import leaves, starts, weighted

import facula_tensor as ft
from facula_autograd import MutationError
from facula_autograd import grad as tape_grad
from facula_tensor._core.memory import overlaps_itself
from facula_tensor._core.tensor import layout_of_tensor
from facula_tensor.func import grad, jvp


def function_of(steps, shape, wanted):
    """Return the program as a function of the differentiated ones of its four inputs."""

    def whole(*points):
        given = iter(points)
        inputs = [next(given) * 1.0 if k in wanted else leaf for k, leaf in enumerate(leaves(shape, ()))]
        return weighted(run(ft, steps, inputs, lambda x: overlaps_itself(layout_of_tensor(x))))

    return whole


def by_tape(steps, shape, wanted):
    """Return the gradients of the differentiated inputs and a Hessian product, without views or changes."""
    inputs = leaves(shape, wanted)
    models = run(ft, steps, [Functional.of(ft, operand * 1.0) for operand in inputs], Functional.repeats)
    points = [inputs[k] for k in sorted(wanted)]
    first = tape_grad(weighted(models), points, create_graph=True, materialize_grads=True)
    slope = sum(g.sum() for g in first)
    if not slope.requires_grad:
        return first, tuple(ft.zeros_like(point) for point in points)
    return first, tape_grad(slope, points, materialize_grads=True)


def agree(steps, shape, wanted):
    """Check the program's derivatives; return False if it cannot be differentiated in reverse."""
    whole = function_of(steps, shape, wanted)
    points = tuple(leaves(shape, ())[k] for k in sorted(wanted))
    along, places = tuple(ft.ones_like(point) for point in points), tuple(range(len(points)))

    def slope(*at):
        return jvp(whole, at, along)[1]

    first, second = by_tape(steps, shape, wanted)
    np.testing.assert_allclose(slope(*points).item(), sum(g.sum() for g in first).item(), rtol=1e-9, atol=1e-10)
    twice = jvp(slope, points, along)[1].item()
    np.testing.assert_allclose(twice, sum(h.sum() for h in second).item(), rtol=1e-9, atol=1e-10)
    gradient = grad(whole, places)
    try:
        found = gradient(*points)
    except MutationError:
        return False  # the program changes a value that it saved
    over = jvp(gradient, points, along)[1]
    try:
        through = grad(lambda *at: sum(g.sum() for g in gradient(*at)), places)(*points)
        under = grad(slope, places)(*points)
    except MutationError:
        through, under = second, second  # a value that only the second pass saves
    for mine, right in zip((*found, *over, *through, *under), (*first, *second * 3), strict=True):
        np.testing.assert_allclose(mine.detach().numpy(), right.detach().numpy(), rtol=1e-9, atol=1e-10)
    return True


@given(program, starts, st.sets(st.integers(0, 3), min_size=1))
def test_programs_inside_transforms(steps, shape, wanted):
    assume(agree(steps, shape, wanted))


@pytest.mark.parametrize(
    "steps",
    [
        [("t", 0, 0, 1), ("set_row", 4, 0, 2), ("columns", 0, 0, 1), ("scale_", 5, 0, 3)],
        [("row", 1, 0, 0), ("row", 0, 0, 1), ("add_", 4, 5, 1), ("scale_", 5, 5, 1), ("copy_", 1, 0, 1)],
        [("t", 3, 0, 1), ("mul_", 4, 4, 1), ("tanh", 3, 0, 1)],
        [("flat", 3, 0, 1), ("every_other", 4, 0, 1), ("add_", 3, 0, 1), ("multiply", 3, 0, 1)],
        [("mul_", 0, 0, 1), ("copy_", 1, 0, 1), ("set_row", 1, 0, 1)],
    ],
)
@pytest.mark.parametrize("wanted", [{0}, {3}, {0, 3}])
def test_known_programs(steps, wanted):
    agree(steps, (3, 2), wanted)
