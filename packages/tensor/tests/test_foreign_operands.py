"""Surplus arguments of operators, and comparison of tensors with foreign objects."""

import facula_tensor as ft
from facula_errors.testing import raises


def test_a_unary_operator_takes_one_tensor():
    a = ft.ones(2)
    for function in (ft.relu, ft.exp, ft.Tensor.neg):
        for surplus in ((True,), (a,), ("x",), (a, a)):
            with raises(TypeError, function.__name__, "takes one tensor"):
                function(a, *surplus)


def test_a_tensor_equals_no_foreign_object():
    a = ft.ones(2)
    for foreign in (None, "x", object()):
        assert (a == foreign) is False
        assert (a != foreign) is True
    with raises(TypeError, "eq"):
        ft.eq(a, None)
