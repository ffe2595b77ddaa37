"""`vmap` of derivatives of every operator, derivatives of `vmap`, and operators that do not support batches."""

from __future__ import annotations

import numpy as np
import pytest
from samples import SAMPLES, every_operator, total

import facula_tensor as ft
from facula_tensor.func import grad, jvp, vmap


def batches(sample, count):
    """Make as many different tensors for each operand as the batch has elements."""
    rows = [sample.leaves(requires_grad=False, seed=seed) for seed in range(count)]
    return [list(column) for column in zip(*rows, strict=True)]


def batched(name):
    """Return the operator's batched sample, or skip the test if it does not support batches."""
    if name == "count_true" or not SAMPLES[name].case.batching:  # a size that depends on data
        pytest.skip("has no batch")
    return SAMPLES[name]


def close(got, wanted):
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-7, atol=1e-9)


def stacked(rows):
    """Convert the tuples of tensors of each element to a tuple of batches."""
    return [ft.stack(list(some)) for some in zip(*rows, strict=True)]


def test_fallbacks_to_loops_are_reported():
    """The message names the operator and the line of the program. `test_matrix.py` lists the operators."""
    sample = SAMPLES["recurrent_grad"]
    with pytest.warns(UserWarning, match="recurrent_grad: vmap runs it once for each of 2 elements") as caught:
        vmap(sample)(*map(ft.stack, batches(sample, 2)))
    assert caught[0].filename.endswith(("test_vmap.py", "private.py"))


def scalar(name):
    """Reduce the operands to a number, using the operator."""

    def function(*given):
        result = SAMPLES[name](*given)
        rest = 0 * sum(total(operand) for operand in given)
        if not (result.dtype.is_floating_point or result.dtype.is_complex):
            return rest
        if not result.dtype.is_complex:
            result = result * ft.arange(result.numel()).reshape(result.shape).to(ft.float64).cos()
        return total(result).to(ft.float64) + rest

    return function


def mapped(function, dims=0):
    return vmap(function, dims, randomness="same")


# Transforms of a function, and the same of one element: derivatives are tuples.
def gradient(function):
    return lambda *given: grad(function, tuple(range(len(given))))(*given)


def tangent(function):
    return lambda *given: jvp(function, given, tuple([operand * 0.3 + 0.1 for operand in given]))


COMPOSED = {
    "vmap of grad": (gradient, lambda f: mapped(gradient(f))),
    "grad of vmap": (gradient, lambda f: gradient(lambda *given: mapped(f)(*given).sum())),
    "vmap of jvp": (tangent, lambda f: mapped(tangent(f))),
    "jvp of vmap": (tangent, lambda f: tangent(mapped(f))),
}


@pytest.mark.filterwarnings("ignore:.*vmap runs it once")
@every_operator
def test_derivatives_of_every_operator(name):
    sample = batched(name)
    if not sample.case.gradient:
        pytest.skip("has no derivative")
    function, columns = scalar(name), batches(sample, 2)
    for of_one, of_all in COMPOSED.values():
        wanted = stacked([of_one(function)(*row) for row in zip(*columns, strict=True)])
        for got, result in zip(of_all(function)(*map(ft.stack, columns)), wanted, strict=True):
            close(got, result)


@pytest.mark.filterwarnings("ignore:.*vmap runs it once")
@every_operator
def test_vmap_of_vmap(name):
    """Each pair of a batch of the first operand and one of all others."""
    sample = batched(name)
    if sample.case.changes_first:
        pytest.skip("its first operand has every batch")
    firsts, *others = batches(sample, 2)
    if not others:  # both are batches of the only operand
        rows = [ft.stack(firsts), ft.stack(firsts[::-1])]
        close(mapped(mapped(sample))(ft.stack(rows)), ft.stack([ft.stack([sample(x) for x in row]) for row in rows]))
        return
    rest = (0,) * len(others)
    wanted = ft.stack([ft.stack([sample(x, *row) for row in zip(*others, strict=True)]) for x in firsts])
    inside = mapped(sample, (None, *rest))
    close(mapped(inside, (0, *[None] * len(others)))(ft.stack(firsts), *map(ft.stack, others)), wanted)
