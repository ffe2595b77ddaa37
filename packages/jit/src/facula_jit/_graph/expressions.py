"""Elementwise programs as Python expressions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage.extend.plans import Program

FUSED = "fused"  # the name of programs that passes create
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
         "ge": ">="}  # fmt: skip
BINDING = {"*": 3, "/": 3, "+": 2, "-": 2}  # precedence; that of other operators is 1
LOOSE, WHOLE = 1, 4


def as_expression(program: Program, arguments: Sequence[str]) -> str:
    """Return the expression of a program; a value that is used repeatedly gets a name at its first use.

    >>> from facula_storage.extend import Instruction, Program
    >>> steps = Instruction("mul", (0, 2)), Instruction("relu", (3,)), Instruction("add", (4, 1))
    >>> as_expression(Program("fused", 2, (2.0,), steps, (5,)), ["x0", "x1"])
    'relu(x0 * 2) + x1'
    """
    first = program.operands + len(program.constants)
    uses = Counter(
        [value for instruction in program.instructions for value in instruction.values] + list(program.results)
    )
    given = [*arguments, *[f"{constant:g}" for constant in program.constants]]
    names: dict[int, str] = {}  # of values that are used again, in Python's order of evaluation

    def shown(value: int, least: int = 0) -> str:
        if value < first or value in names:
            return given[value] if value < first else names[value]
        operation, values = program.instructions[value - first]
        sign = SIGNS.get(operation) if len(values) == 2 else None
        strength = WHOLE if sign is None else BINDING.get(sign, LOOSE)
        if sign is None:
            text = f"{operation}({', '.join(map(shown, values))})"
        else:
            text = f"{shown(values[0], strength)} {sign} {shown(values[1], strength + 1)}"
        if uses[value] > 1:
            names[value] = f"v{len(names)}"
            return f"({names[value]} := {text})"
        return f"({text})" if strength < least else text

    return ", ".join(map(shown, program.results))
