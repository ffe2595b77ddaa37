"""Surplus arguments of operators, and comparison of tensors with foreign objects."""

import pytest

import facula_tensor as ft


def test_a_unary_operator_takes_one_tensor():
    a = ft.ones(2)
    for call in (lambda: ft.relu(a, True), lambda: ft.exp(a, a), lambda: a.neg("x"), lambda: ft.relu(a, a, a)):
        with pytest.raises(TypeError, match=r"takes one tensor|positional"):
            call()


def test_a_tensor_equals_no_foreign_object():
    a = ft.ones(2)
    for foreign in (None, "x", object()):
        assert (a == foreign) is False
        assert (a != foreign) is True
    with pytest.raises(TypeError, match="eq"):
        ft.eq(a, None)
