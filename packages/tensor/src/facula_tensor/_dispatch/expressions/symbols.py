"""Symbols: stand-ins for operands while a function of elementwise operators is traced.

A `Trace` contains the calls, without duplicates. It makes only simplifications that are exact for every number:
not `x + 0`, which turns -0 into 0, nor `x * 0`, which hides NaN.
"""

from __future__ import annotations

from functools import partial
from math import copysign
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from facula_errors import ArgumentError, InvalidTypeError, MissingAttributeError, UnsupportedError
from facula_storage import complex64
from facula_storage.extend.layouts import COMPLEX
from facula_storage.extend.plans import Instruction, Program

from ..._core.tensor import Tensor
from ..namespaces import composites, operators

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..operator import Operator

    Argument = Any  # a Symbol, or a number


class NotElementwiseError(UnsupportedError):
    """Raised if a function of symbols uses an operation that an elementwise program cannot express."""


class Entry(NamedTuple):
    """One call: the operator (None for an operand of the trace) and its arguments, symbols and numbers."""

    operator: Operator | None
    arguments: tuple[Argument, ...]


class Trace:
    """Calls in order, starting with the operands."""

    __slots__ = ("complex", "entries", "expands", "known", "required")

    def __init__(self, *, expands: bool = False) -> None:
        self.expands = expands  # whether expressions are expanded into the operators they consist of
        self.entries: list[Entry] = []
        self.known: dict[tuple[object, ...], Symbol] = {}
        self.required: list[Symbol] = []  # bools that must all be true
        self.complex: set[int] = set()  # the numbers of complex symbols; programs have none

    def operand(self, *, is_number: bool = False) -> Symbol:
        """Return a new operand, for a tensor or for a Python number of the call."""
        self.entries.append(Entry(None, ()))
        return Symbol(self, len(self.entries) - 1, is_number)

    def call(self, op: Operator, arguments: tuple[Argument, ...]) -> Argument:
        """Return the result of `op` for these arguments: a symbol, or a number if that is exact."""
        if self.expands and not op.has_kernel:
            assert op.value is not None
            return op.value(symbol_ops, *arguments)
        simple = SIMPLER.get(op.name)
        if simple is not None:
            answer = simple(*arguments)
            if answer is not None:
                return answer
        key = (op, *[_key(argument) for argument in arguments])
        known = self.known.get(key)
        if known is None:
            self.entries.append(Entry(op, arguments))
            known = self.known[key] = Symbol(self, len(self.entries) - 1, False)
            if any([isinstance(argument, Symbol) and argument.number in self.complex for argument in arguments]):
                if op.result_dtype(complex64).category == COMPLEX:
                    self.complex.add(known.number)
        return known

    def forget(self) -> None:
        """Release all symbols, which refer to the trace."""
        self.entries.clear()
        self.known.clear()
        self.required.clear()

    def program(self, name: str, operands: int, results: Sequence[Argument]) -> Program:
        """Return the program that computes the results, without unused calls."""
        flat = Trace(expands=True)
        try:
            known: dict[int, Argument] = {place: flat.operand() for place in range(operands)}
            for number in self.needed(results):
                op, arguments = self.entries[number]
                if op is not None:
                    values = [
                        known[argument.number] if isinstance(argument, Symbol) else argument for argument in arguments
                    ]
                    known[number] = flat.call(op, tuple(values))
            flat.required += [known[item.number] for item in self.required]
            ends = [known[result.number] if isinstance(result, Symbol) else result for result in results]
            return flat._instructions(name, operands, ends)
        finally:
            flat.forget()

    def needed(self, results: Sequence[Argument]) -> list[int]:
        """Return the numbers of the calls that the results, and the required bools, depend on, in order."""
        needed: set[int] = set()
        stack = [result for result in (*results, *self.required) if isinstance(result, Symbol)]
        while stack:
            symbol = stack.pop()
            if symbol.number not in needed:
                needed.add(symbol.number)
                stack += [
                    argument for argument in self.entries[symbol.number].arguments if isinstance(argument, Symbol)
                ]
        return sorted(needed)

    def _instructions(self, name: str, operands: int, results: Sequence[Argument]) -> Program:
        order = [number for number in self.needed(results) if number >= operands]
        numbers = [
            argument
            for number in order
            for argument in self.entries[number].arguments
            if not isinstance(argument, Symbol)
        ]
        numbers += [result for result in results if not isinstance(result, Symbol)]
        constants = {_key(number): number for number in numbers}
        places = {key: operands + place for place, key in enumerate(constants)}
        places.update({("symbol", number): number for number in range(operands)})
        instructions: list[Instruction] = []
        for number in order:
            op, arguments = self.entries[number]
            assert op is not None  # operands come first
            instructions.append(Instruction(str(op.kernel), tuple([places[_key(argument)] for argument in arguments])))
            places["symbol", number] = operands + len(constants) + len(instructions) - 1
        for symbol in self.required:
            instructions.append(Instruction("require", (places["symbol", symbol.number],)))
        ends = tuple([places[_key(result)] for result in results])
        return Program(name, operands, tuple(map(float, constants.values())), tuple(instructions), ends)


def _key(argument: Argument) -> tuple[object, ...]:
    if isinstance(argument, Symbol):
        return ("symbol", argument.number)
    return ("number", float(argument), copysign(1, argument))


class Symbol:
    """The stand-in for one value in a trace. Python's operators and the operators' methods record calls.

    For `isinstance`, the symbol of a tensor is a Tensor, so that rules that check an operand's type treat it as
    a tensor; the symbol of a number is not.
    """

    __slots__ = ("is_number", "number", "trace")

    def __init__(self, trace: Trace, number: int, is_number: bool):
        self.trace, self.number, self.is_number = trace, number, is_number

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        return Symbol if self.is_number else Tensor

    def is_complex(self) -> bool:
        """Return whether the value is complex, which it never is in a program."""
        return self.number in self.trace.complex

    def __bool__(self) -> NoReturn:
        raise NotElementwiseError(
            "a symbol has no truth value: a branch of Python would apply to all elements; use where(condition, a, b)"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise MissingAttributeError(f"symbol: no attribute {name!r}")
        if name.startswith("_"):
            raise NotElementwiseError(
                "a symbol is not a tensor; call the operators of F (F.sin(x)) or methods (x.sin())"
            )
        operation = getattr(symbol_ops, name)
        return partial(operation, self)

    def __repr__(self) -> str:
        return f"<symbol {self.number}>"

    def __add__(self, other: Argument) -> Argument:
        return symbol_ops.add(self, other)

    def __radd__(self, other: Argument) -> Argument:
        return symbol_ops.add(other, self)

    def __sub__(self, other: Argument) -> Argument:
        return symbol_ops.sub(self, other)

    def __rsub__(self, other: Argument) -> Argument:
        return symbol_ops.sub(other, self)

    def __mul__(self, other: Argument) -> Argument:
        return symbol_ops.mul(self, other)

    def __rmul__(self, other: Argument) -> Argument:
        return symbol_ops.mul(other, self)

    def __truediv__(self, other: Argument) -> Argument:
        return symbol_ops.div(self, other)

    def __rtruediv__(self, other: Argument) -> Argument:
        return symbol_ops.div(other, self)

    def __pow__(self, other: Argument) -> Argument:
        return symbol_ops.pow(self, other)

    def __rpow__(self, other: Argument) -> Argument:
        return symbol_ops.pow(other, self)

    def __neg__(self) -> Argument:
        return symbol_ops.neg(self)

    def __abs__(self) -> Argument:
        return symbol_ops.abs(self)

    def __lt__(self, other: Argument) -> Argument:
        return symbol_ops.lt(self, other)

    def __le__(self, other: Argument) -> Argument:
        return symbol_ops.le(self, other)

    def __gt__(self, other: Argument) -> Argument:
        return symbol_ops.gt(self, other)

    def __ge__(self, other: Argument) -> Argument:
        return symbol_ops.ge(self, other)

    def __eq__(self, other: object) -> Argument:  # type: ignore[override]
        return symbol_ops.eq(self, other)

    def __ne__(self, other: object) -> Argument:  # type: ignore[override]
        return symbol_ops.ne(self, other)

    def __and__(self, other: Argument) -> Argument:
        return symbol_ops.bitwise_and(self, other)

    def __or__(self, other: Argument) -> Argument:
        return symbol_ops.bitwise_or(self, other)

    def __invert__(self) -> Argument:
        return symbol_ops.logical_not(self)

    __hash__ = object.__hash__

    def _no_number(self) -> NoReturn:
        raise NotElementwiseError("a symbol has no value; use the operators of F in place of Python's math")

    __float__ = __int__ = __index__ = __complex__ = __round__ = _no_number

    def _not_elementwise(self, *others: object) -> NoReturn:
        raise NotElementwiseError(
            "indexing, iteration and `@` are not elementwise; a program computes each element by itself"
        )

    __getitem__ = __iter__ = __len__ = __contains__ = __matmul__ = __rmatmul__ = _not_elementwise


class SymbolOperators:
    """The namespace that records calls: elementwise operators, and the other operators that gradient rules need."""

    def __getattr__(self, name: str) -> Callable[..., Argument]:
        if name.startswith("__"):
            raise MissingAttributeError(f"symbols: no operator {name!r}")
        function: Callable[..., Argument]
        if name in OWN:
            function = OWN[name]
        elif name in composites:
            function = partial(composites[name], self)
        elif name in operators and operators[name].elementwise and not operators[name].parameters:
            function = partial(record_symbolic_call, operators[name])
        elif name in operators or hasattr(Tensor, name):
            raise NotElementwiseError(f"{name} is not elementwise; a program computes each element by itself")
        else:
            raise NotElementwiseError(f"{name}: there is no operator of this name; use a function of facula")
        setattr(self, name, function)
        return function


symbol_ops: Any = SymbolOperators()


def record_symbolic_call(op: Operator, *arguments: Argument) -> Argument:
    """Record a call of an elementwise operator; expand an expression into the operators it consists of."""
    if len(arguments) != op.arity:
        raise ArgumentError(f"{op.name}: expected {op.arity} operands; got {len(arguments)}")
    for argument in arguments:
        if not isinstance(argument, (Symbol, float, int)):
            raise InvalidTypeError(
                f"{op.name}: expected symbols and numbers; got {type(argument).__name__}; give it as an argument of "
                "the function"
            )
    symbol = next((argument for argument in arguments if isinstance(argument, Symbol)), None)
    if symbol is None:
        answer = SIMPLER[op.name](*arguments) if op.name in SIMPLER else None
        if answer is None:
            raise NotElementwiseError(f"{op.name}: has only numbers as operands; compute it with Python's math")
        return answer
    return symbol.trace.call(op, arguments)


def _require(condition: Symbol) -> None:
    condition.trace.required.append(condition)


# Replacements for operators that are not elementwise. The caller sums to an operand's shape after the program.
OWN: dict[str, Callable[..., Argument]] = {
    "sum_to": lambda g, layout: g,
    "zeros_like": lambda like: 0.0,
    "ones_like": lambda like: 1.0,
    "conj": lambda input: symbol_ops.conjugate(input) if type(input) is Symbol and input.is_complex() else input,
    "require": _require,
}


# ----------------------------------------------------------------------------------------- exact simplifications
def _mul(a: Argument, b: Argument) -> Argument:
    if not isinstance(a, Symbol) and not isinstance(b, Symbol):
        return a * b
    for symbol, other in ((a, b), (b, a)):
        if not isinstance(symbol, Symbol) and symbol == 1:
            return other
        if not isinstance(symbol, Symbol) and symbol == -1:
            return symbol_ops.neg(other)
    return None


def _sub(a: Argument, b: Argument) -> Argument:
    if not isinstance(b, Symbol):
        return a - b if not isinstance(a, Symbol) else a if b == 0 and copysign(1, b) > 0 else None
    return None


def _div(a: Argument, b: Argument) -> Argument:
    if not isinstance(b, Symbol):
        return a / b if not isinstance(a, Symbol) and b else a if b == 1 else None
    return symbol_ops.reciprocal(b) if not isinstance(a, Symbol) and a == 1 else None


def _pow(a: Argument, b: Argument) -> Argument:
    return a if isinstance(a, Symbol) and not isinstance(b, Symbol) and b == 1 else None


def _add(a: Argument, b: Argument) -> Argument:
    return None if isinstance(a, Symbol) or isinstance(b, Symbol) else a + b


def _neg(a: Argument) -> Argument:
    if not isinstance(a, Symbol):
        return -a
    op, arguments = a.trace.entries[a.number]
    return arguments[0] if op is not None and op.name == "neg" else None


def _same_branches(condition: Argument, a: Argument, b: Argument) -> Argument:
    return a if isinstance(a, Symbol) and a is b else None


SIMPLER: dict[str, Callable[..., Argument]] = {
    "mul": _mul,
    "sub": _sub,
    "div": _div,
    "pow": _pow,
    "add": _add,
    "neg": _neg,
    "where": _same_branches,
}
