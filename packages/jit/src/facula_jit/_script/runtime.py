"""Runtime functions of scripts, which replace conditions, loops and calls: like Python, unless a tensor decides.

A condition may turn out to be a tensor at run time. If its value must not be read then (inside `capture`, or batched by
`vmap`), the statement becomes `cond` or `while_loop`. All other statements run as in Python.
"""

from __future__ import annotations

import builtins
import operator
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, OperationError
from facula_storage import bool_
from facula_storage.extend.layouts import INTEGER
from facula_storage.extend.recording import current_recorder
from facula_tensor import Tensor, logical_and, logical_not, logical_or, tensor
from facula_tensor.extend.recording import take_apart

from .._control_flow.cond import cond
from .._control_flow.operands import OTHERS, check_agree, is_batched, leaves_of, shown
from .._control_flow.while_loop import while_loop
from .._recording.snapshots import Snapshot
from .._source.closures import variables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Values = tuple[Any, ...]


class Undefined:
    """The value of a variable that has none."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "no value"


UNDEFINED = Undefined()


def get(read: Callable[[], Any]) -> Any:
    """Return the value of a variable, or UNDEFINED."""
    try:
        return read()
    except NameError:
        return UNDEFINED


def is_symbolic(value: object) -> bool:
    """Return True for a tensor whose value must not be read by Python."""
    if not isinstance(value, Tensor):
        return False
    recorder: Any = current_recorder()
    return is_batched(value) or (recorder is not None and recorder.breaks is None)


def _condition(value: Any) -> Tensor | bool:
    """Return a value in the form of a condition."""
    if not isinstance(value, Tensor):
        return bool(value)
    return value if value.dtype is bool_ else value != 0


# -------------------------------------------------------------------------------------------------------- branches
def choose(
    test: Any, true: Callable[..., Values], false: Callable[..., Values], values: Values, names: Sequence[str]
) -> Values:
    """Run an `if`, and return the values of the variables `names` after it.

    Arguments:
        test: the condition.
        true: the statements, as a function of `values`.
        false: the statements of `else`.
        values: the variables that they read.
        names: the names of the variables that they bind and that are read later.
    """
    if not is_symbolic(test) or test.numel() != 1:
        return (true if test else false)(*values)
    recorder: Any = current_recorder()
    found: list[Values] = []

    def side(function: Callable[..., Values]) -> Callable[[], list[Any]]:
        function = _watched(function, values)

        def run() -> list[Any]:
            found.append(function(*values))
            given = found[-1]
            if len(found) == 2:
                given = _with_first(names, *found)
            return [value for value, first in zip(given, found[0], strict=True) if _is_tree(first)]

        return run

    made = cond(_condition(test), side(true), side(false))
    if len(found) < 2 or (recorder is not None and recorder.breaks is not None):
        return found[-1]  # the branch that this run takes is last
    rest = iter(made)
    return tuple([next(rest) if _is_tree(first) else value for value, first in zip(found[-1], found[0], strict=True)])


def _with_first(names: Sequence[str], first: Values, second: Values) -> Values:
    """Return the results of the branch that runs second; those of the first where both cannot be one result."""
    given = []
    for name, value, other in zip(names, first, second, strict=True):
        agree = value is other or (_is_tree(value) and _is_tree(other) and _agree(value, other))
        if not agree:
            _refuse(f"the variable {name!r} is {_words(value)} or {_words(other)}, depending on a tensor",
                    "give it tensors of one shape and dtype in both cases, or a value before")  # fmt: skip
        given.append(other if agree else value)
    return tuple(given)


def _agree(value: Any, other: Any) -> bool:
    """Return True if two trees can be one result."""
    try:
        check_agree("if", leaves_of("if", "one", value), leaves_of("if", "the other", other), by_value=True)
    except ArgumentError:
        return False
    return True


def choose_result(test: Any, true: Callable[..., Any], false: Callable[..., Any], values: Values) -> Any:
    """Run an `if` whose statements return, and return the result.

    Arguments:
        test: the condition.
        true: the statements, as a function of `values`.
        false: the statements of `else`, and those after the `if`.
        values: the variables that they read.
    """
    if not is_symbolic(test) or test.numel() != 1:
        return (true if test else false)(*values)
    true, false = _watched(true, values), _watched(false, values)
    return cond(_condition(test), lambda: true(*values), lambda: false(*values))


def choose_value(test: Any, true: Callable[[], Any], false: Callable[[], Any]) -> Any:
    """Return `true() if test else false()`."""
    return choose_result(test, true, false, ())


def both(*parts: Callable[[], Any]) -> Any:
    """Return the `and` of parts, evaluated in order."""
    found = parts[0]()
    for part in parts[1:]:
        if is_symbolic(found):
            value = part()
            found = _joined(found, value)
        elif not found:
            return found
        else:
            found = part()
    return found


def _joined(found: Tensor, value: Any) -> Any:
    """Return the `and` of a tensor and the value after it."""
    return logical_and(found, value) if isinstance(value, Tensor) else found if value else value


def either(*parts: Callable[[], Any]) -> Any:
    """Return the `or` of parts, evaluated in order."""
    found = parts[0]()
    for part in parts[1:]:
        if is_symbolic(found):
            value = part()
            found = logical_or(found, value) if isinstance(value, Tensor) else value if value else found
        elif found:
            return found
        else:
            found = part()
    return found


def compared(left: Any, signs: Sequence[str], *others: Callable[[], Any]) -> Any:
    """Return `a < b < c`, with parts evaluated in order.

    Arguments:
        left: the first operand.
        signs: the comparison operators, by their names in Python's AST.
        others: the other operands.
    """
    found: Any = True
    for sign, other in zip(signs, others, strict=True):
        right = other()
        answer = SIGNS[sign](left, right)
        found = _joined(found, answer) if is_symbolic(found) else answer
        if not is_symbolic(found) and not found:
            return found
        left = right
    return found


SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge, "Eq": operator.eq,
    "NotEq": operator.ne, "Is": operator.is_, "IsNot": operator.is_not,
    "In": lambda a, b: a in b, "NotIn": lambda a, b: a not in b,
}  # fmt: skip


def item(values: Any, place: Any) -> Any:
    """Return `values[place]`; the index may be a tensor with one number."""
    if isinstance(values, Tensor) and _is_number(place):
        return values[place.reshape(1)].squeeze(0)
    return values[place]


def place(index: Any) -> Any:
    """Return an index for an assignment."""
    return index.reshape(1) if _is_number(index) else index


def _is_number(value: Any) -> bool:
    return is_symbolic(value) and value.ndim == 0 and value.dtype.category == INTEGER


def negated(value: Any) -> Any:
    """Return `not value`."""
    return logical_not(value) if is_symbolic(value) else not value


# ----------------------------------------------------------------------------------------------------------- loops
def loop(
    test: Callable[..., Any], body: Callable[..., Values], given: Values, values: Values, names: Sequence[str]
) -> Values:
    """Run a `while`, and return the values of the variables `names` after it.

    Arguments:
        test: the condition, as a function of `given` and `values`.
        body: the statements, as a function of the same that returns the next values.
        given: the variables that they only read.
        values: the variables that they change.
        names: the names of the latter.
    """
    while True:
        goes_on = test(*given, *values)
        if is_symbolic(goes_on) and _can_be_carried("while", values, names):
            return _carried(test, body, given, values)
        if not goes_on:
            return values
        values = body(*given, *values)


def _carried(test: Callable[..., Any], body: Callable[..., Values], given: Values, values: Values) -> Values:
    """Run a loop whose condition is a tensor, with the arguments of `loop`."""
    test, body = _watched(test, given), _watched(body, given)
    return while_loop(lambda *values: _condition(test(*given, *values)), lambda *values: body(*given, *values), values)


def loop_over(
    made: Callable[..., Any], limits: Values, body: Callable[..., Values], given: Values, values: Values,
    names: Sequence[str],
) -> Values:  # fmt: skip
    """Run a `for` over `range(...)`, and return the values of the variables `names` after it.

    Arguments:
        made: `range`, or an object of the program with this name.
        limits: its arguments.
        body: the statements, as a function of `given`, `values` and the number that returns the next values.
        given: the variables that they only read.
        values: the variables that they change.
        names: the names of the latter.
    """
    if made is builtins.range and any(map(is_symbolic, limits)) and _can_be_carried("for", values, names):
        start, stop, step = (0, *limits, 1) if len(limits) == 1 else (*limits, 1) if len(limits) == 2 else limits
        first = tensor(start) if not isinstance(start, Tensor) else start
        body = _watched(body, given)

        def goes_on(at: Tensor, *values: Any) -> Tensor:
            if not isinstance(step, Tensor):
                return at < stop if step > 0 else at > stop  # type: ignore[no-any-return]
            return logical_or(logical_and(step > 0, at < stop), logical_and(step < 0, at > stop))

        def further(at: Tensor, *values: Any) -> Values:
            return (at + step, *body(*given, *values, at))

        return while_loop(goes_on, further, (first, *values))[1:]
    for index in made(*limits):
        values = body(*given, *values, index)
    return values


def _can_be_carried(statement: str, values: Values, names: Sequence[str]) -> bool:
    """Return True if all variables of a loop are tensors; otherwise break the capture and name one that is not."""
    for name, value in zip(names, values, strict=True):
        if not all([isinstance(leaf, Tensor) for leaf in take_apart(value)[0]]):
            _refuse(f"the variable {name!r} of a {statement} is {_words(value)}, which changes depending on a tensor",
                    "give it a tensor before the loop")  # fmt: skip
            return False
    return True


def plain(test: Any, why: str) -> Any:
    """Return a condition that Python must evaluate, since its statement cannot become a function.

    Arguments:
        test: the condition.
        why: the construct, for the error.
    """
    if is_symbolic(test):
        _refuse(f"{why} cannot be captured in code that depends on a tensor", "use where(), cond() or while_loop()")
    return test


# ---------------------------------------------------------------------------------------------------------- errors
def _refuse(problem: str, remedy: str) -> None:
    recorder: Any = current_recorder()
    if recorder is None:  # inside vmap there is no fallback
        raise OperationError(f"script: {problem}; {remedy}")
    recorder.broken(problem, remedy)


def _watched(function: Callable[..., Any], values: Values) -> Callable[..., Any]:
    """Return a function that breaks the capture if it changes a Python object, such as an entry of a list.

    Arguments:
        function: statements whose execution depends on a tensor.
        values: the variables that they read.
    """
    recorder: Any = current_recorder()

    def run(*args: Any) -> Any:
        if current_recorder() is not recorder:  # an iteration of a loop that is not recorded
            return function(*args)
        before = Snapshot([*values, *variables_of(function).values()])
        branches = getattr(recorder, "branches", ())
        try:
            return function(*args)
        finally:
            if (changed := before.changed()) is not None:
                if any([branch.is_dry for branch in branches]):
                    before.restore()
                _refuse(f"{changed} from outside is changed, depending on a tensor", "assign a variable in its place")

    return run


def _is_tree(value: object) -> bool:
    """Return True for a tensor, a number, or a container of these."""
    return all([isinstance(leaf, (Tensor, *OTHERS)) for leaf in take_apart(value)[0]])


def _words(value: object) -> str:
    if value is UNDEFINED:
        return "not set"
    return shown(value)
