"""Programs with views and changes have the gradients of the same programs without aliasing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from programs import Functional, program, run

import facula_tensor as ft
from facula_autograd import MutationError
from facula_tensor._core.memory import overlaps_itself

starts = st.sampled_from([(3, 2), (2, 3), (4,), (1, 3)])


def leaves(shape, wanted):
    """Make four inputs; those in `wanted` require gradients."""
    n = int(np.prod(shape))
    values = [np.cos(np.arange(n) + k).reshape(shape) * 0.75 for k in range(4)]
    return [ft.tensor(v, requires_grad=k in wanted) for k, v in enumerate(values)]


def weighted(tensors):
    """Return a number that depends on each element with a different weight."""
    whole = None
    for k, tensor in enumerate(tensors):
        tensor = tensor.value() if isinstance(tensor, Functional) else tensor
        n = int(np.prod(tuple(tensor.shape)))
        weights = ft.tensor(np.sin(np.arange(n) + 2.0 * k).reshape(tuple(tensor.shape)))
        part = (tensor * weights).sum()
        whole = part if whole is None else whole + part
    return whole


def gradients(whole, inputs):
    if whole.requires_grad:
        whole.backward()
    return [None if operand.grad is None else operand.grad.numpy() for operand in inputs]


def agrees(steps, shape, wanted):
    """Check the program's values and gradients; return False if it cannot be differentiated."""
    inputs = leaves(shape, wanted)
    # Families start from copies of the leaves that require gradients, and from the other inputs directly.
    tensors = run(ft, steps, [operand * 1.0 if operand.requires_grad else operand.clone() for operand in inputs],
                  lambda x: overlaps_itself(x._layout))  # fmt: skip
    twins = leaves(shape, wanted)
    models = run(ft, steps, [Functional.of(ft, twin * 1.0) for twin in twins], Functional.repeats)
    assert len(tensors) == len(models)
    for tensor, model in zip(tensors, models, strict=True):
        np.testing.assert_allclose(tensor.detach().numpy(), model.value().detach().numpy(), rtol=1e-10, atol=1e-12)
    try:
        found = gradients(weighted(tensors), inputs)
    except MutationError:
        return False  # the program changes a value that it saved
    for mine, right in zip(found, gradients(weighted(models), twins), strict=True):
        if mine is None:
            assert right is None or not right.any()
        else:
            np.testing.assert_allclose(mine, right, rtol=1e-9, atol=1e-10)
    return True


@given(program, starts, st.sets(st.integers(0, 3), min_size=1))
def test_views_and_changes_equal_programs_without_aliasing(steps, shape, wanted):
    assume(agrees(steps, shape, wanted))


@pytest.mark.parametrize(
    "steps",
    [
        [("row", 0, 0, 1), ("mul_", 4, 4, 1), ("add", 0, 0, 1)],
        [("t", 0, 0, 1), ("set_row", 4, 0, 2), ("columns", 0, 0, 1), ("scale_", 5, 0, 3)],
        [("unsqueeze", 3, 0, 1), ("expand", 4, 0, 1), ("scale_", 3, 0, 3)],
        [("row", 0, 0, 0), ("row", 0, 0, 1), ("add_", 4, 5, 1), ("scale_", 5, 5, 1), ("copy_", 0, 1, 1)],
        [("t", 3, 0, 1), ("mul_", 4, 4, 1), ("tanh", 3, 0, 1)],
        [("flat", 3, 0, 1), ("every_other", 4, 0, 1), ("add_", 3, 0, 1), ("fill_", 5, 0, 1)],
    ],
)
@pytest.mark.parametrize("wanted", [{0}, {3}, {0, 3}, {1, 2}])
def test_known_programs(steps, wanted):
    assert agrees(steps, (3, 2), wanted)
