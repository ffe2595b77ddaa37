"""Checks of user-defined elementwise operators: of the class at its declaration, of its rules when they run."""

from __future__ import annotations

from inspect import signature
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import replace_mode
from facula_errors import ArgumentError, InvalidTypeError

from .._core.errors import show
from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.expressions.partials import parameter_names
from .._dispatch.expressions.symbols import Symbol
from .._dispatch.namespaces import no_record_ops
from .._dispatch.rules.rule_arguments import refusing_rule

if TYPE_CHECKING:
    from .._core.types import Function

# Attributes of a class besides `vjp_NAME` and `partial_NAME`. Built-in operators have further ones.
OWN = frozenset(
    "accepts compute_dtype holomorphic inplace inputs jvp kernel mask_operands no_gradient result_dtype "
    "validate_layouts validate_values value".split()
)
FUNCTIONS = ("accepts", "compute_dtype", "jvp", "result_dtype", "validate_layouts", "validate_values", "value")
NOT_OWN = frozenset(
    "arity batching bilinear cached decompose differentiable direct dunders execute inplace_dunders launch_scalars "
    "linear mutates optional outputs parameters program reads_values reflected results scaled vjp_all widens "
    "window".split()
)
TAKEN = frozenset(("F", "g", "out", "self", "edges"))  # reserved names in rules


def check_declaration(name: str, body: dict[str, Any]) -> None:
    """Raise an error for an invalid class body."""
    inputs = body.get("inputs", ("input",))
    if type(inputs) is not tuple or not inputs or not all([type(operand) is str for operand in inputs]):
        raise InvalidTypeError(f'{name}: expected inputs to be a tuple of names, such as ("input",); got {inputs!r}')
    for operand in inputs:
        if (
            not operand.isidentifier()
            or iskeyword(operand)
            or operand.startswith("_")
            or operand in TAKEN
            or operand.endswith("_layout")
        ):
            raise ArgumentError(f"{name}: {operand!r} cannot name an operand; choose another name")
    if len(set(inputs)) < len(inputs):
        raise ArgumentError(f"{name}: expected inputs of different names; got {inputs}")
    for key, given in body.items():
        if key in NOT_OWN:
            raise ArgumentError(f"{name}: {key!r} is for facula's own operators; expected one of {sorted(OWN)}")
        rule = key.startswith(("vjp_", "partial_"))
        if (key in FUNCTIONS or rule) and not (callable(given) and (hasattr(given, "__code__") or not rule)):
            raise InvalidTypeError(f"{name}: expected {key} to be a function; got {type(given).__name__}")
        first = ("F", "g") if key.startswith("vjp_") else ("F",)
        if rule and given.__code__.co_argcount < len(first):
            raise InvalidTypeError(f"{name}: expected {key}({', '.join(first)}, ...); it takes fewer arguments")
    without = body.get("no_gradient", ())
    if type(without) is not tuple or not {*without} <= {*inputs}:
        raise ArgumentError(f"{name}: expected no_gradient to be a tuple of names in {inputs}; got {without!r}")
    for operand in inputs:
        sources = [key for key in (f"vjp_{operand}", f"partial_{operand}") if key in body]
        sources += ["no_gradient"] if operand in without else []
        if len(sources) > 1:
            raise ArgumentError(
                f"{name}: expected one derivative with respect to {operand!r}; got {' and '.join(sources)}; remove one"
            )
        if f"partial_{operand}" in body and "value" not in body:
            raise ArgumentError(
                f"{name}: expected `value` for partial_{operand}; for a loop, define vjp_{operand}(F, g, ...)"
            )
    if "value" in body:
        _check_takes(name, "value", body["value"], ("F", *inputs))


def _check_takes(name: str, key: str, function: Any, arguments: tuple[str, ...]) -> None:
    try:
        signature(function).bind(*arguments)
    except TypeError as error:
        raise InvalidTypeError(f"{name}: expected {key}({', '.join(arguments)}); {error}") from None
    except ValueError:  # a C function without a signature
        pass


def with_checked_rules(name: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return the class body with rules that check their results; operands without a rule get one that raises."""
    inputs = body.get("inputs", ("input",))
    made = dict(body)
    result = body.get("result_dtype")
    for operand in inputs:
        rule = body.get(f"vjp_{operand}")
        if rule is not None:
            made[f"vjp_{operand}"] = checked_rule(name, operand, rule, keeps_dtype=result is None)
        elif "value" not in body:
            made[f"vjp_{operand}"] = refusing_rule(name, operand)
    return made


def checked_rule(name: str, operand: str, rule: Any, *, keeps_dtype: bool) -> Function:
    """Wrap a rule so that it raises an error if its result is not a valid gradient.

    Arguments:
        name: the name of the operator.
        operand: the operand to which the rule belongs.
        rule: the user's function.
        keeps_dtype: whether the operands have the dtype of the result's gradient.
    """
    key = f"vjp_{operand}"

    def checked(F: Any, g: Any, *values: Any) -> Any:
        if F is no_record_ops:
            with replace_mode(grad=False):  # Python operators in the rule would record
                found = rule(F, g, *values)
        else:
            found = rule(F, g, *values)
        if isinstance(found, (float, int)) and not isinstance(g, Tensor):  # g is the constant 1 of a program
            right = rule(F, g * 2, *values) == found * 2
        else:  # symbols are tensors as well
            right = isinstance(found, Tensor) or (type(g) is Symbol and found == 0)
        if not right:
            raise InvalidTypeError(
                f"{name}: expected {key} to return the gradient, which is g times something; got "
                f"{type(found).__name__}{f' {found}' if isinstance(found, (float, int)) else ''}"
            )
        if type(found) in (Symbol, float, int):
            return found
        _check_like(found, g, values)
        return found

    def _check_like(found: Tensor, g: Tensor, values: tuple[Any, ...]) -> None:
        given, wanted = layout_of_tensor(found), layout_of_tensor(g)
        shapes = [wanted.shape, *[value.shape for value in values if isinstance(value, Tensor)]]
        same = given.dtype is wanted.dtype if keeps_dtype else given.dtype.category == wanted.dtype.category
        if given.shape not in shapes or not same:
            raise ArgumentError(
                f"{name}: expected {key} to return a gradient like g, {show(wanted)}; got {show(given)}"
            )

    checked.parameter_names = parameter_names(rule)  # type: ignore[attr-defined]
    return checked
