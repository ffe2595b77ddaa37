"""Typing of elementwise operators and programs: the loop of each instruction, by name and dtypes, without addresses.

All backends type programs by `typed_program`, so that they compute in the same dtypes and refuse the same ones.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage.extend.plans import Program

BOOL, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 = 1, 5, 6, 7, 8, 9, 10
HALVES = (FLOAT16, BFLOAT16)
FLOATS = (*HALVES, FLOAT32, FLOAT64)
UNSIGNED = UINT16, UINT32, UINT64 = 13, 14, 15
FLOAT8 = tuple(range(16, 21))  # e4m3fn, e5m2, e8m0fnu, e4m3fnuz, e5m2fnuz
# Dtypes with loops to only one or a few other dtypes, through which they are converted to all others.
HUBS = {**dict.fromkeys((*HALVES, *FLOAT8), FLOAT32), UINT16: INT32, UINT32: INT64, UINT64: INT64}
# Operators that accept storage dtypes by way of the hub: float8 is compared, and unsigned integers take part where the
# low bits of a result depend only on those of the operands.
COMPARED = ("eq", "ne", "isnan")
MODULAR = (*COMPARED, "mul", "bitwise_and", "bitwise_or", "bitwise_xor", "floor", "ceil", "trunc", "round")
ROUNDINGS = {"float16": FLOAT16, "bfloat16": BFLOAT16}  # instructions whose result has this dtype
QUOTIENTS = ("floor_divide", "trunc_divide", "remainder", "fmod")  # of integers: zeros are refused
# Scalars, next to float16 and bfloat16 arrays, that are first rounded to those dtypes, by operator and position, like
# in PyTorch's kernels. All others, above all factors and divisors (a loss times 70000), are used in float32.
BOTH_ROUNDED = "add sub add_scaled remainder fmod pow pow_number maximum minimum fmax fmin eq ne lt le gt ge".split()
ROUNDED = {**dict.fromkeys(BOTH_ROUNDED, (0, 1)), "floor_divide": (0,), "trunc_divide": (0,)}
MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
MOST_READ = 6


class Step(NamedTuple):
    """A loop over elements: its name in the kernel table, and the dtype codes of its operands and of its result.

    `values` are the numbers of the operands, and `result` is that of the result. The operation "require" is no loop: it
    has one bool operand, which must be true, and the result -1.
    """

    operation: str
    dtypes: tuple[int, ...]
    values: tuple[int, ...]
    result: int
    converts: bool = False  # whether it only converts a value to another dtype


class TypedProgram(NamedTuple):
    """An elementwise operator or program for operands of given dtypes.

    Values are numbered like in a program: the operands, the constants, then the results of the steps.
    """

    name: str  # of the operator or program; of an equivalent operator where scalars need another one
    order: tuple[int, ...]  # the input that is each operand: a comparison with a scalar on the left is mirrored
    operands: tuple[int, ...]  # the dtype code of each array, and that to which a scalar is converted
    roundings: tuple[int, ...]  # by operand: the code of the half dtype to which a scalar is rounded first; 0 if none
    constants: tuple[float, ...]
    compute: int  # the dtype code of the constants
    codes: tuple[int, ...]  # the dtype code of each value; BOOL for that of a requirement
    steps: tuple[Step, ...]
    results: tuple[int, ...]  # the value of each output, in its dtype


class Steps:
    """Steps while they are collected, and the dtype code of each value."""

    def __init__(self, codes: Sequence[int], steps: Sequence[Step] = ()):
        self.codes = list(codes)
        self.steps = list(steps)
        self._converted: dict[tuple[int, int], int] = {}

    def add(self, operation: str, values: tuple[int, ...], code: int, *, converts: bool = False) -> int:
        """Append a step with a result of this dtype; return the number of its result."""
        dtypes = (*[self.codes[value] for value in values], code)
        self.codes.append(code)
        result = -1 if operation == "require" else len(self.codes) - 1
        self.steps.append(Step(operation, dtypes, values, result, converts))
        return len(self.codes) - 1

    def converted(self, value: int, code: int) -> int:
        """Return the value in the dtype of this code, converted through others if there is no direct loop."""
        given = self.codes[value]
        if given == code:
            return value
        between = intermediate_dtype(given, code)
        if between != code:
            return self.converted(self.converted(value, between), code)
        if (value, code) not in self._converted:
            self._converted[value, code] = self.add("copy", (value,), code, converts=True)
        return self._converted[value, code]


@lru_cache(maxsize=512)
def intermediate_dtype(given: int, code: int) -> int:
    """Return the next dtype on the way from dtype `given` to `code`.

    >>> intermediate_dtype(FLOAT16, INT64) == FLOAT32, intermediate_dtype(UINT64, FLOAT16) == FLOAT32
    (True, True)
    """
    if find_kernel("copy", given, code) is not None:
        return code
    hub = HUBS.get(code, 0)
    return hub if hub and (given not in HUBS or find_kernel("copy", given, hub) is not None) else HUBS.get(given, code)


def widened(code: int, operator: str = "") -> int:
    """Return the dtype in which arrays of this dtype are computed."""
    if code in HALVES or (code in FLOAT8 and operator in COMPARED):
        return FLOAT32
    return INT64 if code in UNSIGNED and operator in MODULAR else code


def computed_in(inputs: Sequence[int | type], output: int) -> int:
    """Return the dtype code of a program's values: that of its result, or of its first operand other than bool."""
    arrays = [operand for operand in inputs if isinstance(operand, int)]
    return widened(output if output != BOOL else next((code for code in arrays if code != BOOL), BOOL))


@lru_cache(maxsize=4096)
def typed_program(
    operator: str | Program, inputs: tuple[int | type, ...], outputs: tuple[int, ...]
) -> TypedProgram | None:
    """Return what an elementwise operator or program computes for operands of these dtypes.

    Arguments:
        operator: the operator's name, or a program (without its reduction).
        inputs: dtype codes of arrays, and types of scalars.
        outputs: dtype codes of the results.

    Returns:
        The steps, with dtypes; None if the kernel table lacks a loop for one of them.

    >>> typed = typed_program("add", (FLOAT16, float), (FLOAT16,))
    >>> [(step.operation, step.dtypes) for step in typed.steps]
    [('copy', (7, 9)), ('add', (9, 9, 9)), ('copy', (9, 7))]
    >>> typed.operands, typed.roundings
    ((7, 9), (0, 7))
    """
    if isinstance(operator, str):
        return _typed_operator(operator, inputs, outputs[0])
    return _typed_program(operator, inputs, outputs)


def _typed_operator(name: str, inputs: tuple[int | type, ...], output: int) -> TypedProgram | None:
    order = tuple(range(len(inputs)))
    if name == "fill":
        name = "copy"
    elif name == "pow" and output in FLOATS and isinstance(inputs[1], type):
        name = "pow_number"
    elif name in MIRRORED and isinstance(inputs[0], type):
        name, order = MIRRORED[name], (1, 0)  # the table has integers against any int on the right
    taken = tuple([inputs[place] for place in order])
    dtypes = find_loop(name, taken, output)
    if dtypes is None:
        return None
    operands = tuple([code if isinstance(given, type) else given for given, code in zip(taken, dtypes, strict=False)])
    roundings = [0] * len(operands)
    half = next((code for code in taken if code in HALVES), 0)
    for place in ROUNDED.get(name, ()):
        given = taken[place]
        if isinstance(given, type) and given is not complex and dtypes[place] in (FLOAT32, FLOAT64):
            roundings[place] = half
    steps = Steps(operands)
    values = tuple([steps.converted(place, code) for place, code in enumerate(dtypes[:-1])])
    result = steps.converted(steps.add(name, values, dtypes[-1]), output)
    return TypedProgram(
        name, order, operands, tuple(roundings), (), dtypes[-1], tuple(steps.codes), tuple(steps.steps), (result,)
    )


def _typed_program(program: Program, inputs: tuple[int | type, ...], outputs: tuple[int, ...]) -> TypedProgram | None:
    compute = computed_in(inputs, outputs[0])
    operands = tuple([operand if isinstance(operand, int) else compute for operand in inputs])
    steps = Steps([*operands, *[compute] * len(program.constants)])
    numbers = list(range(len(steps.codes)))  # of the program's values, here
    uniform = {*range(len(inputs), len(numbers)), *[at for at, given in enumerate(inputs) if isinstance(given, type)]}
    for place, code in enumerate(inputs):
        if isinstance(code, int) and code not in (compute, BOOL, *HALVES):
            numbers[place] = steps.converted(place, compute)
    for operation, values in program.instructions:
        given = tuple([numbers[value] for value in values])
        if operation == "require":
            numbers.append(steps.add(operation, given, BOOL))
            continue
        if operation in ROUNDINGS:
            numbers.append(steps.converted(given[0], ROUNDINGS[operation]))
            continue
        if compute <= INT64 and operation in QUOTIENTS:
            return None
        if operation == "pow" and compute in FLOATS and values[1] in uniform:
            operation = "pow_number"
        codes = find_inner_loop(operation, [steps.codes[value] for value in given], compute)
        if codes is None or len(given) >= MOST_READ:
            return None
        given = tuple([steps.converted(value, code) for value, code in zip(given, codes, strict=False)])
        numbers.append(steps.add(operation, given, codes[-1]))
    results = [steps.converted(numbers[value], code) for value, code in zip(program.results, outputs, strict=True)]
    return TypedProgram(
        program.name, tuple(range(len(inputs))), operands, (0,) * len(inputs), tuple(program.constants), compute,
        tuple(steps.codes), tuple(steps.steps), tuple(results),
    )  # fmt: skip


def find_loop(operator: str, operands: tuple[int | type, ...], output: int) -> tuple[int, ...] | None:
    """Return the dtypes of an operator's loop for these inputs (dtype codes, or types of scalars) and output.

    A scalar gets the dtype in which the operator computes. If it could be a wider integer than the arrays and the table
    has such a loop (comparisons), that loop is exact for every scalar.
    """
    if operator == "copy" and isinstance(operands[0], int):
        copied = (operands[0], intermediate_dtype(operands[0], output))
        return None if find_kernel(operator, *copied) is None else copied
    codes = [code for code in operands if isinstance(code, int)]
    ours = output if output != BOOL or not codes else codes[0]
    for scalar in (INT64, ours) if BOOL < ours < INT64 else (ours,):
        exact = tuple(code if isinstance(code, int) else scalar for code in operands)
        wide = tuple(widened(code, operator) for code in exact)
        for dtypes in ((*exact, output), (*wide, output), (*wide, widened(output, operator))):
            if find_kernel(operator, *dtypes) is not None:
                return dtypes
    return None


def find_inner_loop(operation: str, codes: Sequence[int], compute: int) -> tuple[int, ...] | None:
    """Return the dtypes of an instruction's loop for values of these dtypes; bools may be used as numbers."""
    computed = tuple([compute if code in HALVES else code for code in codes])
    for taken in (tuple(codes), computed, (compute,) * len(codes)):
        for result in (compute, BOOL, *ROUNDINGS.values()):
            if find_kernel(operation, *taken, result) is not None:
                return (*taken, result)
    return None
