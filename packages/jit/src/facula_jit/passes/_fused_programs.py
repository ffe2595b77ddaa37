"""Elementwise launches put together as one program."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from facula_storage.extend import Instruction, Program

from .._graph.expressions import FUSED
from .._recording.records import Address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._recording.records import Launched

    Reference = tuple[str, int]  # "operand", "constant" or "value", and which one

HALVES = ("float16", "bfloat16")  # dtypes, and the instructions that round to them
AS_WRITTEN = ("copy", "fill", FUSED)  # whose roundings are made in any case: the function asks for them


class Operand(NamedTuple):
    """An operand of a program: an address, or a number and the type that stands for it."""

    argument: Address | float
    kind: type


class _Builder:
    """Instructions; what they read is named by kind and place, until it is known how many operands there are."""

    def __init__(self) -> None:
        self.operands: list[Operand] = []
        self.constants: list[float] = []
        self.instructions: list[tuple[str, list[Reference]]] = []
        self._known: dict[object, Reference] = {}

    def operand(self, argument: Address | float, kind: type) -> Reference:
        """A reference to an operand, the same for the same argument."""
        key: object = argument if type(argument) is Address else (kind, repr(argument))
        if key not in self._known:
            self._known[key] = "operand", len(self.operands)
            self.operands.append(Operand(argument, kind))
        return self._known[key]

    def constant(self, value: float) -> Reference:
        """A reference to a constant."""
        key = "constant", repr(value)
        if key not in self._known:
            self._known[key] = "constant", len(self.constants)
            self.constants.append(value)
        return self._known[key]

    def instruction(self, operation: str, values: list[Reference]) -> Reference:
        """A reference to what an instruction gives."""
        self.instructions.append((operation, values))
        return "value", len(self.instructions) - 1

    def program(self, results: Sequence[Reference]) -> Program:
        """The program, its values numbered."""
        first = {"operand": 0, "constant": len(self.operands)}
        first["value"] = first["constant"] + len(self.constants)
        steps = tuple(
            [
                Instruction(name, tuple([first[kind] + one for kind, one in values]))
                for name, values in self.instructions
            ]
        )
        made = tuple([first[kind] + one for kind, one in results])
        return Program(FUSED, len(self.operands), tuple(self.constants), steps, made)


def program_of(launches: Sequence[Launched], stored: Sequence[Address], rounds: bool) -> tuple[Program, list[Operand]]:
    """A program that does what the launches do, one after the other.

    Arguments:
        launches: elementwise ones.
        stored: what of their results is kept.
        rounds: whether half types are rounded after each operator.

    Returns:
        The program, and its operands.
    """
    made: dict[int, Reference] = {}  # by block
    builder = _Builder()
    for launch in launches:
        computed = launch.plan.elementwise
        assert computed is not None
        used = [one for one in launch.arguments if type(one) is Address]
        arrays = iter([one for one in used if not one.written])
        numbers = iter([one for one in launch.arguments[1:] if type(one) is not Address])
        given: list[Reference] = []
        for kind in computed.inputs:
            if isinstance(kind, type):
                given.append(builder.operand(next(numbers), kind))  # type: ignore[arg-type]
            else:
                one = next(arrays)
                given.append(made[one.block] if one.block in made else builder.operand(one, type(None)))
        given = [given[place] for place in computed.order]
        results = _added(builder, computed.operator, given, rounds or launch.operation in AS_WRITTEN)
        made.update(zip([one.block for one in used if one.written], results, strict=True))
    return builder.program([made[one.block] for one in stored]), builder.operands


def _added(builder: _Builder, operator: str | Program, given: list[Reference], rounds: bool) -> list[Reference]:
    """Append an operator, with its roundings or without; references to its results."""
    if isinstance(operator, str):
        return [builder.instruction(operator, given)]
    values = [*given, *[builder.constant(one) for one in operator.constants]]
    for operation, taken in operator.instructions:
        if operation in HALVES and not rounds:
            values.append(values[taken[0]])
        else:
            values.append(builder.instruction(operation, [values[one] for one in taken]))
    return [values[one] for one in operator.results]
