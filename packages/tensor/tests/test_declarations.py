"""Declarations: every attribute is used, or an error names it."""

import ast
import inspect
from pathlib import Path
from textwrap import dedent

import pytest

import facula_tensor as ft
from facula_autograd import grad
from facula_errors.testing import raises
from facula_storage import complex64
from facula_tensor import fft, functional, linalg
from facula_tensor._dispatch import autocast as _autocast
from facula_tensor._dispatch.expressions.evaluation import steps_of
from facula_tensor._dispatch.expressions.partials import parameter_names
from facula_tensor._dispatch.written import declared, function
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
    with raises(TypeError, "misspelt", f"no attribute '{wrong}'", f"the nearest is '{near}'"):
        decorator(body)
    assert "misspelt" not in operators


def test_rules_of_named_operands_are_found():
    body = type("_spelt", (), {"__doc__": "Rejected for its attribute z.", "inputs": ("x", "y"), "vjp_y": None, "z": 1})
    with raises(TypeError, "spelt", "no attribute 'z'"):
        elementwise(body)


def test_a_name_is_declared_once():
    """Two operators were once declared with the same name, and one of them computed for both."""
    former = operators["exp"]
    body = type("_exp", (), {"__doc__": "Another.", "__module__": "facula_tensor.ops.others"})
    with raises(ValueError, "exp", "expected one declaration", "beside that at", ".py", value="another at"):
        elementwise(body)
    assert operators["exp"] is former


@pytest.mark.parametrize("flag", [{"inplace": True}, {}])
def test_a_declaration_has_inplace_or_out(flag):
    def twice(input: ft.Tensor, inplace: bool = False) -> ft.Tensor:
        """Return the double."""

    with raises(TypeError, "twice", "inplace= or with out=", "leave one out", value="both"):
        function(out=True, **flag)(twice)
    assert "twice" not in [one.name for one in declared[-1:]]


def test_every_name_listed_for_autocast_is_an_operator_or_a_function():
    assert set(operators) >= _autocast.LISTED
    places = (ft, functional, linalg, fft)
    assert [
        name for name in sorted(_autocast.LISTED_FUNCTIONS) if not any(hasattr(place, name) for place in places)
    ] == []


# ------------------------------------------------------------------------------------------- symbols in rules
WITH_SYMBOLS = set(
    "abs add bitwise_and bitwise_not bitwise_or bitwise_xor div eq ge gt le logical_not lt mul ne neg pow sub".split()
)
CALLS_F = dict.fromkeys(("pow", "_pow_grad"), "their rules branch on the values of numbers")


def rules_in(source):
    """The rules of elementwise declarations in a source: (the operator's class, the rule's tree)."""
    for body in ast.walk(ast.parse(source)):
        if isinstance(body, ast.FunctionDef) and any(
            ast.unparse(decorator).startswith("unary(") for decorator in body.decorator_list
        ):
            yield body.name, body
        if isinstance(body, ast.ClassDef) and "elementwise" in map(ast.unparse, body.decorator_list):
            for statement in body.body:
                if isinstance(statement, ast.FunctionDef) and statement.name.startswith(
                    ("vjp", "partial", "value", "jvp")
                ):
                    yield body.name, statement


def called(rule):
    """The operators of F that a rule calls in place of Python's."""
    return [
        call.func.attr
        for call in ast.walk(rule)
        if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("F.") and call.func.attr in WITH_SYMBOLS
    ]


def test_rules_of_elementwise_operators_are_written_with_symbols():
    found = [
        f"{path.name}, {name}.{rule.name}: F.{operator}"
        for path in Path(ft.__file__).parent.rglob("*.py")
        for name, rule in rules_in(path.read_text())
        for operator in called(rule)
        if name not in CALLS_F
    ]
    assert not found, "use Python's operators (Note [Symbols in rules]):\n" + "\n".join(found)


def test_a_call_in_place_of_a_symbol_is_found():
    source = (
        "@elementwise\nclass exp:\n    def vjp_input(F, g, out):\n        return F.where(out > 0, F.mul(g, out), g)\n"
    )
    assert [called(rule) for _, rule in rules_in(source)] == [["mul"]]


def has_symbols(rule):
    source = ast.parse(dedent(inspect.getsource(rule))).body[0]
    written = [node for node in ast.walk(source) if isinstance(node, (ast.BinOp, ast.Compare, ast.UnaryOp))]
    return not isinstance(source, ast.FunctionDef) or bool(written)


ELEMENTWISE = sorted(
    name
    for name, op in operators.items()
    if op.elementwise and op.vjps and op.value is None and op.module.startswith("facula_tensor.ops")
)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_rules_with_symbols_never_receive_tensors(name):
    """They would record, because saved values may require gradients."""
    op = operators[name]
    is_complex = op.accepts is None or op.accepts(complex64)
    for operand, rule in op.vjps.items():
        declared = getattr(rule, "declared", rule)
        if name in CALLS_F or not has_symbols(declared):
            continue
        asked = parameter_names(rule)
        for kind in (False, True) if is_complex else (False,):
            kinds = [(kind, *[kind] * len(asked))]
            if op.is_fast and not is_complex:
                kinds += [
                    (kind, *[float if argument == number else kind for argument in asked]) for number in op.inputs
                ]
            for each in kinds:
                assert steps_of(declared, each) is not None, f"vjp_{operand} cannot be traced for {each}"


def test_backward_passes_of_leaves_record_nothing():
    """The rule of mul multiplies by the other operand, a leaf; with tensors, Python's operator would record."""
    for dtype in (ft.float64, ft.complex128):
        a, b = [ft.ones(3, dtype=dtype, requires_grad=True) for _ in range(2)]
        for result in (a * b, a / b, ft.addcmul(a, a, b), (a * 2).exp() * b, a**b):
            assert not any(g.requires_grad for g in grad(result, (a, b), ft.ones(3, dtype=dtype)))
