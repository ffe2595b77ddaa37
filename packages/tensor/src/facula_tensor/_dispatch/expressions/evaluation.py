"""Rules of elementwise operators on tensors: a rule is traced once and then evaluated call by call.

Note [Symbols in rules]
~~~~~~~~~~~~~~~~~~~~~~~
Rules of elementwise operators are written with Python's operators: `g * out`. On tensors these would follow the
modes of users and record, because saved values may require gradients. So a rule never receives tensors: it is
called with symbols, once for each combination of numbers and complex operands. The calls in its trace are then made
in the namespace F of the backward pass. This takes as many Python calls as a rule that calls `F.mul(g, out)`.

A rule that is not elementwise, or that branches on the value of a number, cannot be traced. It is called with
tensors and must call F throughout.
"""

from __future__ import annotations

from operator import add, mul, neg, sub
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import UnsupportedError
from facula_storage.extend.layouts import COMPLEX

from ..._core.tensor import Tensor, layout_of_tensor
from ..namespaces import no_record_ops, recorded_ops
from .partials import function_of, parameter_names, takes_numbers
from .symbols import Symbol, Trace, symbol_ops

if TYPE_CHECKING:
    from ..._core.types import Function

Call = tuple[Any, tuple[int, ...], int]  # a function, the places of its arguments, and the place of its result
Kinds = tuple[bool | type, ...]  # of a gradient and values: whether a tensor is complex; the type of anything else

NUMBERS = (float, int, bool, complex)
OF_NUMBERS = {"add": add, "sub": sub, "mul": mul, "neg": neg}


class Steps(NamedTuple):
    """The calls of a trace, in order. Arguments and results have places in one list, which starts with the operands."""

    no_record: tuple[Call, ...]
    recorded: tuple[Call, ...]
    padding: tuple[Any, ...]  # constants, and places for results
    to_tensors: tuple[int, ...]  # places of numbers that operators do not take
    end: int


def traced_rule(declared: Function) -> Function:
    """Return the form of an elementwise operator's rule that evaluates its trace if called with tensors."""
    known: dict[Kinds, Steps | None] = {}

    def rule(F: Any, g: Any, *given: Any) -> Any:
        if F is symbol_ops:
            return declared(F, g, *given)
        values = [g, *given]
        kinds: Kinds = ()
        for value in values:
            if isinstance(value, Tensor):
                try:
                    kinds += (value._layout.dtype.category == COMPLEX,)
                except AttributeError:  # a subclass that overrides operators
                    kinds += (layout_of_tensor(value).dtype.category == COMPLEX,)
            else:
                kinds += (type(value),)
        try:
            steps = known[kinds]
        except KeyError:
            steps = known[kinds] = steps_of(declared, kinds)
        if steps is None:
            return declared(F, g, *given)
        no_record, recorded, padding, to_tensors, end = steps
        values += padding
        for place in to_tensors:
            values[place] = F.from_number(values[place], layout_of_tensor(g).dtype)
        get = values.__getitem__
        for call, places, place in no_record if F is no_record_ops else recorded:
            values[place] = call(*map(get, places))
        return values[end]

    if hasattr(declared, "may_alias_grad"):
        rule.may_alias_grad = True  # type: ignore[attr-defined]
    rule.parameter_names, rule.declared = parameter_names(declared), declared  # type: ignore[attr-defined]
    return rule


def direct_rule(rule: Function, numbers: frozenset[str]) -> Function:
    """Return a traced rule for real tensors and these numbers. A single call is made without a list of values."""
    declared = getattr(rule, "declared", None)
    if declared is None:
        return rule
    parameters = parameter_names(rule)
    steps = steps_of(declared, (False, *[float if name in numbers else False for name in parameters]))
    if steps is None:
        return declared  # type: ignore[no-any-return]
    if len(steps.no_record) > 1 or steps.to_tensors:
        return rule
    ((no_record, places, _),), ((recorded, _, _),) = steps.no_record, steps.recorded
    padding = steps.padding

    def from_gradient(F: Any, g: Any, *values: Any) -> Any:
        return no_record(g) if F is no_record_ops else recorded(g)

    def from_first(F: Any, g: Any, value: Any, *values: Any) -> Any:
        return no_record(g, value) if F is no_record_ops else recorded(g, value)

    def from_second(F: Any, g: Any, _: Any, value: Any, *values: Any) -> Any:
        return no_record(g, value) if F is no_record_ops else recorded(g, value)

    def from_any(F: Any, *values: Any) -> Any:
        get = (*values, *padding).__getitem__
        return (no_record if F is no_record_ops else recorded)(*map(get, places))

    made: Function = from_any
    if len(padding) == 1:  # no constants
        made = {(0,): from_gradient, (0, 1): from_first, (0, 2): from_second}.get(places, from_any)
    made.parameter_names = parameters  # type: ignore[attr-defined]
    return made


def steps_of(declared: Function, kinds: Kinds) -> Steps | None:
    """Return the calls of a rule for operands of these kinds; None if it cannot be traced, or has no calls."""
    trace = Trace()
    try:
        given: list[Any] = []
        for kind in kinds:
            symbol = trace.operand(is_number=kind in NUMBERS)
            if kind is True or kind is complex:
                trace.complex.add(symbol.number)
            given.append(symbol if isinstance(kind, bool) or kind in NUMBERS else None)
        result = declared(symbol_ops, *given)
        if type(result) is not Symbol or result.number < len(kinds) or trace.required:
            return None
        return _steps(trace, result, kinds)
    except (UnsupportedError, AttributeError, TypeError, ValueError):
        return None
    finally:
        trace.forget()


def _steps(trace: Trace, result: Symbol, kinds: Kinds, to_tensors: frozenset[int] = frozenset()) -> Steps | None:
    """Return the calls of a trace, given the places of numbers that are converted to tensors before the first call."""
    count = len(kinds)
    order = [number for number in trace.needed((result,)) if number >= count]
    last_use = {
        argument.number: n for n in order for argument in trace.entries[n].arguments if type(argument) is Symbol
    }
    places = {number: number for number in range(count)}  # of symbols
    numbers = {place for place, kind in enumerate(kinds) if kind in NUMBERS} - to_tensors  # places with numbers
    calls: list[tuple[Any, tuple[int, ...], int]] = []
    padding: list[Any] = []  # a constant, or None for results
    free: list[int] = []  # places of results that are no longer used
    for number in order:
        op, arguments = trace.entries[number]
        assert op is not None  # operands come first
        at: list[int] = []
        for argument in arguments:
            if type(argument) is Symbol:
                at.append(places[argument.number])
            else:
                at.append(count + len(padding))
                padding.append(argument)
                numbers |= {at[-1]} - to_tensors
        are_numbers = [place in numbers for place in at]
        computed = all(are_numbers) and op.name in OF_NUMBERS
        if any(are_numbers) and not computed and not takes_numbers(op, are_numbers):
            wrong = next(place for place in at if place in numbers)
            is_result = wrong >= count and padding[wrong - count] is None
            return _steps(trace, result, kinds, to_tensors | ({*range(count)} & numbers if is_result else {wrong}))
        used = {argument.number for argument in arguments if type(argument) is Symbol}
        free += [places[operand] for operand in used if operand >= count and last_use[operand] == number]
        if not free:
            padding.append(None)
            free.append(count + len(padding) - 1)
        place = places[number] = free.pop()
        (numbers.add if computed else numbers.discard)(place)
        calls.append((OF_NUMBERS[op.name] if computed else op, tuple(at), place))
    if place in numbers:
        return None

    def bound(F: Any) -> tuple[Call, ...]:
        return tuple([(call if callable(call) else function_of(F, call), at, place) for call, at, place in calls])

    return Steps(bound(no_record_ops), bound(recorded_ops), tuple(padding), tuple(to_tensors), place)
