"""Gradients of `x[...]` and `x[...] = v`, to order two."""

import numpy as np
import pytest
from elements import make
from indices import BASIC, MASK1, MASK_LAST, NAMED, SHAPE, array, as_tensors, show

import facula_tensor as ft
from facula_autograd import gradcheck, gradgradcheck
from facula_storage import listen


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


def diagonal(a):
    return np.einsum("ii->i", a)


PARTS = {  # views of a matrix (4, 5), and the same views of an array
    "pieces": (lambda x: x.split((1, 3, 1), 1), lambda a: (a[:, :1], a[:, 1:4], a[:, 4:])),
    "chunks": (lambda x: x.chunk(2), lambda a: (a[:2], a[2:])),
    "rows": (lambda x: x.unbind(), lambda a: tuple(a)),
    "elements": (lambda x: (x[1], x[-1], x[2, 3], x[1]), lambda a: (a[1], a[-1], a[2, 3:4], a[1])),
    "slices that overlap": (lambda x: (x[:-1], x[1:], x[:, ::2]), lambda a: (a[:-1], a[1:], a[:, ::2])),
    "diagonals": (
        lambda x: (x.diagonal(), x.diagonal(1), x.mT.diagonal()),
        lambda a: (diagonal(a[:, :4]), diagonal(a[:, 1:]), diagonal(a[:, :4])),
    ),
    "nothing": (lambda x: (x[:0], x[:, 2:2], x[1:2]), lambda a: (a[1:2],)),
    "parts of parts": (lambda x: (x[1:][1:], x[1:][:, 2], x[:, 1:4][0]), lambda a: (a[2:], a[1:, 2], a[0, 1:4])),
    "all and parts": (lambda x: (x.view(20), x[1], x.t(), x[0]), lambda a: (a, a[1], a, a[0])),
    "expanded": (lambda x: (x[2], x[None].expand(3, 4, 5), x[3]), lambda a: (a[2], a, a, a, a[3])),
}


@pytest.mark.parametrize("of_leaf", [False, True], ids=["value", "leaf"])
@pytest.mark.parametrize("dtype", ["float64", "float16", "complex64"])
@pytest.mark.parametrize("name", PARTS)
def test_gradients_of_parts(name, dtype, of_leaf):
    """Each element's gradient is the number of its uses, in the first pass and added in the second."""
    parts, same = PARTS[name]
    x = ft.ones(4, 5, dtype=getattr(ft, dtype), requires_grad=True)
    counts = np.zeros((4, 5))
    for view in same(counts):
        view += 1
    for passes in (1, 2):
        shown = []
        y = x if of_leaf else x * 1
        found = parts(y)
        for part in found:
            part.register_hook(shown.append)
        sum([part.sum() for part in found]).real.backward()
        np.testing.assert_array_equal(x.grad.numpy(), passes * counts)
        assert all([(g == 1).all() for g in shown])


@pytest.mark.parametrize("name", ["slices that overlap", "diagonals", "rows", "parts of parts"])
def test_gradients_of_parts_that_are_views_of_the_gradient(name):
    """A pass from a part adds the values that its gradient, a view of the existing `.grad`, had before."""
    parts, same = PARTS[name]
    values = np.arange(20.0).reshape(4, 5)
    for place, view in enumerate(same(values.copy())):
        x = ft.zeros(4, 5, dtype=ft.float64, requires_grad=True)
        x.grad, wanted = ft.tensor(values), values.copy()
        start = x.grad.reshape(-1)[: view.size].view(view.shape)
        same(wanted)[place][...] += values.reshape(-1)[: view.size].reshape(view.shape)
        parts(x)[place].backward(start)
        np.testing.assert_array_equal(x.grad.numpy(), wanted)


def test_gradients_of_parts_share_one_array_of_zeros():
    """It has the memory order of the whole, so the gradient of `permute` is row-major, and `view` does not copy it."""
    x = ft.ones(4, 6, requires_grad=True)

    def launches(parts):
        names = []
        with listen(lambda plan, arguments: names.append(plan.operator)):
            sum([part.exp().sum() for part in parts(x * 2)]).backward()
        insets = names.count("inset")  # each fills zeros and copies a part
        return names.count("fill") + insets, names.count("copy") + insets

    x.grad = ft.zeros(4, 6)
    fills, copies = launches(lambda y: (y[1:3],))
    for parts in (
        lambda y: y.split(2, 1),
        lambda y: y.unbind(),
        lambda y: (y[1], y[:, ::2], y.diagonal(), y[..., 3]),
        lambda y: y.view(4, 3, 2).permute(1, 0, 2).unbind(),
        lambda y: (lambda z: (z[:, 1:, 0], z[0]))(y.view(2, 2, 6).transpose(0, 2)),
    ):
        assert launches(parts) == (fills, copies)
