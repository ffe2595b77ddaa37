"""Operators for the gradients of elementwise operators, so that a backward step is one launch.

The rule of an operand, declared or derived from the operator's expression, is traced once with symbols. The
trace is a program of the gradient and the saved values. It has rules itself, for gradients of gradients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, UnsupportedError

from ..._core.wrapped import is_differentiated
from ..namespaces import no_record_ops, recorded_ops
from .evaluation import direct_rule
from .partials import parameter_names, partial_of, replay
from .symbols import NotElementwiseError, Symbol, Trace, symbol_ops

if TYPE_CHECKING:
    from facula_storage.extend.plans import Program

    from ..._core.types import Function, Operands, Parameters
    from ..operator import Operator


# ------------------------------------------------------------------------------------------------------ expressions
class Expression:
    """A traced function of symbols: the value of an operator, or a derivative. Errors contain `name`."""

    def __init__(self, function: Function, operands: int, name: str, results: int = 1):
        self.trace = Trace()
        self.operands = tuple([self.trace.operand() for _ in range(operands)])
        try:
            self.result = function(symbol_ops, *self.operands)
        except NotElementwiseError as error:
            error.args = (f"{name}: {error}",)
            raise
        if results == 1 and not isinstance(self.result, (Symbol, float, int)):
            raise InvalidTypeError(
                f"{name}: expected an expression of the operands to be returned; got {type(self.result).__name__}"
            )

    def of(self, F: Any, values: tuple[Any, ...], result: Any) -> Any:
        """Return the result for these operands, computed in the namespace F."""
        return replay(F, self.trace, result, dict(enumerate(values)))


def expression_of(op: Operator) -> Expression:
    """Return the operator's expression, which is traced at its first use."""
    if op.expression is None:
        assert op.value is not None
        op.expression = Expression(op.value, len(op.inputs), f"{op.name}: value", len(op.results))
    return op.expression


def kernel_of(op: Operator) -> str | Program:
    """Return the argument for the backend's planner: a kernel's name, or a program."""
    if op.program is None and not op.has_kernel:
        op.program = program_of(op)
    return op.kernel if op.program is None else op.program


def program_of(op: Operator) -> Program:
    """Return the program of the operator's expression."""
    expression = expression_of(op)
    return expression.trace.program(op.name, len(op.inputs), (expression.result,))


def derived_rule(op: Operator, name: str, partial: Function | None) -> Function:
    """Return the rule of an operand of an expression: the gradient times the derivative, which may be declared
    (`partial`)."""
    parameters = op.inputs if partial is None else parameter_names(partial, 1)
    slopes: list[tuple[Expression, Any]] = []  # the derivative, after its first use

    def rule(F: Any, g: Any, *values: Any) -> Any:
        if not slopes:
            if partial is None:
                expression = expression_of(op)
                slope = partial_of(expression.result, expression.operands[op.inputs.index(name)])
            else:
                expression = Expression(partial, len(parameters), f"{op.name}: partial_{name}")
                slope = expression.result
            slopes.append((expression, slope))
        expression, slope = slopes[0]
        return F.mul(g, expression.of(F, values, slope))

    rule.parameter_names = parameters  # type: ignore[attr-defined]
    return rule


# -------------------------------------------------------------------------------------------------- gradient operators
class SeveralGradientsError(UnsupportedError):
    """Raised if several gradients are differentiated at once: the caller computes the gradients one by one."""


def gradient_operator(op: Operator, wanted: tuple[str, ...], numbers: frozenset[str]) -> Operator | None:
    """Return the operator that computes the gradients of the wanted operands from the gradient and the values
    that their rules read. Return None if the rules are not programs, or if each is a single call, so that a
    program has no advantage.
    """
    key = (wanted, numbers)
    if key not in op.gradients:
        op.gradients[key] = _make_gradient(op, wanted, numbers)
    return op.gradients[key]


def _make_gradient(op: Operator, wanted: tuple[str, ...], numbers: frozenset[str]) -> Operator | None:
    if not all([name in op.vjps for name in wanted]):
        return None
    needed = [need for name in wanted for need in op.needs[name] if not need.endswith("_layout")]
    names = tuple(dict.fromkeys(needed))
    if not {*names} <= {*op.inputs, "out"}:
        return None
    rules = [(op.vjps[name], parameter_names(op.vjps[name])) for name in wanted]

    def value(F: Any, g: Any, *values: Any) -> Any:
        places = dict(zip(names, values, strict=True))
        answers = [rule(F, g, *[places.get(need) for need in parameters]) for rule, parameters in rules]
        return answers[0] if len(answers) == 1 else tuple(answers)

    def decompose(F: Any, operands: Operands, parameters: Parameters) -> None:
        if is_differentiated(operands):
            raise SeveralGradientsError(f"{op.name}: only the first result has derivatives; use one result")

    program = gradient_program(op, names, numbers, value)
    if program is None or len(program.instructions) <= len(wanted):
        return None
    body = {
        "inputs": (_unlike("grad", names), *[own_result(op) if name == "out" else name for name in names]),
        "value": value,
        "program": program._replace(is_apart=len(wanted) > 1),  # gradients are new tensors
        "decompose": decompose if len(wanted) > 1 else None,
        "inplace": False,
        "results": tuple([f"grad_{name}" for name in wanted]),
        "__doc__": f"The gradients of {op.name}, of {' and '.join(wanted)}.",
        "__module__": op.module,
    }
    made = type(op)(type(f"{op.name}_grad", (), body), is_elementwise=True)
    op.make_calls(made)
    return made


def own_result(op: Operator) -> str:
    """Return the name for an operand of a gradient operator that is the result of `op`; "out" is the gradient
    operator's result."""
    return _unlike("output", op.inputs)


def _unlike(name: str, names: tuple[str, ...]) -> str:
    """Return a name that is not in `names`: the operands of a gradient of a gradient may already have it."""
    while name in names:
        name += "_"
    return name


def gradient_program(op: Operator, names: tuple[str, ...], numbers: frozenset[str], value: Function) -> Program | None:
    """Return the program of `value(F, g, ...)`, a gradient of the operator computed by rules; None if the rules
    are not a program.

    Arguments:
        op: the operator.
        names: the names of the function's arguments after the gradient.
        numbers: the positions of the arguments that are numbers.
        value: the function that returns the gradient, or a tuple of them.
    """
    trace = Trace()
    try:
        symbols = [trace.operand(), *[trace.operand(is_number=name in numbers) for name in names]]
        results = value(symbol_ops, *symbols)
        results = results if isinstance(results, tuple) else (results,)
        if not all([isinstance(result, Symbol) for result in results]) or trace.required:
            return None
        return trace.program(f"{op.name}_grad", len(symbols), results)
    except (UnsupportedError, AttributeError, TypeError, ValueError):
        return None
    finally:
        trace.forget()


def fused_rule(op: Operator, name: str, numbers: frozenset[str] = frozenset()) -> Function:
    """Return the rule of an operand as one launch if it is a program; otherwise the rule itself."""
    plain = op.vjps[name]
    made = gradient_operator(op, (name,), numbers)
    if made is None:
        return direct_rule(plain, numbers)
    no_record, recorded = made.no_record, made.library_call
    parameters = parameter_names(plain)
    taken = [place for place, need in enumerate(parameters) if need in op.needs[name] and not need.endswith("_layout")]
    every = len(taken) == len(parameters)
    unsupported: list[None] = []  # not empty once the backend has rejected the program

    def rule(F: Any, g: Any, *values: Any) -> Any:
        given = values if every else [values[place] for place in taken]
        if F is no_record_ops and not unsupported:
            try:
                return no_record(g, *given)
            except UnsupportedError:
                unsupported.append(None)
        if F is recorded_ops and not unsupported:
            return recorded(g, *given)
        return plain(F, g, *values)

    rule.parameter_names = parameters  # type: ignore[attr-defined]
    return rule
