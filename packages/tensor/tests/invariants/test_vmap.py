"""`vmap` of every operator against a loop, of its derivatives too, and what cannot be done with a batch."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from calls import CALLS, every_operator, pair, total

import facula_tensor as ft
from facula_errors import UnsupportedError
from facula_tensor.extend import operators
from facula_tensor.func import grad, jvp, vmap

# What has no batch: a size that depends on data, a result on a device without elements.
NOT_BATCHED = {"count_true", "to_device"}
# Once for each element of the batch: the gradients of recurrent layers' weights, and what goes into elements that are
# not contiguous.
IN_A_LOOP = {"as_strided_scatter", "recurrent_grad"}
MIXES = [(0, 0), (0, None), (None, 0), (-1, 1)]


def batches(count):
    """Pairs of operands that differ, none of them at a point where a derivative has two sides."""
    pairs = []
    for i in range(count):
        x, y = pair(requires_grad=False)
        pairs.append(((x.roll(i, (1,)) * (1 + 0.01 * i)).contiguous(), (y.flip(0) if i % 2 else y * 0.9).contiguous()))
    return [list(some) for some in zip(*pairs, strict=True)]


def close(got, wanted):
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-7, atol=1e-9)


def stacked(rows):
    """The tuple of tensors of each element, as a tuple of batches."""
    return [ft.stack(list(some)) for some in zip(*rows, strict=True)]


def looped(function, dims, xs, ys):
    """One call for each element; some operators take contiguous operands alone."""
    try:
        return [function(x, y) for x, y in zip(xs, ys, strict=True)]
    except UnsupportedError:
        assert dims == (-1, 1)
        return [function(x.contiguous(), y.contiguous()) for x, y in zip(xs, ys, strict=True)]


@every_operator
def test_every_operator_as_a_loop(name):
    """Batches in front, behind and in one operand alone; one call for all, but for what is known to loop."""
    if name in NOT_BATCHED:
        pytest.skip("has no batch")
    function = CALLS[name]
    xs, ys = batches(3)
    for dims in MIXES:
        x = xs[0] if dims[0] is None else ft.stack(xs, dims[0]).contiguous()
        y = ys[0] if dims[1] is None else ft.stack(ys, dims[1])
        rows = [
            [whole] * 3 if dim is None else list(whole.unbind(dim)) if dim else some
            for whole, dim, some in ((x, dims[0], xs), (y, dims[1], ys))
        ]
        wanted = ft.stack(looped(function, dims, *rows))
        with warnings.catch_warnings():
            if name not in IN_A_LOOP:
                warnings.simplefilter("error")
            else:
                warnings.simplefilter("ignore")
            close(vmap(function, dims, randomness="same")(x, y), wanted)


def test_what_loops_says_so():
    """With the operator's name, at the line of the program; nothing else is on the list."""
    x, y = [ft.stack(some) for some in batches(2)]
    with pytest.warns(UserWarning, match="recurrent_grad: vmap runs it once for each of 2 elements") as caught:
        vmap(CALLS["recurrent_grad"])(x, y)
    assert caught[0].filename.endswith(("test_vmap.py", "layers.py"))
    assert set(CALLS) >= IN_A_LOOP
    assert len(IN_A_LOOP) < 0.02 * len(CALLS)


def scalar(name):
    """A number of two operands, made with the operator."""

    def function(x, y):
        result = CALLS[name](x, y)
        rest = 0 * x.sum() + 0 * y.sum()
        if not (result.dtype.is_floating_point or result.dtype.is_complex):
            return rest
        if not result.dtype.is_complex:
            result = result * ft.arange(result.numel()).reshape(result.shape).to(ft.float64).cos()
        return total(result).to(ft.float64) + rest

    return function


def mapped(function, dims=(0, 0)):
    return vmap(function, dims, randomness="same")


# Transforms of a function of two operands, and what they are of one element: derivatives are tuples of two.
def gradient(function):
    return grad(function, (0, 1))


def tangent(function):
    return lambda x, y: jvp(function, (x, y), (y * 0.5, x * 0.3))


COMPOSED = {
    "vmap of grad": (gradient, lambda f: mapped(gradient(f))),
    "grad of vmap": (gradient, lambda f: gradient(lambda x, y: mapped(f)(x, y).sum())),
    "vmap of jvp": (tangent, lambda f: mapped(tangent(f))),
    "jvp of vmap": (tangent, lambda f: tangent(mapped(f))),
}


@pytest.mark.filterwarnings("ignore:.*vmap runs it once")
@every_operator
def test_derivatives_of_every_operator(name):
    if name in NOT_BATCHED or not operators.get(name, operators["add"]).recorded:
        pytest.skip("has no batch, or no derivative")
    function, (xs, ys) = scalar(name), batches(2)
    for of_one, of_all in COMPOSED.values():
        wanted = stacked([of_one(function)(x, y) for x, y in zip(xs, ys, strict=True)])
        for got, one in zip(of_all(function)(ft.stack(xs), ft.stack(ys)), wanted, strict=True):
            close(got, one)


@pytest.mark.filterwarnings("ignore:.*vmap runs it once")
@every_operator
def test_vmap_of_vmap(name):
    """Every pair of two batches."""
    if name in NOT_BATCHED:
        pytest.skip("has no batch")
    function, (xs, ys) = CALLS[name], batches(2)
    wanted = ft.stack([ft.stack([function(x, y) for y in ys]) for x in xs])
    close(mapped(mapped(function, (None, 0)), (0, None))(ft.stack(xs), ft.stack(ys)), wanted)
