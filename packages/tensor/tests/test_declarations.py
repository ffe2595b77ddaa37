"""Declarations: every attribute is used, or an error names it."""

import pytest

import facula_tensor as ft
from facula_tensor import fft, functional, linalg
from facula_tensor._dispatch import autocast as _autocast
from facula_tensor.extend import elementwise, operator, operators


@pytest.mark.parametrize(
    ("decorator", "wrong", "near"),
    [
        (elementwise, "vj_input", "vjp_input"),
        (elementwise, "acepts", "accepts"),
        (elementwise, "inplace_dunder", "inplace_dunders"),
        (operator, "output", "outputs"),
        (operator, "vjp_put", "vjp_input"),
        (operator, "optionals", "optional"),
    ],
)
def test_unused_attributes_are_rejected(decorator, wrong, near):
    body = type("_misspelt", (), {"__doc__": "Rejected.", wrong: lambda *operands: operands})
    with pytest.raises(TypeError, match=f"^misspelt: .* no attribute '{wrong}'; the nearest is '{near}'"):
        decorator(body)
    assert "misspelt" not in operators


def test_rules_of_named_operands_are_found():
    body = type("_spelt", (), {"__doc__": "Rejected for its attribute z.", "inputs": ("x", "y"), "vjp_y": None, "z": 1})
    with pytest.raises(TypeError, match=r"spelt: .* no attribute 'z'"):
        elementwise(body)


def test_a_name_is_declared_once():
    """Two operators were once declared with the same name, and one of them computed for both."""
    former = operators["exp"]
    body = type("_exp", (), {"__doc__": "Another.", "__module__": "facula_tensor.ops.others"})
    with pytest.raises(ValueError, match=r"exp: expected one declaration; got another at .*beside that at .*\.py"):
        elementwise(body)
    assert operators["exp"] is former


def test_every_name_listed_for_autocast_is_an_operator_or_a_function():
    assert set(operators) >= _autocast.LISTED
    places = (ft, functional, linalg, fft)
    assert [name for name in sorted(_autocast.LISTED_FUNCTIONS) if not any(hasattr(one, name) for one in places)] == []
