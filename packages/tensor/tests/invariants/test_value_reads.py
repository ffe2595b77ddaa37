"""Checks of elements read no values unless there is an error to describe, as captured steps require."""

from __future__ import annotations

import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor import functional as F

HALVES = ft.tensor([[0.5, 0.25], [0.75, 0.0]])
INDEX = ft.tensor([1, -2])

CALLS = {  # valid elements; invalid elements; the beginning of the error
    "bernoulli": (lambda: ft.bernoulli(HALVES), lambda: ft.bernoulli(HALVES * 2), "bernoulli: from 0 to 1; got 1.5"),
    "bernoulli of half precision": (
        lambda: ft.bernoulli(HALVES.half()),
        lambda: ft.bernoulli(-HALVES.half()),
        "bernoulli: from 0 to 1; got -0.5 at [0, 0]",
    ),
    "bernoulli_": (
        lambda: ft.zeros(3, 2, 2).bernoulli_(HALVES),
        lambda: ft.zeros(2).bernoulli_(ft.tensor(float("nan"))),
        "bernoulli: from 0 to 1; got nan",
    ),
    "binary_cross_entropy": (
        lambda: F.binary_cross_entropy(HALVES, HALVES),
        lambda: F.binary_cross_entropy(HALVES * 2, HALVES),
        "binary_cross_entropy: expected every element of input",
    ),
    "binary_cross_entropy of each": (
        lambda: F.binary_cross_entropy(HALVES, HALVES, reduction="none"),
        lambda: F.binary_cross_entropy(HALVES, -HALVES, reduction="none"),
        "binary_cross_entropy: expected every element of target",
    ),
    "binary_cross_entropy with weights": (
        lambda: F.binary_cross_entropy(HALVES.half(), HALVES.half(), weight=HALVES.half()),
        lambda: F.binary_cross_entropy(HALVES.half(), -HALVES.half(), weight=HALVES.half()),
        "binary_cross_entropy: expected every element of target",
    ),
    "normal": (
        lambda: ft.normal(0.0, HALVES),
        lambda: ft.normal(HALVES, -HALVES),
        "normal: expected std of at least 0; got -0.75",
    ),
    "poisson": (lambda: ft.poisson(HALVES), lambda: ft.poisson(-HALVES), "poisson: expected rates of 0 or more; got"),
    "binomial": (
        lambda: ft.binomial(HALVES * 4, HALVES),
        lambda: ft.binomial(HALVES * 4, HALVES * 4),
        "binomial: expected prob from 0 to 1; got 2",
    ),
    "multinomial": (
        lambda: ft.multinomial(HALVES, 1),
        lambda: ft.multinomial(HALVES, 2),
        "multinomial: expected at least 2 weight(s) above 0; got fewer in row 1",
    ),
    "weights of multinomial": (
        lambda: ft.multinomial(HALVES, 1),
        lambda: ft.multinomial(HALVES / 0, 1),
        "multinomial: expected weights of 0 or more, and finite; got inf at [0, 0]",
    ),
    "quantile": (
        lambda: HALVES.quantile(HALVES[0]),
        lambda: HALVES.quantile(ft.tensor([0.5, 2.0])),
        "quantile: expected every element of q to be from 0 to 1; got 2 at [1]",
    ),
    "gaussian_nll_loss": (
        lambda: F.gaussian_nll_loss(HALVES, HALVES, HALVES),
        lambda: F.gaussian_nll_loss(HALVES, HALVES, -HALVES),
        "gaussian_nll_loss: expected variances of at least 0; got -0.75",
    ),
    "multi_margin_loss": (
        lambda: F.multi_margin_loss(HALVES, INDEX.abs() // 2),
        lambda: F.multi_margin_loss(HALVES, INDEX),
        "multi_margin_loss: expected targets from 0 to 1; got -2",
    ),
    "index": (
        lambda: HALVES[INDEX, INDEX],
        lambda: HALVES[INDEX, INDEX + 1],
        "getitem: 2 is out of range for dimension 1",
    ),
    "index of bytes": (
        lambda: HALVES[INDEX.to(ft.int8), INDEX],
        lambda: HALVES[INDEX.to(ft.int8) - 1, INDEX],
        "getitem: -3 is out of range for dimension 0 of size 2; expected -2 to 1",
    ),
    "index_put": (
        lambda: HALVES.index_put((INDEX, INDEX), ft.tensor(1.0)),
        lambda: HALVES.index_put((INDEX, INDEX * 9), ft.tensor(1.0)),
        "index_put: -18 is out of range for dimension 1",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_are_read_only_for_errors(name, monkeypatch):
    right, wrong, said = CALLS[name]

    def refuse(*args, **kwargs):
        raise AssertionError("a value was read")

    for _ in range(2):  # the slow path, then the fast one
        with monkeypatch.context() as patched:
            for method in "item tolist numpy __array__ __bool__ __float__ __int__ __index__ __buffer__".split():
                patched.setattr(ft.Tensor, method, refuse)
            right()
        state = ft.default_generator.get_state()
        with raises((ValueError, IndexError), said) as caught:
            wrong()
        assert caught.value.__cause__ is None and caught.value.__suppress_context__
        assert ft.equal(ft.default_generator.get_state(), state), "nothing was drawn"
