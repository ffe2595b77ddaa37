"""Errors of `x[...]` and `x[...] = v`, which precede any change."""

import numpy as np
import pytest
from elements import make, values_of
from indices import MASK1, array, show

import facula_tensor as ft
from facula_errors.testing import raises

ERRORS = [
    (3, IndexError, "3"),
    (-4, IndexError, "-4"),
    ((0, 4), IndexError, "4"),
    ((0, 0, 0, 0), IndexError, "at most 3 indices for shape (3, 4, 5); got 4"),
    ([0, 3], IndexError, "index 3 at position 1"),
    ((slice(None), [0, 1, -5]), IndexError, "index -5 at position 2"),
    (np.array([0, 1, 9]), IndexError, "index 9 at position 2"),
    (np.array([True, False]), IndexError, "(2,)"),
    ((..., ...), IndexError, "ellipsis"),
    *((index, kind, "") for index in (1.0, np.array([0.5]), [0.0, 1.0]) for kind in (TypeError, IndexError)),
    *((np.array(index, np.uint8), kind, "uint8") for index in ([0, 1], []) for kind in (TypeError, IndexError)),
    ("a", TypeError, "str"),
    ("a", IndexError, "str"),
    (slice(None, None, -1), ValueError, "step"),
    (slice(None, None, 0), ValueError, "step"),
    (slice(0.5, None), TypeError, ""),
]


@pytest.mark.parametrize(("index", "kind", "text"), ERRORS, ids=[show(case[0]) for case in ERRORS])
def test_errors_of_get(index, kind, text):
    with raises(kind, "getitem", text):
        make(array(), "float64")[index]


@pytest.mark.parametrize(("index", "kind", "text"), ERRORS, ids=[show(case[0]) for case in ERRORS])
def test_errors_of_set_change_nothing(index, kind, text):
    x = make(array(), "float64")

    def assign():
        x[index] = 9.0

    with raises(kind, "setitem", text):
        assign()
    assert np.array_equal(values_of(x), array())
    assert x._version == 0


@pytest.mark.parametrize("index", [0, slice(0, 2), [0, 1], MASK1, (..., 1)], ids=show)
def test_values_of_wrong_shape_change_nothing(index):
    x = make(array(), "float64")
    for value in (ft.ones(7), ft.ones(2, 2, 2, 2, 2, 3), 1j, ft.ones(1, dtype=ft.complex64), "text", None):
        with pytest.raises((ValueError, TypeError)):
            x[index] = value
    assert np.array_equal(values_of(x), array())
    assert x._version == 0


def test_a_number_out_of_range_changes_nothing():
    x = ft.zeros(3, dtype=ft.uint8)
    with raises(OverflowError, "setitem", "300"):
        x[0] = 300
    with raises(OverflowError, "setitem", "-1"):
        x[[0, 1]] = -1
    assert x.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "index",
    [[[0, 1], [1, 2]], [slice(0, 1), [1]], [None, 0], [..., 1], [ft.tensor([0, 1]), 1], [[True, False]]],
    ids=str,
)
def test_a_list_with_other_items_than_numbers_is_a_tuple(index):
    x = ft.arange(24).reshape(2, 3, 4)
    with pytest.warns(FutureWarning, match=r"is read as x\[a, b\]") as heard:
        assert ft.equal(x[index], x[tuple(index)])
    assert heard[0].filename == __file__
    changed, expected = x.clone(), x.clone()
    with pytest.warns(FutureWarning):
        changed[index] = -1
    expected[tuple(index)] = -1
    assert ft.equal(changed, expected)


def test_overlapping_targets_are_rejected():
    x = ft.zeros(1, 3).expand(2, 3)
    with raises(RuntimeError, "setitem", "share"):
        x[:] = 1
    with raises(RuntimeError, "setitem", "share"):
        x[[0, 1]] = 1


def test_leaf_that_requires_a_gradient():
    x = ft.zeros(3, requires_grad=True)
    with raises(RuntimeError, "setitem", "leaf"):
        x[0] = 1
    with raises(RuntimeError, "setitem", "leaf"):
        x[[0, 1]] = 1
    assert x.detach().tolist() == [0.0, 0.0, 0.0]
