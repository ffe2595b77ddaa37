"""Elementwise declarations of users: errors in classes, and errors of rules that return no gradient."""

import math

import pytest

import facula_tensor as ft
from facula_autograd import grad, gradcheck
from facula_errors import ArgumentError, InvalidTypeError, UnsupportedError
from facula_errors.testing import raises
from facula_tensor import func, library


def declare(name, **body):
    return library.elementwise(type(name, (), body))


def identity(F, input):
    return input * 1.5


DECLARATIONS = {
    "an unknown operand": ({"no_gradient": ("zz",)}, ArgumentError, "no_gradient to be a tuple of names in ... 'zz'"),
    "two derivatives": (
        {"vjp_input": lambda F, g: g, "partial_input": lambda F: 1.0},
        ArgumentError,
        "expected one derivative with respect to 'input'; got vjp_input and partial_input",
    ),
    "a derivative of none": (
        {"vjp_input": lambda F, g: g, "no_gradient": ("input",)},
        ArgumentError,
        "expected one derivative ... vjp_input and no_gradient",
    ),
    "equal names": ({"inputs": ("a", "a")}, ArgumentError, "inputs of different names"),
    "a keyword": ({"inputs": ("lambda",)}, ArgumentError, "'lambda' cannot name an operand"),
    "a rule's name": ({"inputs": ("g",)}, ArgumentError, "'g' cannot name an operand"),
    "no tuple": ({"inputs": "x"}, InvalidTypeError, "inputs to be a tuple of names ... got 'x'"),
    "no names": ({"inputs": ()}, InvalidTypeError, "inputs to be a tuple of names"),
    "Python's operator": ({"dunders": ("__add__",)}, ArgumentError, "'dunders' is for facula's own operators"),
    "parameters": ({"parameters": ("k",)}, ArgumentError, "'parameters' is for facula's own operators"),
    "a number of operands": ({"arity": 5}, ArgumentError, "'arity' is for facula's own"),
    "no function": ({"value": 3}, InvalidTypeError, "expected value to be a function; got int"),
    "no dtype function": (
        {"compute_dtype": "float"},
        InvalidTypeError,
        "compute_dtype to be a function; got str",
    ),
    "too few": ({"value": lambda F: 1.0}, InvalidTypeError, "expected value(F, input); too many"),
    "too many": ({"value": lambda F, x, y: x}, InvalidTypeError, "expected value(F, input); missing"),
    "an unknown value": ({"vjp_input": lambda F, g, zz: g}, InvalidTypeError, "vjp rules ask for ['zz']"),
    "a rule without g": ({"vjp_input": lambda F: 1}, InvalidTypeError, "expected vjp_input(F, g, ...)"),
}


@pytest.mark.parametrize("what", DECLARATIONS)
def test_invalid_classes_are_rejected(what):
    body, error, message = DECLARATIONS[what]
    with raises(error, "own_wrong", message):
        declare("own_wrong", **{"value": identity, **body})
    assert not hasattr(ft.Tensor, "own_wrong")


VALUES = {
    "nothing": (lambda F, input: None, InvalidTypeError, "an expression of the operands to be returned; got NoneType"),
    "two results": (lambda F, input: (input, input), InvalidTypeError, "to be returned; got tuple"),
    "a function of tensors": (lambda F, input: ft.sin(input), UnsupportedError, "call the operators of F (F.sin"),
    "Python's mathematics": (
        lambda F, input: math.sin(input),
        UnsupportedError,
        "use the operators of F",
    ),
    "a product": (lambda F, input: input @ input, UnsupportedError, "`@` are not elementwise"),
    "an element": (lambda F, input: input[0], UnsupportedError, "indexing ... not elementwise"),
    "a branch": (lambda F, input: input if input > 0 else 0.0, UnsupportedError, "use where(condition"),
    "an unknown operator": (lambda F, input: F.sinn(input), UnsupportedError, "sinn: there is no operator"),
}


@pytest.mark.parametrize("what", VALUES)
def test_invalid_values_are_rejected_on_first_use(what):
    value, error, message = VALUES[what]
    with raises(error, "own_value", "value", message):
        declare("own_value", value=value)(ft.ones(2))


RULES = {
    "a number": (lambda F, g, input: 2.0, InvalidTypeError, "own_rule: expected vjp_input to return ... got float 2.0"),
    "nothing": (lambda F, g, input: None, InvalidTypeError, "own_rule: expected vjp_input to return ... got NoneType"),
    "another shape": (
        lambda F, g, input: F.sum(g, ((0,), False)),
        ArgumentError,
        "own_rule: expected vjp_input to return a gradient like g, float32 (3,); got float32 ()",
    ),
    "another dtype": (lambda F, g, input: g.double(), ArgumentError, "own_rule: like g ... got float64 (3,)"),
    "a call without parameters": (lambda F, g, input: F.sum(g), InvalidTypeError, "sum: expected (dims, keepdim)"),
}


@pytest.mark.parametrize("what", RULES)
def test_a_rule_without_a_gradient_is_named(what):
    rule, error, message = RULES[what]
    op = declare("own_rule", value=lambda F, input: input * input, vjp_input=rule)
    x = ft.ones(3, requires_grad=True)
    fused = library.fuse(lambda x: op(x) * 2)
    backward = [lambda: op(x).sum().backward(), lambda: func.jvp(op, (x.detach(),), (x.detach(),))]
    backward += [lambda: fused(x).sum().backward()] if what in ("a number", "nothing") else []
    for call in backward:
        with raises(error, message):
            call()


def test_errors_name_operands_without_a_derivative():
    op = declare("own_constant", value=lambda F, input: input * 2, no_gradient=("input",))
    both = declare("own_half", inputs=("x", "y"), value=lambda F, x, y: x * y, no_gradient=("y",))
    x, y = ft.ones(3, requires_grad=True), ft.ones(3)
    assert op(y).tolist() == [2.0] * 3 and not op(y).requires_grad
    wanted = {
        "backward": lambda: op(x).sum().backward(),
        "of the second": lambda: both(y, x).sum().backward(),
        "grad": lambda: func.grad(lambda x: op(x).sum())(y),
        "jvp": lambda: func.jvp(op, (y,), (y,)),
        "jacfwd": lambda: func.jacfwd(lambda x: both(y, x))(y),
        "fused": lambda: library.fuse(lambda x: op(x) * x)(x).sum().backward(),
    }
    for what, call in wanted.items():
        name, operand = ("own_half", "y") if what in ("of the second", "jacfwd") else ("own_constant", "input")
        with raises(UnsupportedError, name, f"'{operand}' has no derivative"):
            pytest.fail(f"{what}: {call()}")
    assert grad(both(x, y).sum(), x)[0].tolist() == [1.0] * 3
    assert grad((op(x.detach()) * x).sum(), x)[0].tolist() == [2.0] * 3


def test_bool_results_require_no_gradient():
    op = declare("own_positive", value=lambda F, input: input > 0, result_dtype=lambda dtype: ft.bool)
    x = ft.tensor([1.0, -1.0], requires_grad=True)
    assert op(x).tolist() == [True, False] and not op(x).requires_grad
    assert grad((x * op(x)).sum(), x)[0].tolist() == [1.0, 0.0]


def test_rules_with_python_operators_record_no_nodes():
    bodies = {
        "own_exp_out": {"vjp_input": lambda F, g, out: g * out},
        "own_exp_both": {"vjp_input": lambda F, g, input, out: g * out + 0.0 * g * input},
        "own_exp_partial": {"partial_input": lambda F, input, out: out + 0.0 * input},
    }
    for name, body in bodies.items():
        op = declare(name, value=lambda F, input: F.exp(input), **body)
        x = ft.tensor([0.5, -1.0], dtype=ft.float64, requires_grad=True)
        op(x).sum().backward()
        assert not x.grad.requires_grad and ft.allclose(x.grad, x.detach().exp())
        assert gradcheck(op, (x,))
        assert ft.allclose(func.jvp(op, (x.detach(),), (ft.ones_like(x),))[1], x.detach().exp())
        assert ft.allclose(getattr(x.detach().clone(), f"{name}_")(), x.detach().exp())


def test_operands_by_name_and_three_operands_in_place():
    pair = declare("own_pair", inputs=("x", "weight"), value=lambda F, x, weight: x * weight)
    three = declare(
        "own_between",
        inputs=("x", "low", "high"),
        value=lambda F, x, low, high: F.where(x < low, low, F.where(x > high, high, x)),
    )
    x = ft.tensor([1.0, 2.0, 3.0])
    assert pair(x, weight=2.0).tolist() == x.own_pair(weight=2.0).tolist() == [2.0, 4.0, 6.0]
    assert three(x, high=2.5, low=1.5).tolist() == x.own_between(1.5, 2.5).tolist() == [1.5, 2.0, 2.5]
    y = x.clone()
    assert y.own_between_(1.5, 2.5) is y and y.tolist() == [1.5, 2.0, 2.5]
    assert pair(x, 2.0, out=y) is y and y.tolist() == [2.0, 4.0, 6.0]
    for call in (lambda: pair(x), lambda: pair(x, 1.0, 2.0), lambda: pair(x, wait=2.0)):
        with raises(InvalidTypeError, "own_pair", "its operands are x,"):
            call()
    with raises(InvalidTypeError, "own_between", "its operands are x,"):
        three(x, 1.0)
    with raises(InvalidTypeError, "own_between_", "expected 3 operands", value=2):
        x.own_between_(1.0)


def test_rules_of_three_operands_need_no_reduction():
    op = declare(
        "own_product",
        inputs=("x", "y", "z"),
        value=lambda F, x, y, z: x * y * z,
        vjp_x=lambda F, g, y, z: g * y * z,
        vjp_y=lambda F, g, x, z, y_layout: F.sum_to(g * x * z, y_layout),
        no_gradient=("z",),
    )
    x = ft.randn(3, dtype=ft.float64, requires_grad=True)
    y = ft.randn(2, 1, dtype=ft.float64, requires_grad=True)
    assert gradcheck(lambda x, y: op(x, y, ft.ones(2, 3, dtype=ft.float64)), (x, y))
