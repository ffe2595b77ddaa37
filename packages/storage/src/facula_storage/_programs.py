"""Elementwise programs: compositions of operators as data, which all backends interpret identically."""

from __future__ import annotations

from typing import NamedTuple


class Instruction(NamedTuple):
    """An elementwise operation on values of a program, referenced by number.

    The operation "require" has one bool operand and no result: the launch fails if an element is false. "float16" and
    "bfloat16" have one operand and round it to this dtype.
    """

    operation: str
    values: tuple[int, ...]


class Program(NamedTuple):
    """An elementwise computation: instructions in order.

    Values are numbered: first the operands, then the constants, then the results of the instructions. All have the
    dtype in which the program computes (float32 for half-precision types), except bools, which are results of
    comparisons and conditions. Half-precision types are rounded by explicit instructions, and when a result is stored.

    `reduction` is "" for elementwise results, or the reduction of all elements of the only result: "sum" or "mean".
    `is_apart` guarantees that no result overlaps an operand, so that operands need not be read completely first.

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
    """Return the name of a value: a to z, then a1, b1, ..."""
    return chr(ord("a") + number % 26) + (str(number // 26) if number >= 26 else "")
