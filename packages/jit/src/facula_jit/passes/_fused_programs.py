"""Fused programs: elementwise launches combined into one program."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from facula_storage.extend.plans import Instruction, Program

from .._graph.expressions import FUSED
from .._recording.records import Address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._recording.records import Launched

    Reference = tuple[str, int]  # "operand", "constant" or "value", and its index

HALVES = ("float16", "bfloat16")  # dtypes, and the instructions that round to them
AS_WRITTEN = ("copy", "fill", FUSED)  # operators that always round, since the function requests it


class Operand(NamedTuple):
    """An operand of a program: an address, or a number with the type that represents it."""

    argument: Address | float
    kind: type


class _Builder:
    """A builder of programs. References consist of a kind and an index, until the number of operands is known."""

    def __init__(self) -> None:
        self.operands: list[Operand] = []
        self.constants: list[float] = []
        self.instructions: list[tuple[str, list[Reference]]] = []
        self._known: dict[object, Reference] = {}

    def operand(self, argument: Address | float, kind: type) -> Reference:
        """Return a reference to an operand; equal arguments have the same reference."""
        key: object = argument if type(argument) is Address else (kind, repr(argument))
        if key not in self._known:
            self._known[key] = "operand", len(self.operands)
            self.operands.append(Operand(argument, kind))
        return self._known[key]

    def constant(self, value: float) -> Reference:
        """Return a reference to a constant."""
        key = "constant", repr(value)
        if key not in self._known:
            self._known[key] = "constant", len(self.constants)
            self.constants.append(value)
        return self._known[key]

    def instruction(self, operation: str, values: list[Reference]) -> Reference:
        """Append an instruction, and return a reference to its result."""
        self.instructions.append((operation, values))
        return "value", len(self.instructions) - 1

    def program(self, results: Sequence[Reference]) -> Program:
        """Return the program, with numbered values."""
        first = {"operand": 0, "constant": len(self.operands)}
        first["value"] = first["constant"] + len(self.constants)
        steps = tuple(
            [
                Instruction(name, tuple([first[kind] + number for kind, number in values]))
                for name, values in self.instructions
            ]
        )
        made = tuple([first[kind] + number for kind, number in results])
        return Program(FUSED, len(self.operands), tuple(self.constants), steps, made)


def program_of(launches: Sequence[Launched], stored: Sequence[Address], rounds: bool) -> tuple[Program, list[Operand]]:
    """Return a program equivalent to launches in sequence.

    Arguments:
        launches: elementwise launches.
        stored: the addresses of the results that are kept.
        rounds: round half-precision dtypes after each operator.

    Returns:
        The program, and its operands.
    """
    made: dict[int, Reference] = {}  # by block
    builder = _Builder()
    for launch in launches:
        computed = launch.plan.elementwise
        assert computed is not None
        used = [argument for argument in launch.arguments if type(argument) is Address]
        arrays = iter([address for address in used if not address.written])
        numbers = iter([argument for argument in launch.arguments[1:] if type(argument) is not Address])
        given: list[Reference] = []
        for kind in computed.inputs:
            if isinstance(kind, type):
                given.append(builder.operand(next(numbers), kind))  # type: ignore[arg-type]
            else:
                address = next(arrays)
                given.append(made[address.block] if address.block in made else builder.operand(address, type(None)))
        given = [given[place] for place in computed.order]
        results = _added(builder, computed.operator, given, rounds or launch.operation in AS_WRITTEN)
        made.update(zip([address.block for address in used if address.written], results, strict=True))
    return builder.program([made[address.block] for address in stored]), builder.operands


def _added(builder: _Builder, operator: str | Program, given: list[Reference], rounds: bool) -> list[Reference]:
    """Append an operator, with or without its rounding, and return references to its results."""
    if isinstance(operator, str):
        return [builder.instruction(operator, given)]
    values = [*given, *[builder.constant(constant) for constant in operator.constants]]
    for operation, taken in operator.instructions:
        if operation in HALVES and not rounds:
            values.append(values[taken[0]])
        else:
            values.append(builder.instruction(operation, [values[number] for number in taken]))
    return [values[result] for result in operator.results]
