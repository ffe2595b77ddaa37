"""Slices and elements selected by lists of positions: behaviour that the matrix does not cover."""

import pytest

import facula_tensor as ft
from facula_errors.testing import raises

X = [[1.0, 2.0], [3.0, 4.0]]


def test_tensors_without_dimensions():
    x, index = ft.tensor(1.0), ft.tensor(0)
    assert (
        x.index_add(0, index, ft.tensor(2.0)).item() == 3.0 and x.index_copy(0, index, ft.tensor([2.0])).item() == 2.0
    )
    assert x.clone().index_add_(0, ft.tensor([0]), ft.tensor(2.0)).item() == 3.0
    assert x.index_fill(0, index, 5).item() == 5.0 and x.take(index).item() == 1.0
    assert x.index_reduce(0, index, ft.tensor([3.0]), "amax").item() == 3.0


def test_a_value_filled_twice_has_one_gradient():
    x, value = ft.tensor(X, requires_grad=True), ft.tensor(7.0, requires_grad=True)
    x.index_fill(1, ft.tensor([0, 0]), value).sum().backward()
    assert value.grad.item() == 2.0 and x.grad.tolist() == [[0.0, 1.0]] * 2


def test_values_from_the_tensor_itself():
    x = ft.tensor([1.0, 2.0, 3.0])
    assert x.index_add_(0, ft.tensor([2, 1, 0]), x).tolist() == [4.0, 4.0, 4.0]
    assert x.index_copy_(0, ft.tensor([0, 1]), x[1:]).tolist() == [4.0, 4.0, 4.0] and x._version == 2


def test_index_put_of_whole_dimensions_masks_and_numbers():
    x, one = ft.tensor(X), ft.tensor(1.0)
    assert x.index_put((None, ft.tensor([0])), one).tolist() == [[1.0, 2.0], [1.0, 4.0]]
    assert x.index_put((x > 2,), one, accumulate=True).tolist() == [[1.0, 2.0], [4.0, 5.0]]
    assert x.index_put((ft.tensor(1), ft.tensor(0)), one, True).tolist() == [[1.0, 2.0], [4.0, 4.0]]
    assert x.index_put_([ft.tensor([0, 0]), ft.tensor([1, 1])], one, True) is x and x[0].tolist() == [1.0, 4.0]


def test_accumulating_in_place_has_gradients():
    x, y = ft.tensor(X, requires_grad=True), ft.tensor([1.0, 2.0], requires_grad=True)
    target = x * 1
    target.index_put_((ft.tensor([0, 0]), ft.tensor([1, 1])), y, accumulate=True)
    (target * target).sum().backward()
    assert x.grad.tolist() == [[2.0, 10.0], [6.0, 8.0]] and y.grad.tolist() == [10.0, 10.0]


def test_argwhere():
    assert ft.argwhere(ft.tensor([[0, 3], [4, 0]])).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x, i: x.index_add_(0, i - 1, x * 2), IndexError, "index_add_: index[0] = -1 ... 0 to 1"),
        (lambda x, i: x.index_copy_(0, i + 1, x * 2), IndexError, "index_copy_: index[1] = 2"),
        (lambda x, i: x.index_fill_(0, i + 1, 0), IndexError, "index_fill_: 2 ... size 2"),
        (lambda x, i: x.index_reduce_(0, i + 1, x, "prod"), IndexError, "index_reduce_: = 2 ... size 2"),
        (lambda x, i: x.index_put_((i + 1,), x), IndexError, "index_put_: 2 ... size 2"),
        (lambda x, i: x.put_(i + 4, x[0]), IndexError, "put_: 4 ... size 4"),
        (lambda x, i: x.take(i - 5), IndexError, "take: -5 ... size 4"),
        (lambda x, i: x.take_along_dim((i + 1).view(2, 1), 1), IndexError, "take_along_dim: = 2 ... size 2"),
        (lambda x, i: x.index_add(0, i, x.double()), TypeError, "index_add: float64"),
        (lambda x, i: x.index_add(0, i, x[:1]), ValueError, "index_add: (2, 2) ... got (1, 2)"),
        (lambda x, i: x.index_add(0, i.view(1, 2), x), IndexError, "index_add: one dimension"),
        (lambda x, i: x.index_add(2, i, x), IndexError, "index_add: dim is 2"),
        (lambda x, i: x.index_add(0, i.float(), x), TypeError, "index_add: float32"),
        (lambda x, i: x.index_fill(0, i, ft.tensor([1.0])), ValueError, "index_fill: without dimensions"),
        (lambda x, i: x.index_reduce(0, i, x, "sum"), ValueError, "index_reduce: prod"),
        (lambda x, i: x.index_put(i, x), TypeError, "index_put: tuple of tensors"),
        (lambda x, i: x.index_put((i,), x.double()), TypeError, "index_put: float64"),
        (lambda x, i: x.put(i, x), ValueError, "put: (2, 2)"),
        (lambda x, i: x.take_along_dim(i, 0), ValueError, "take_along_dim: without dim"),
        (lambda x, i: x.clone().requires_grad_().index_add_(0, i, x), RuntimeError, "index_add_: leaf"),
    ],
)
def test_errors_change_nothing(call, error, text):
    x, index = ft.tensor(X), ft.tensor([0, 1])
    with raises(error, text):
        call(x, index)
    assert x.tolist() == X and x._version == 0
