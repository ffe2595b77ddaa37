"""Contracts of elementwise programs, copies and fills; `declared.py` contains that of a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_storage import Layout, float32, float64
from facula_storage.extend.plans import Instruction, Program

from .declared import MAX_OPERANDS, elementwise, is_loop
from .shapes import broadcast

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_INSTRUCTIONS = 4096
OF_ONE_VALUE = ("require", "float16", "bfloat16")  # instructions of programs that are not operators


def copy(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for one array that broadcasts to the shape of the result."""
    return len(inputs) == len(outputs) == 1 and elementwise(inputs, outputs, parameters)


def fill(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for a number that fills one result."""
    return len(inputs) == len(outputs) == 1 and isinstance(inputs[0], type)


def program(asked: Program, inputs: Any, outputs: Any) -> bool:
    """Check for a program of loops that only use earlier values; a reduction has a single number as its result."""
    known = asked.operands + len(asked.constants)
    without_value: set[int] = set()
    if len(inputs) != asked.operands or len(asked.instructions) > MAX_INSTRUCTIONS:
        return False
    for operation, values in asked.instructions:
        if operation not in ("copy", *OF_ONE_VALUE) and not is_loop(operation):
            return False
        if not values or any([not 0 <= value < known or value in without_value for value in values]):
            return False
        if operation in OF_ONE_VALUE and len(values) != 1:
            return False
        if operation == "require":
            without_value.add(known)
        known += 1
    if any([not 0 <= result < known or result in without_value for result in asked.results]):
        return False
    if not outputs or len(asked.results) != len(outputs) or asked.reduction not in ("", "sum", "mean"):
        return False
    if not asked.reduction:
        return elementwise(inputs, outputs, ())
    arrays = [layout.shape for layout in inputs if type(layout) is Layout]
    return (
        len(outputs) == outputs[0].numel == 1
        and outputs[0].dtype in (float32, float64)
        and bool(arrays)
        and None not in inputs
        and broadcast(*arrays) is not None
        and len(inputs) < MAX_OPERANDS
    )


def program_of(data: Any) -> Program:
    """Return the program that a file describes; raise ValueError, TypeError or KeyError if it is invalid."""
    name, operands, constants = data["name"], data["operands"], data["constants"]
    instructions = [(operation, tuple(values)) for operation, values in data["instructions"]]
    integers = [operands, *[value for _, values in instructions for value in values], *data["results"]]
    if type(name) is not str or not all([type(integer) is int for integer in integers]):
        raise InvalidTypeError("not a program")
    if type(constants) is not list or not all([type(constant) in (int, float) for constant in constants]):
        raise InvalidTypeError("not a program")
    if not all([type(operation) is str for operation, _ in instructions]):
        raise InvalidTypeError("not a program")
    steps = tuple([Instruction(*instruction) for instruction in instructions])
    return Program(name, operands, tuple(constants), steps, tuple(data["results"]), str(data["reduction"]))


CONTRACTS: dict[str, Callable[[Any, Any, Any], bool]] = {"copy": copy, "fill": fill}
