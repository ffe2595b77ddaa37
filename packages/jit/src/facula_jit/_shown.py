"""Elementwise programs as Python expressions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage.extend import Program

FUSED = "fused"  # the name of programs that passes make
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">",
         "ge": ">="}  # fmt: skip
BINDING = {"*": 3, "/": 3, "+": 2, "-": 2}  # how much stronger than others, which are 1
LOOSE, WHOLE = 1, 4


def as_expression(program: Program, arguments: Sequence[str]) -> str:
    """What a program that requires nothing computes; what is used several times is named where it comes first.

    >>> from facula_storage.extend import Instruction, Program
    >>> steps = Instruction("mul", (0, 2)), Instruction("relu", (3,)), Instruction("add", (4, 1))
    >>> as_expression(Program("fused", 2, (2.0,), steps, (5,)), ["x0", "x1"])
    'relu(x0 * 2) + x1'
    """
    first = program.operands + len(program.constants)
    uses = Counter([value for one in program.instructions for value in one.values] + list(program.results))
    texts = [*arguments, *[f"{one:g}" for one in program.constants]]
    binding = [WHOLE] * first  # how strong the outermost sign of each text is
    named = 0
    later: dict[int, str] = {}  # values that are used again, by the names that they get where they come first

    def shown(value: int, least: int = 0) -> str:
        text = texts[value]
        if value in later:
            texts[value], binding[value] = later.pop(value), WHOLE
            return f"({text})"
        return f"({text})" if binding[value] < least else text

    for operation, values in program.instructions:
        sign = SIGNS.get(operation) if len(values) == 2 else None
        strength = WHOLE if sign is None else BINDING.get(sign, LOOSE)
        if sign is None:
            text = f"{operation}({', '.join(map(shown, values))})"
        else:
            text = f"{shown(values[0], strength)} {sign} {shown(values[1], strength + 1)}"
        number = len(texts)
        if uses[number] > 1:
            text, later[number] = f"v{named} := {text}", f"v{named}"
            named += 1
        texts.append(text)
        binding.append(strength)
    return ", ".join(map(shown, program.results))
