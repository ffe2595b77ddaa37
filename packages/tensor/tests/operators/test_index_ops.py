"""Slices and elements selected by lists of positions: behaviour that the matrix does not cover."""

import pytest

import facula_tensor as ft

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
        (lambda x, i: x.index_add_(0, i - 1, x * 2), IndexError, r"index\[0\] = -1 .* 0 to 1"),
        (lambda x, i: x.index_copy_(0, i + 1, x * 2), IndexError, r"index\[1\] = 2"),
        (lambda x, i: x.index_fill_(0, i + 1, 0), IndexError, "2 .* size 2"),
        (lambda x, i: x.index_reduce_(0, i + 1, x, "prod"), IndexError, "= 2 .* size 2"),
        (lambda x, i: x.index_put_((i + 1,), x), IndexError, "2 .* size 2"),
        (lambda x, i: x.put_(i + 4, x[0]), IndexError, "4 .* size 4"),
        (lambda x, i: x.take(i - 5), IndexError, "-5 .* size 4"),
        (lambda x, i: x.take_along_dim((i + 1).view(2, 1), 1), IndexError, "= 2 .* size 2"),
        (lambda x, i: x.index_add(0, i, x.double()), TypeError, "float64"),
        (lambda x, i: x.index_add(0, i, x[:1]), ValueError, r"\(2, 2\).*got \(1, 2\)"),
        (lambda x, i: x.index_add(0, i.view(1, 2), x), IndexError, "one dimension"),
        (lambda x, i: x.index_add(2, i, x), IndexError, "dim is 2"),
        (lambda x, i: x.index_add(0, i.float(), x), TypeError, "float32"),
        (lambda x, i: x.index_fill(0, i, ft.tensor([1.0])), ValueError, "without dimensions"),
        (lambda x, i: x.index_reduce(0, i, x, "sum"), ValueError, "prod"),
        (lambda x, i: x.index_put(i, x), TypeError, "tuple of tensors"),
        (lambda x, i: x.index_put((i,), x.double()), TypeError, "float64"),
        (lambda x, i: x.put(i, x), ValueError, r"\(2, 2\)"),
        (lambda x, i: x.take_along_dim(i, 0), ValueError, "without dim"),
        (lambda x, i: x.clone().requires_grad_().index_add_(0, i, x), RuntimeError, "leaf"),
    ],
)
def test_errors_change_nothing(call, error, text):
    x, index = ft.tensor(X), ft.tensor([0, 1])
    with pytest.raises(error, match=text):
        call(x, index)
    assert x.tolist() == X and x._version == 0
