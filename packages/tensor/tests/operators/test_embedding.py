"""Embeddings, one_hot and index_select: what rows cannot say."""

import numpy as np
import pytest

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import grad

WEIGHT = [[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]]


def table():
    return ft.tensor(WEIGHT, requires_grad=True)


def test_padding_gets_no_gradient():
    for padding in (2, -1):
        weight = table()
        F.embedding(ft.tensor([0, 2, 2, 1, 0]), weight, padding_idx=padding).sum().backward()
        assert weight.grad.tolist() == [[2.0, 2.0], [1.0, 1.0], [0.0, 0.0]]


def test_padding_gets_no_second_gradient():
    weight, g = table(), ft.ones(2, 2, requires_grad=True)
    result = F.embedding(ft.tensor([0, 2]), weight, padding_idx=2)
    (first,) = grad(result, weight, g, create_graph=True)
    (first * ft.tensor([[1.0], [1.0], [5.0]])).sum().backward()
    assert g.grad.tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_frequent_rows_get_a_smaller_gradient():
    weight = table()
    F.embedding(ft.tensor([[0, 2], [2, 2]]), weight, scale_grad_by_freq=True).backward(ft.ones(2, 2, 2) * 6)
    assert weight.grad.tolist() == [[6.0, 6.0], [0.0, 0.0], [6.0, 6.0]]


@pytest.mark.parametrize(("order", "norm"), [(2.0, 5.0), (1.0, 7.0), (float("inf"), 4.0)])
def test_used_rows_are_scaled_down(order, norm):
    weight = table()
    result = F.embedding(ft.tensor([0, 1, 0]), weight, max_norm=1.0, norm_type=order)
    np.testing.assert_allclose(weight.detach().numpy(), [np.divide(WEIGHT[0], norm), WEIGHT[1], WEIGHT[2]], rtol=1e-6)
    np.testing.assert_array_equal(result.detach().numpy(), weight.detach().numpy()[[0, 1, 0]])
    assert weight._version == 1


def test_one_hot():
    assert F.one_hot(ft.tensor([[0], [2]])).tolist() == [[[1, 0, 0]], [[0, 0, 1]]]
    assert F.one_hot(ft.tensor(1), 3).tolist() == [0, 1, 0]
    assert F.one_hot(ft.empty(0, dtype=ft.int64), 3).shape == (0, 3)
    assert F.one_hot(ft.tensor([1]), num_classes=2).dtype is ft.int64


def test_positions_without_dimensions():
    x = ft.tensor([1.0, 2.0])
    assert x.index_select(0, ft.tensor(1)).tolist() == [2.0] and x[0].index_select(0, ft.tensor([0])).item() == 1.0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda w: F.embedding(ft.tensor([[0, 3]]), w), IndexError, r"embedding: index\[0, 1\] = 3 .* size 3"),
        (lambda w: F.embedding(ft.tensor([-1]), w), IndexError, r"index\[0\] = -1 .* 0 to 2"),
        (lambda w: F.embedding(ft.tensor([5]), w.detach(), max_norm=0.1), IndexError, "embedding"),
        (lambda w: F.embedding(ft.tensor([0.0]), w), TypeError, "float32"),
        (lambda w: F.embedding(ft.tensor([0]), w[0]), ValueError, "numbers, features"),
        (lambda w: F.embedding(ft.tensor([0]), w, padding_idx=3), ValueError, "from -3 to 2; got 3"),
        (lambda w: F.embedding(ft.tensor([0]), w, sparse=True), NotImplementedError, "sparse"),
        (lambda w: F.one_hot(ft.tensor([1, 3]), 3), ValueError, "0 to 2; got 3"),
        (lambda w: F.one_hot(ft.tensor([-1, 1])), ValueError, "got -1"),
        (lambda w: F.one_hot(ft.empty(0, dtype=ft.int64)), ValueError, "num_classes"),
        (lambda w: F.one_hot(ft.tensor([1]), 0), ValueError, "positive"),
        (lambda w: F.one_hot(ft.tensor([1]).int()), TypeError, "int64"),
        (lambda w: w.index_select(0, ft.tensor([-1])), IndexError, r"index_select: index\[0\] = -1"),
        (lambda w: w.index_select(0, ft.tensor([[1]])), IndexError, "one dimension"),
        (lambda w: w.index_select(2, ft.tensor([1])), IndexError, "dim is 2"),
    ],
)
def test_what_is_refused_changes_nothing(call, error, text):
    weight = table()
    for _ in range(2):
        with pytest.raises(error, match=text):
            call(weight)
    assert weight.tolist() == ft.tensor(WEIGHT).tolist() and weight._version == 0
