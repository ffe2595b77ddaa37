"""Binary operators with a number: the result and the gradient equal those with a tensor of that number."""

from __future__ import annotations

import operator
import sys
from pathlib import Path

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises

sys.path.insert(0, str(Path(__file__).parent.parent / "operators"))
from cases import CASES
from elements import operands

TWO = [case for case in CASES if case.elementwise and case.arity == 2 and "float64" in case.dtypes]


@pytest.mark.parametrize("first", [False, True], ids=["second", "first"])
@pytest.mark.parametrize("case", TWO, ids=str)
def test_a_number_equals_a_tensor_of_it(case, first):
    array, other = operands(case, "float64", "contiguous")
    number = float(np.ravel(other if not first else array)[0])
    values = other if first else array

    def call(x, number):
        return case.function(number, x) if first else case.function(x, number)

    x = ft.tensor(values, requires_grad=True)
    try:
        made = call(x, number)
    except TypeError as error:
        assert "tensor" in str(error).lower()
        return
    y = ft.tensor(values, requires_grad=True)
    expected = call(y, ft.full(values.shape, number, dtype=ft.float64))
    np.testing.assert_array_equal(made.detach().numpy(), expected.detach().numpy())
    assert made.requires_grad == expected.requires_grad
    if made.requires_grad:
        made.sum().backward(), expected.sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-14, atol=1e-300)


ARITHMETIC = "add sub mul truediv floordiv mod pow matmul".split()


@pytest.mark.parametrize("name", ARITHMETIC)
def test_reflected_operators_of_other_types_are_called(name):
    own = type("Own", (), {f"__r{name}__": lambda self, other: (name, other)})()
    x = ft.ones(2, 2)
    answer, given = getattr(operator, name)(x, own)
    assert answer == name and given is x
    other = type("Other", (), {})()
    called = {"truediv": "div", "floordiv": "floor_divide", "mod": "remainder"}.get(name, name)
    with raises(TypeError, called, f"expected '{'exponent' if name == 'pow' else 'other'}' to be a Tensor"):
        getattr(operator, name)(x, other)
    function = ft.matmul if name == "matmul" else ft.add
    with raises(TypeError, function.__name__):
        function(x, own)


@pytest.mark.parametrize(("name", "mirrored"), [("lt", "gt"), ("le", "ge"), ("gt", "lt"), ("ge", "le")])
def test_reflected_comparisons_of_other_types_are_called(name, mirrored):
    own = type("Own", (), {f"__{mirrored}__": lambda self, other: mirrored})()
    assert getattr(operator, name)(ft.ones(2), own) == mirrored
    with raises(TypeError, name, "expected 'other' to be a Tensor or a number"):
        getattr(operator, name)(ft.ones(2), object())
