"""Surplus arguments of operators, and comparison of tensors with foreign objects."""

import facula_tensor as ft
from facula_errors.testing import raises


def test_a_unary_operator_takes_one_tensor():
    a = ft.ones(2)
    for function in (ft.relu, ft.exp, ft.Tensor.neg):
        for surplus in ((True,), (a,), ("x",), (a, a)):
            with raises(TypeError, function.__name__, "takes one tensor"):
                function(a, *surplus)


def test_sequences_are_repeated_by_integers():
    """As in PyTorch: tensors of one integer are indices."""
    assert [0, 1] * ft.tensor(2) == ft.tensor([2]) * [0, 1] == [0, 1, 0, 1]
    assert "ab" * ft.tensor(2, dtype=ft.int8) == "abab" and (None,) * ft.tensor(0) == ()
    for other in (ft.tensor(2.0), ft.tensor([1, 2])):
        with raises(TypeError, "mul", "got list"):
            [0] * other
    with raises(TypeError, "mul", "list"):
        ft.mul(ft.tensor(2), [0])


def test_a_tensor_equals_no_foreign_object():
    a = ft.ones(2)
    for foreign in (None, "x", object()):
        assert (a == foreign) is False
        assert (a != foreign) is True
    with raises(TypeError, "eq"):
        ft.eq(a, None)
