"""Elementwise programs: operators made of others as data, which every backend reads alike."""

from __future__ import annotations

from typing import NamedTuple


class Instruction(NamedTuple):
    """An elementwise operation on values of a program, given by their numbers.

    The operation "require" has one value, of bools, and gives none: the launch fails where one is false. "float16" and
    "bfloat16" have one value, and give it rounded to this dtype.
    """

    operation: str
    values: tuple[int, ...]


class Program(NamedTuple):
    """What is computed of each element: instructions in their order.

    Values are numbered: first the operands, then the constants, then what each instruction gives. All have the dtype
    that the program computes in (half types: float32) but for bools, which comparisons give and conditions are. Half
    types are rounded where an instruction says so, and where a result is stored.

    `reduction` is "" for results of each element, or what is made of all elements of the only result: "sum" or "mean".
    `is_apart` says that no result is put where an operand lies: there is no need to read all of these first.

    >>> shifted = Program("shifted", 1, (2.0,), (Instruction("mul", (0, 0)), Instruction("add", (2, 1))), (3,))
    >>> print(shifted)
    shifted(a): c = mul(a, a); d = add(c, 2.0); d
    """

    name: str
    operands: int
    constants: tuple[float, ...]
    instructions: tuple[Instruction, ...]
    results: tuple[int, ...]
    reduction: str = ""
    is_apart: bool = False

    def __str__(self) -> str:
        names = [_letter(i) for i in range(self.operands)]
        names += map(str, self.constants)
        lines = []
        for operation, values in self.instructions:
            call = f"{operation}({', '.join([names[value] for value in values])})"
            if operation == "require":
                names.append("")
                lines.append(call)
            else:
                names.append(_letter(len(names)))
                lines.append(f"{names[-1]} = {call}")
        results = ", ".join([names[value] for value in self.results])
        lines.append(f"{self.reduction}({results})" if self.reduction else results)
        return f"{self.name}({', '.join(names[: self.operands])}): " + "; ".join(lines)


def _letter(number: int) -> str:
    """A name for a value: a to z, then a1, b1, ..."""
    return chr(ord("a") + number % 26) + (str(number // 26) if number >= 26 else "")
