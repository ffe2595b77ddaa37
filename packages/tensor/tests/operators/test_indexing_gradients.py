"""Gradients of `x[...]` and `x[...] = v`, to order two."""

import pytest
from elements import make
from indices import BASIC, MASK1, MASK_LAST, NAMED, SHAPE, array, as_tensors, show

import facula_tensor as ft
from facula_autograd import gradcheck, gradgradcheck


@pytest.mark.parametrize("index", BASIC + NAMED, ids=show)
@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
def test_gradient_of_get(index, check):
    if array(shape=SHAPE)[index].size == 0:
        pytest.skip("nothing to differentiate")
    x = make(array(), "float64").requires_grad_()
    check(lambda x: (x * x)[as_tensors(index)], [x], atol=1e-4)


@pytest.mark.parametrize(
    "index", [1, slice(0, 2), (..., 2), (slice(None), [0, 2]), MASK1, (1, [3, 0]), (..., MASK_LAST)], ids=show
)
@pytest.mark.parametrize("check", [gradcheck, gradgradcheck])
def test_gradient_of_set(index, check):
    x = make(array(), "float64").requires_grad_()
    value = make(array(shape=array()[index].shape, seed=2), "float64").requires_grad_()

    def changed(x, value):
        y = x * x
        y[as_tensors(index)] = value * value
        return y * y

    check(changed, [x, value], atol=1e-4)


@pytest.mark.parametrize("index", [1, [0, 0, 2], MASK1], ids=show)
def test_gradient_of_set_number(index):
    x = make(array(), "float64").requires_grad_()

    def changed(x):
        y = x * 2
        y[index] = 3.0
        return y * y

    assert gradcheck(changed, [x])


def test_repeated_indices_add_their_gradients():
    x = ft.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x[[0, 0, 2]].sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 1.0]
