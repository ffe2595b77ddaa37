"""Operators that move elements: in-place forms, positions, and errors that the matrix does not cover."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles_in_place(name):
    x = ft.arange(12.0).view(3, 4).t().clone().t().requires_grad_()
    y = x * 1
    assert getattr(y, name + "_")(1) is y
    np.testing.assert_array_equal(y.detach().numpy(), getattr(np, name)(np.arange(12.0).reshape(3, 4), 1))
    (y * y).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * getattr(np, name)(np.arange(12.0).reshape(3, 4), 1))


@pytest.mark.parametrize(("row", "col", "offset"), [(3, 4, 0), (4, 3, -1), (2, 5, 2), (0, 3, 0), (3, 3, -7)])
def test_indices(row, col, offset):
    for name in ("tril", "triu"):
        places = getattr(ft, f"{name}_indices")(row, col, offset)
        expected = np.array(getattr(np, f"{name}_indices")(row, offset, col))
        assert places.dtype is ft.int64
        np.testing.assert_array_equal(places.numpy(), expected)


def test_far_diagonals():
    x = ft.ones(2, 3)
    assert x.tril(100).sum() == 6 and x.triu(100).sum() == 0 and x.triu(-(1 << 40)).sum() == 6
    assert x.diagonal(3).shape == (0,) and x.diagonal(-100).shape == (0,)


def test_a_diagonal_is_a_view():
    x = ft.zeros(3, 3)
    x.diagonal().fill_(2)
    assert (x == ft.diag(ft.full((3,), 2.0))).all()


def test_repeat_interleave_of_counts():
    assert ft.repeat_interleave(ft.tensor([2, 0, 3])).tolist() == [0, 0, 2, 2, 2]
    assert ft.repeat_interleave(ft.tensor([2, 1], dtype=ft.int32)).dtype is ft.int32
    none = ft.zeros(0, dtype=ft.int64)
    assert ft.repeat_interleave(ft.ones(0), none).shape == (0,)
    with raises(ValueError, "repeat_interleave", "expected repeats of one count for each of 2 elements"):
        ft.ones(2).repeat_interleave(none)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: x.sum().unflatten(0, (1, 1)), "unflatten: expected at least 1 dimension; got a number"),
        (lambda x: ft.slice_scatter(x.sum(), x), "slice_scatter: expected at least 1 dimension; got a number"),
        (lambda x: x.repeat(2), "repeat: expected a count for each of 2"),
        (lambda x: x.repeat(2, -1), "repeat: expected counts of at least 0"),
        (lambda x: x.flip(0, 0), "flip: expected dims to name each dimension once"),
        (lambda x: x.roll((1, 2)), "roll: expected one shift"),
        (lambda x: x.roll((1, 2), 0), "roll: expected as many shifts as dims"),
        (lambda x: ft.tril(x[0]), "tril: expected at least 2 dimensions"),
        (lambda x: x.diagonal(0, 1, 1), "diagonal: expected two dimensions"),
        (lambda x: x.view(1, 2, 3).diag(), "diag: expected a vector or a matrix"),
        (lambda x: x.repeat_interleave(ft.tensor([1, 2, 3]), 0), "repeat_interleave: one count for each of 2 elements"),
        (lambda x: x.repeat_interleave(-1), "repeat_interleave: expected repeats of at least 0"),
        (lambda x: x.hsplit(2), "hsplit: expected sections to divide 3"),
        (lambda x: ft.meshgrid(x), "meshgrid: expected vectors"),
        (lambda x: ft.meshgrid(x[0], indexing="yx"), "meshgrid: expected indexing"),
        (lambda x: ft.hstack([]), "hstack: expected a tuple or list of at least one tensor"),
        (lambda x: ft.broadcast_shapes((2,), (3,)), "broadcast_shapes: shapes"),
        (lambda x: ft.select_scatter(x, x, 0, 0), "select_scatter: expected src of shape"),
    ],
)
def test_errors(call, text):
    with raises(ValueError, text):
        call(ft.ones(2, 3))


def test_choices():
    assert ft.combinations(ft.tensor([1, 2]), 2, with_replacement=True).tolist() == [[1, 1], [1, 2], [2, 2]]
    assert ft.combinations(ft.tensor([1.0]), 2).shape == (0, 2)
    assert [tuple(view.shape) for view in ft.atleast_1d(ft.tensor(1), ft.ones(2))] == [(1,), (2,)]
    assert ft.broadcast_shapes((3, 1), 4, ()) == (3, 4)


def test_roll_of_numbers_and_by_other_types_than_integers():
    x = ft.arange(4)
    for _ in range(2):  # the second call uses the cached plan
        assert x.roll(1, 0).tolist() == [3, 0, 1, 2]
        assert x.view(2, 2).roll(-1, -1).tolist() == [[1, 0], [3, 2]]
        with raises(TypeError, "roll", "expected integers"):
            x.roll(1.0, 0)
        with raises(IndexError, "roll", "dim is 3"):
            x.roll(1, 3)
    assert ft.tensor(3).roll(1).item() == 3
    with raises(IndexError, "roll", "expected a tensor with dimensions"):
        ft.tensor(3).roll(1, 0)


def test_bounds_must_be_integers():
    with raises(TypeError, "slice_scatter", "expected start to be an integer", value="float 0.5"):
        ft.slice_scatter(ft.ones(3), ft.ones(2), 0, 0.5)


def test_a_number_has_no_strides():
    assert ft.tensor(1.0).stride() == ()
    with raises(IndexError, "stride", "expected at least 1 dimension, to take dim -1", value="a number"):
        ft.tensor(1.0).stride(-1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("size", "step"), [(4, 2), (5, 2), (6, 3), (8, 4), (20, 8), (16, 16), (9, 1), (3, 5)])
def test_gradients_of_overlapping_windows(size, step, dtype):
    x = ft.ones(3, 41, dtype=getattr(ft, dtype), requires_grad=True)
    y = x.unfold(1, size, step)
    g = ft.arange(y.numel()).view(y.shape).remainder(13).to(x.dtype)
    y.backward(g)
    sums = np.zeros((3, 41))
    for window in range(y.shape[1]):
        sums[:, window * step : window * step + size] += g.numpy()[:, window]
    assert np.array_equal(x.grad.numpy(), sums)
