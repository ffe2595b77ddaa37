"""Embeddings, one_hot and index_select: behaviour that the matrix does not cover."""

import numpy as np
import pytest
from elements import check_slopes

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import grad, gradcheck
from facula_errors.testing import raises

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
        (lambda w: F.embedding(ft.tensor([[0, 3]]), w), IndexError, "embedding: index[0, 1] = 3 ... size 3"),
        (lambda w: F.embedding(ft.tensor([-1]), w), IndexError, "embedding: index[0] = -1 ... 0 to 2"),
        (lambda w: F.embedding(ft.tensor([5]), w.detach(), max_norm=0.1), IndexError, "embedding"),
        (lambda w: F.embedding(ft.tensor([0.0]), w), TypeError, "embedding: float32"),
        (lambda w: F.embedding(ft.tensor([0]), w[0]), ValueError, "embedding: numbers, features"),
        (lambda w: F.embedding(ft.tensor([0]), w, padding_idx=3), ValueError, "embedding: from -3 to 2; got 3"),
        (lambda w: F.embedding(ft.tensor([0]), w, sparse=True), NotImplementedError, "embedding: sparse"),
        (lambda w: F.one_hot(ft.tensor([1, 3]), 3), ValueError, "one_hot: 0 to 2; got 3"),
        (lambda w: F.one_hot(ft.tensor([-1, 1])), ValueError, "one_hot: got -1"),
        (lambda w: F.one_hot(ft.empty(0, dtype=ft.int64)), ValueError, "one_hot: num_classes"),
        (lambda w: F.one_hot(ft.tensor([1]), 0), ValueError, "one_hot: positive"),
        (lambda w: F.one_hot(ft.tensor([1]).int()), TypeError, "one_hot: int64"),
        (lambda w: w.index_select(0, ft.tensor([-1])), IndexError, "index_select: index[0] = -1"),
        (lambda w: w.index_select(0, ft.tensor([[1]])), IndexError, "index_select: one dimension"),
        (lambda w: w.index_select(2, ft.tensor([1])), IndexError, "index_select: dim is 2"),
    ],
)
def test_errors_change_nothing(call, error, text):
    weight = table()
    for _ in range(2):
        with raises(error, text):
            call(weight)
    assert weight.tolist() == ft.tensor(WEIGHT).tolist() and weight._version == 0


# ------------------------------------------------------------------------------------------------------------ bags
REDUCED = {"sum": lambda rows: rows.sum(0), "mean": lambda rows: rows.mean(0), "max": lambda rows: rows.max(0)}


def bags(table, index, lengths, mode, padding=None, shares=None):
    """Reduce the rows of each bag, one by one."""
    made, start = [], 0
    for length in lengths:
        at = np.arange(start, start + length)
        at = at[index[at] != padding]
        rows = table[index[at]] * (1 if shares is None else shares[at, None])
        made.append(REDUCED[mode](rows) if len(rows) else np.zeros(table.shape[1]))
        start += length
    return np.array(made)


@pytest.mark.parametrize("mode", REDUCED)
@pytest.mark.parametrize("padding", [None, 2])
@pytest.mark.parametrize("lengths", [(3, 3), (0, 4, 1, 0), (6,), (0, 0)], ids=str)
def test_bags(mode, padding, lengths):
    rng = np.random.default_rng(0)
    table, index = rng.standard_normal((5, 3)), rng.integers(0, 5, sum(lengths))
    weight, numbers = ft.tensor(table, requires_grad=True), ft.tensor(index, dtype=ft.int64)
    ends = np.cumsum([0, *lengths])
    wanted = bags(table, index, lengths, mode, padding)
    options = {"mode": mode, "padding_idx": padding}
    got = F.embedding_bag(numbers, weight, ft.tensor(ends[:-1]), **options)
    np.testing.assert_allclose(got.detach().numpy(), wanted)
    last = F.embedding_bag(numbers.int(), weight, ft.tensor(ends), include_last_offset=True, **options)
    assert (last == got).all()
    if len(set(lengths)) == 1:
        rows = F.embedding_bag(numbers.reshape(len(lengths), lengths[0]), weight, **options)
        np.testing.assert_allclose(rows.detach().numpy(), wanted)
    if len(index):
        check_slopes(lambda w: F.embedding_bag(numbers, w, ft.tensor(ends[:-1]), **options) ** 2, (weight,))


def test_bags_with_weights_norms_and_frequencies():
    rng = np.random.default_rng(0)
    table, index, shares = rng.standard_normal((5, 3)), np.array([1, 1, 2, 4, 1]), rng.standard_normal(5)
    offsets = ft.tensor([0, 2])
    weight, parts = ft.tensor(table, requires_grad=True), ft.tensor(shares, requires_grad=True)

    def call(w, p, padding=None):
        return F.embedding_bag(ft.tensor(index), w, offsets, mode="sum", per_sample_weights=p, padding_idx=padding)

    for padding in (None, 4):
        wanted = bags(table, index, (2, 3), "sum", padding, shares)
        np.testing.assert_allclose(call(weight, parts, padding).detach().numpy(), wanted)
        assert gradcheck(lambda w, p, padding=padding: call(w, p, padding), (weight, parts))
    rows = F.embedding_bag(
        ft.tensor(index[:4]).reshape(2, 2), weight, mode="sum", per_sample_weights=parts[:4].view(2, 2)
    )
    np.testing.assert_allclose(rows.detach().numpy(), bags(table, index, (2, 2), "sum", None, shares))
    F.embedding_bag(ft.tensor(index), weight, offsets, mode="sum", scale_grad_by_freq=True).sum().backward()
    assert weight.grad.tolist() == [[0] * 3, [1] * 3, [1] * 3, [0] * 3, [1] * 3]
    short = ft.tensor(table)
    F.embedding_bag(ft.tensor([[3]]), short, max_norm=0.5)
    assert short[3].norm().item() == pytest.approx(0.5, rel=1e-5) and (short[2] == weight[2]).all()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "expected offsets beside an input of one dimension"),
        ({"offsets": [1]}, "begin at 0"),
        ({"offsets": [0, 3, 2]}, "do not fall"),
        ({"offsets": [0, 9]}, "end within the 4 numbers"),
        ({"offsets": [[0]]}, "offsets of one dimension"),
        ({"offsets": [0], "mode": "prod"}, "mode to be 'sum', 'mean' or 'max'; got 'prod'"),
        ({"offsets": [0], "mode": "max", "scale_grad_by_freq": True}, "scale_grad_by_freq is for sums"),
        ({"offsets": [0], "per_sample_weights": ft.ones(4)}, "per_sample_weights only for mode 'sum'"),
        ({"offsets": [0], "mode": "sum", "per_sample_weights": ft.ones(3)}, "of the input's shape (4,)"),
        ({"offsets": [0], "padding_idx": 9}, "padding_idx from -5 to 4"),
    ],
)
def test_errors_of_bags(options, text):
    if "offsets" in options:
        options = {**options, "offsets": ft.tensor(options["offsets"])}
    with raises(ValueError, "embedding_bag", text):
        F.embedding_bag(ft.tensor([0, 1, 2, 3]), ft.ones(5, 2), **options)


def test_errors_of_bags_of_rows_and_numbers():
    with raises(ValueError, "embedding_bag", "expected no offsets beside an input of rows"):
        F.embedding_bag(ft.tensor([[0, 1]]), ft.ones(5, 2), ft.tensor([0]))
    with raises(IndexError, "embedding_bag", "9"):
        F.embedding_bag(ft.tensor([[0, 9]]), ft.ones(5, 2))
    with raises(NotImplementedError, "embedding_bag", "sparse=True is not supported"):
        F.embedding_bag(ft.tensor([[0, 1]]), ft.ones(5, 2), sparse=True)


@pytest.mark.parametrize("padding", [None, 1])
def test_errors_for_missing_rows_name_embedding_bag(padding):
    table = ft.ones(2, 3)
    for index, offsets in (([[1, 9]], None), ([9, 1], [0])):
        with raises(IndexError, "embedding_bag", "index[", "] = 9 is out of range", "0 to 1"):
            F.embedding_bag(ft.tensor(index), table, offsets and ft.tensor(offsets), padding_idx=padding)
