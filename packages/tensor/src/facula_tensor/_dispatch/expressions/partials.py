"""Derivatives of traces, from the operands forward, by the rules of the operators in the trace.

The derivative of a selection (`where`) is the selection of the derivatives, so unselected values are never
multiplied. An elementwise rule serves in both directions: applied to a tangent, it returns the tangent of the
result.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from facula_errors import UnsupportedError
from facula_storage import bool_, float32, float64

from ..._core.promotion import result_type
from ..namespaces import no_record_ops, operators, recorded_ops
from .symbols import SIMPLER, NotElementwiseError, Symbol, Trace, record_symbolic_call, symbol_ops

if TYPE_CHECKING:
    from ..._core.types import Function
    from ..operator import Operator

NUMBERS = (float, int, bool)
NUMBERS_LAST = frozenset("copysign eq ge gt le lt ne".split())  # their first operand is a tensor


def parameter_names(rule: Function, given_first: int = 2) -> tuple[str, ...]:
    """Return the names of a rule's arguments after F and g, in order; for a derivative, which has no g, those
    after F."""
    given: tuple[str, ...] | None = getattr(rule, "parameter_names", None)
    if given is not None:
        return given
    code = rule.__code__
    return tuple([name.lstrip("_") for name in code.co_varnames[given_first : code.co_argcount]])


def partial_of(result: Any, operand: Symbol) -> Any:
    """Return the derivative of a symbol with respect to an operand of its trace: a symbol or a number; 0 if
    independent."""
    if not isinstance(result, Symbol):
        return 0
    trace = operand.trace
    tangents: dict[int, Any] = {operand.number: 1}
    for number in range(operand.number + 1, result.number + 1):
        op, arguments = trace.entries[number]
        if op is None:
            continue
        given = [tangents.get(argument.number) if isinstance(argument, Symbol) else None for argument in arguments]
        if any([part is not None for part in given]):
            tangent = _tangent(op, arguments, given, Symbol(trace, number, False))
            if tangent is not None:
                tangents[number] = tangent
    return tangents.get(result.number, 0)


def _tangent(op: Operator, arguments: tuple[Any, ...], given: list[Any], out: Symbol) -> Any:
    """Return the tangent of a call's result, given those of its arguments (None for 0)."""
    if op.name == "where":
        return symbol_ops.where(arguments[0], *[0 if tangent is None else tangent for tangent in given[1:]])
    if op.result_dtype(float32) is bool_ or not op.vjps:  # an operator without rules is not recorded either
        return None
    total = None
    for name, tangent in zip(op.inputs, given, strict=True):
        if tangent is None:
            continue
        if name not in op.vjps:
            raise UnsupportedError(f"{op.name}: '{name}' has no derivative; use .detach() on it")
        part = apply_rule(op, name, tangent, arguments, out)
        if isinstance(part, Symbol) or part:
            total = part if total is None else symbol_ops.add(total, part)
    return total


def apply_rule(op: Operator, name: str, g: Any, arguments: tuple[Any, ...], out: Any) -> Any:
    """Return the symbolic result of an operand's rule for `g`."""
    rule = op.vjps[name]
    places = dict(zip(op.inputs, arguments, strict=True))
    places.update({"out": out, **{f"{operand}_layout": None for operand in op.inputs}})
    try:
        values = [places[place] for place in parameter_names(rule)]
    except KeyError as error:
        raise NotElementwiseError(
            f"{op.name}: its rule has the unknown argument {error}; use some of {', '.join(places)}"
        ) from None
    return rule(symbol_ops, g, *values)


def function_of(F: Any, op: Operator) -> Function:
    """Return an operator from a namespace; also one that is not published there, such as a fused function or a
    gradient."""
    if operators.get(op.name) is op:
        found: Function = getattr(F, op.name)
        return found
    if F is symbol_ops:
        return partial(record_symbolic_call, op)
    return op.library_call if F is recorded_ops else op.no_record


def takes_numbers(op: Operator, numbers: list[bool]) -> bool:
    """Return whether an operator takes numbers in these places, next to tensors."""
    if all(numbers):
        return False
    if op.name == "where":  # two numbers would give a result of the default dtype
        return not numbers[0] and not all(numbers[1:])
    return op.validate_layouts is None or (op.name in NUMBERS_LAST and not numbers[0])


def _call(F: Any, op: Operator, values: list[Any]) -> Any:
    """Call an operator on the values of a trace, where operands, and results computed from them alone, may be
    numbers.

    For numbers alone, compute a number in float64. Next to tensors, numbers become tensors unless the operator
    takes numbers.
    """
    numbers = [type(value) in NUMBERS for value in values]
    if F is symbol_ops or not any(numbers):
        return record_symbolic_call(op, *values) if all(numbers) else function_of(F, op)(*values)
    if op.name == "where" and numbers[0]:
        return values[1] if values[0] else values[2]
    if all(numbers):
        if op.name in SIMPLER:
            found = SIMPLER[op.name](*values)
            if found is not None:
                return found
        return function_of(no_record_ops, op)(*[no_record_ops.from_number(value, float64) for value in values]).item()
    if not takes_numbers(op, numbers):
        dtype = result_type(*values[op.mask_operands :])
        values = [
            no_record_ops.from_number(value, dtype) if is_number else value
            for value, is_number in zip(values, numbers, strict=True)
        ]
    return function_of(F, op)(*values)


def replay(F: Any, trace: Trace, result: Any, operands: dict[int, Any]) -> Any:
    """Evaluate a trace's result in a namespace: on tensors, or on symbols.

    Arguments:
        F: the namespace.
        trace: the trace.
        result: a symbol of it, or a number.
        operands: the operands, by the numbers of their symbols.
    """
    if not isinstance(result, Symbol):
        return result
    known = dict(operands)
    stack = [result.number]
    while stack:
        number = stack[-1]
        if number in known:
            stack.pop()
            continue
        op, arguments = trace.entries[number]
        missing = [
            argument.number for argument in arguments if isinstance(argument, Symbol) and argument.number not in known
        ]
        if missing:
            stack += missing
            continue
        assert op is not None  # operands are known
        values = [known[argument.number] if isinstance(argument, Symbol) else argument for argument in arguments]
        known[number] = _call(F, op, values)
    return known[result.number]
