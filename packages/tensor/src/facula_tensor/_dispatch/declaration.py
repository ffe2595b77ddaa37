"""The decorators that turn a declaration into functions: `elementwise`, `operator`, `view`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback

from .._core.errors import named
from .._core.tensor import Tensor
from .._forms._dispatch.fast.inplace import make_accumulate, make_inplace, make_inplace_ternary, make_inplace_unary
from .._forms._dispatch.fast.many import make_elementwise, make_many
from .._forms._dispatch.fast.pairs import make_double, make_pair
from .._forms._dispatch.fast.ternary import make_ternary
from .._forms._dispatch.fast.unary import make_binary, make_number_first, make_unary
from .namespaces import inplace_ops, no_record_ops, operators, recorded_ops
from .operator import Operator
from .rules.parts import adding_parts
from .signatures import set_signature
from .slow_path.alpha import with_alpha
from .slow_path.complex_numbers import with_complex
from .slow_path.inplace import slow_inplace
from .slow_path.slow_call import call_into, slow_call
from .view_call import make_view
from .written import takes_inplace, written_operator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from facula_storage import Layout

    from .._core.types import Function, Operand, Operands, Parameters, Scalar
    from .view_call import Window


def elementwise(body: type) -> Function:
    """Declare an operator on each element of operands that broadcast and promote.

    Makes the public function, the method of the same name and, if the result has the operands' dtype, the
    in-place method with an underscore. `dunders` names Python's own operators,
    `reflected` those with swapped operands.
    """
    op = Operator(body, is_elementwise=True)
    function = _finish(op)
    said = vars(body)
    written, private = "signature" in said, body.__name__.startswith("_")
    if not (written or private):
        _attach(op.name, function)
    for name in said.get("dunders", ()):
        _attach(name, op.call)
    for name in said.get("reflected", ()):
        reflect(op, name)
    by_kernel = said.get("changes") and not takes_inplace(op.signature)  # activations: fewer steps while recorded
    if op.inplace and (by_kernel or not (written or private)):
        _change_inplace(op, said, public=not (written or private))
    return written_operator(op, body) if written else function


def _change_inplace(op: Operator, said: Mapping[str, Any], public: bool) -> None:
    """Give an operator the functions that change their first operand; one becomes the method if `public`."""
    op.changing, called = _inplace_functions(op)
    setattr(inplace_ops, op.name, called)
    for changing in {op.changing, called}:
        _name(changing, op, op.name + "_")
        set_signature("in place", changing, op)
        changing.__doc__ = f"`{op.name}` in place: changes this tensor and returns it."
    if op.arity == 2 and op.is_fast:
        setattr(no_record_ops, op.name + "_into", make_accumulate(op))
    for name in (*[f"{op.name}_"] * public, *said.get("inplace_dunders", ())):
        _attach(name, op.changing)


def operator(body: type) -> Function:
    """Declare any other operator with plans. Makes the function `(*tensors, parameters)` and no method; with a
    `signature`, the generated public function.
    """
    op = Operator(body, is_elementwise=False)
    function = _finish(op)
    return written_operator(op, body) if "signature" in vars(body) else function


def view(body: type) -> Function:
    """Declare an operator whose result shares the operand's memory. Makes the function `(tensor, *parameters)`
    and the method.

    `window(layout, *parameters)` returns the result's window of the operand's memory: a layout, and the byte
    offset from the operand's first element to the result's. `named` contains aliases of the first two
    parameters. With `is_part`, the result contains each of its elements once, and others are left out.
    """
    op = Operator(body, is_elementwise=False)
    window, rule = vars(body)["window"], op.rule
    if vars(body).get("is_part"):
        rule.add_to = adding_parts(op)
    cached = vars(body).get("cached", True)
    op.window, op.named = window, vars(body).get("named", ())

    def find(layout: Layout, *parameters: object) -> Window:
        return (*window(layout, *parameters), rule, parameters)

    op.call, op.no_record = (
        make_view(op.name, find, cached, record=True, named=op.named),
        make_view(op.name, find, cached, record=False),
    )
    op.library_call = make_view(op.name, find, cached, record=True, library_call=True)
    function = _publish(op, op.call)
    if "signature" in vars(body):
        return written_operator(op, body)
    if not body.__name__.startswith("_"):
        _attach(op.name, function)
    return function


def under(name: str, doc: str) -> Callable[[type], type]:
    """Set the name and docstring of a class declared inside a function, once for each operator of a family.
    Apply it below the decorator that makes the operator.
    """

    def rename(body: type) -> type:
        body.__name__, body.__doc__ = name, doc
        return body

    return rename


def _finish(op: Operator) -> Function:
    return _publish(op, make_calls(op))


def make_calls(op: Operator) -> Function:
    """Give an operator the functions that call it; return the public one."""
    op.make_calls = make_calls  # for its gradient operators
    if op.arity < 0:
        op.call = op.default_mode_call = op.library_call = _variadic_function(op, record=True)
        op.no_record = _variadic_function(op, record=False)
        return op.call
    if op.is_fast:
        made: Function = make_unary if op.arity == 1 else make_binary
    elif op.arity == 3 and len(op.results) == 1 and not op.mutates:
        made = make_ternary
    elif op.arity == 2 and len(op.results) == 1 and not (op.mutates or op.optional or op.elementwise):
        made = make_double
    elif op.arity == 1 and len(op.results) == 2 and not (op.mutates or op.optional):
        made = make_pair
    else:
        made = make_many
    op.finds_complex_rules = made is not make_many
    many = made is make_many and op.elementwise
    op.call = made(op, record=True, checked=True)
    op.no_record = make_elementwise(op) if many else made(op, record=False, checked=False)
    op.default_mode_call = made(op, record=True, checked=False, library_call=True)
    op.library_call = made(op, record=True, checked=True, library_call=True)
    return _binary_function(op) if made is make_binary else op.call


def _publish(op: Operator, public: Function) -> Function:
    known = operators.get(op.name)
    if known is not None and known.declared_at != op.declared_at and op.module.startswith("facula_tensor."):
        raise ArgumentError(
            f"{op.name}: expected one declaration; got another at {op.declared_at[0]}:{op.declared_at[1]}, beside that "
            f"at {known.declared_at[0]}:{known.declared_at[1]}; choose another name"
        )
    op.public = public
    operators[op.name] = op
    setattr(no_record_ops, op.name, op.no_record)
    setattr(recorded_ops, op.name, op.library_call)
    for function in {op.call, op.no_record, op.library_call, public}:
        _name(function, op, op.name)
        set_signature("function" if function is public else "operator", function, op)
    return public


def _name(function: Function, op: Operator, name: str) -> None:
    function.__code__ = function.__code__.replace(co_name=name, co_qualname=name)  # for profilers and tracebacks
    function.__name__ = function.__qualname__ = name
    function.__module__, function.__doc__ = op.module, op.doc
    function.operator = op  # type: ignore[attr-defined]


def _attach(name: str, function: Function) -> None:
    setattr(Tensor, name, function)


def reflect(op: Operator, name: str) -> None:
    """Return the method `x.__rsub__(other)` of an operator `-`: `other - x`."""
    number_first = (
        make_number_first(op, record=True, checked=True, library_call=True) if op.elementwise and op.is_fast else None
    )

    def reflected(self: Tensor, other: Operand) -> Tensor:
        try:
            if number_first is not None and (type(other) is float or type(other) is int):
                return number_first(other, self)
            if type(other) is complex and (result := with_complex(op, other, self, True)) is not None:
                return result
            return slow_call(op, (other, self), ())
        except FaculaError as error:
            trim_traceback(error)
            raise

    _name(reflected, op, name)
    _attach(name, reflected)


def public_form(function: Function) -> Function:
    """Make the decorated function the public function and method of the operator with its name."""
    op = operators[function.__name__]
    op.public = function
    function.operator = op  # type: ignore[attr-defined]
    _attach(op.name, function)
    return function


def _binary_function(op: Operator) -> Function:
    """Return the public form of an operator with two operands: with `out`, and a TypeError instead of
    NotImplemented."""
    call = op.library_call

    def function(input: Operand, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
        try:
            if type(alpha) is not int or alpha != 1:
                return with_alpha(op, input, other, alpha, out)
            result = call(input, other) if out is None else call_into(op, (input, other), (), out)
            if result is NotImplemented:
                raise named(
                    InvalidTypeError(
                        f"{op.name}: cannot use {type(input).__name__} with {type(other).__name__}; "
                        "pass tensors or numbers"
                    )
                )
            return result
        except FaculaError as error:
            trim_traceback(error)
            raise

    return function


def _variadic_function(op: Operator, *, record: bool) -> Function:
    """Return the form of a variadic operator that takes a tuple of operands before the parameters."""

    def variadic(operands: Operands, parameters: Parameters = (), out: Tensor | None = None) -> Tensor:
        try:
            return slow_call(op, tuple(operands), parameters, record, out)
        except FaculaError as error:
            trim_traceback(error)
            raise

    return variadic


def _inplace_functions(op: Operator) -> tuple[Function, Function]:
    """Return the public function, and the one that generated functions call."""
    made = make_inplace if op.arity == 2 else make_inplace_unary if op.arity == 1 else make_inplace_ternary
    if (op.is_fast or (op.arity == 3 and op.signature is not None)) and not op.parameters:
        return made(op), made(op, library_call=True)

    def changing(input: Tensor, *others: Operand) -> Tensor:
        if len(others) != op.arity - 1:
            raise InvalidTypeError(f"{op.name}_: expected {op.arity} operands; got {len(others) + 1}")
        return slow_inplace(op, (input, *others))

    return (boundary(changing),) * 2
