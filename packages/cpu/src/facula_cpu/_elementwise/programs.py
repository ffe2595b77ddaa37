"""Compilation of programs of elementwise operations into the struct that runs them, in the order of this file.

Stages: a loop of the kernel table for each instruction, then placed results, then assigned tiles, then the struct.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from facula_storage.extend.layouts import dtype_of_code
from facula_storage.extend.plans import Instruction

from .._kernels import ffi
from .._runtime.registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage.extend.plans import Program

    from .._runtime.registry import Kernel
    from .._runtime.types import Struct

APART = 192  # bytes between tiles: at distances of a multiple of 4096, reads would wait for writes
BOOL, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32 = 1, 5, 6, 7, 8, 9
HALVES = (FLOAT16, BFLOAT16)
UNSIGNED = UINT16, UINT32, UINT64 = 13, 14, 15
FLOAT8 = tuple(range(16, 21))  # e4m3fn, e5m2, e8m0fnu, e4m3fnuz, e5m2fnuz
# Dtypes with loops to only one or a few other dtypes, through which they are converted to all others.
HUBS = {**dict.fromkeys((*HALVES, *FLOAT8), FLOAT32), UINT16: INT32, UINT32: INT64, UINT64: INT64}
# Operators that accept storage dtypes by way of the hub: float8 is compared, and unsigned integers take part where the
# low bits of a result depend only on those of the operands.
COMPARED = ("eq", "ne", "isnan")
MODULAR = (*COMPARED, "mul", "bitwise_and", "bitwise_or", "bitwise_xor", "floor", "ceil", "trunc", "round")
ROUNDINGS = {"float16": FLOAT16, "bfloat16": BFLOAT16}  # instructions whose result has this dtype
TILE, TILES_ROOM, MOST_TILES, MOST_CONSTANTS, MOST_READ = 512, 16384, 32, 16, 6
QUOTIENTS = ("floor_divide", "trunc_divide", "remainder", "fmod")  # of integers: zeros are refused


class Step(NamedTuple):
    """An instruction with its loop. `result` is its value's number: -1 for a requirement, which has no loop."""

    kernel: Kernel | None
    values: tuple[int, ...]
    result: int
    converts: bool = False  # whether it only converts a value to another dtype


class Steps:
    """Instructions with loops, and the dtype code of each value; values are numbered like in a program."""

    def __init__(self, codes: Sequence[int]):
        self.codes = list(codes)
        self.steps: list[Step] = []
        self._converted: dict[tuple[int, int], int] = {}

    def add(self, kernel: Kernel | None, values: tuple[int, ...], code: int, *, converts: bool = False) -> int:
        """Append an instruction; return the number of its result."""
        self.codes.append(code)
        self.steps.append(Step(kernel, values, -1 if kernel is None else len(self.codes) - 1, converts))
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
            kernel = kernel_for("copy", given, code)
            self._converted[value, code] = self.add(kernel, (value,), code, converts=True)
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


def type_program(
    program: Program, inputs: Sequence[int | type], outputs: Sequence[int]
) -> tuple[Steps, list[int]] | None:
    """Return a program's steps for these operand dtypes, and its results; None if the kernel table lacks a loop."""
    compute = computed_in(inputs, outputs[0])
    steps = Steps([operand if isinstance(operand, int) else compute for operand in inputs])
    steps.codes += [compute] * len(program.constants)
    numbers = list(range(len(steps.codes)))  # of the program's values, here
    for place, code in enumerate(inputs):
        if isinstance(code, int) and code not in (compute, BOOL, *HALVES):
            numbers[place] = steps.converted(place, compute)
    for operation, values in program.instructions:
        given = tuple([numbers[value] for value in values])
        if operation == "require":
            numbers.append(steps.add(None, given, BOOL))
            continue
        if operation in ROUNDINGS:
            numbers.append(steps.converted(given[0], ROUNDINGS[operation]))
            continue
        if compute <= INT64 and operation in QUOTIENTS:
            return None
        found = find_loop(operation, [steps.codes[value] for value in given], compute)
        if found is None or len(given) >= MOST_READ:
            return None
        kernel, codes = found
        given = tuple([steps.converted(value, code) for value, code in zip(given, codes, strict=False)])
        numbers.append(steps.add(kernel, given, codes[-1]))
    return steps, [numbers[value] for value in program.results]


def find_loop(operation: str, codes: Sequence[int], compute: int) -> tuple[Kernel, tuple[int, ...]] | None:
    """Return the loop for values of these dtypes, and the dtypes of its operands; bools may be used as numbers."""
    computed = tuple([compute if code in HALVES else code for code in codes])
    for taken in (tuple(codes), computed, (compute,) * len(codes)):
        for result in (compute, BOOL, *ROUNDINGS.values()):
            kernel = find_kernel(operation, *taken, result)
            if kernel is not None:
                return kernel, (*taken, result)
    return None


def place_results(steps: Steps, arrays: Sequence[int], results: Sequence[int], outputs: Sequence[int]) -> list[int]:
    """Give each result a final instruction after which no `arrays` are read, appending a copy if necessary.

    The result may be written over the memory of one of them.
    """
    placed: list[int] = []
    for result, code in zip(results, outputs, strict=True):
        result = steps.converted(result, code)
        if result in placed or not any([step.result == result for step in steps.steps]):
            result = steps.add(kernel_for("copy", code, code), (result,), code)
        placed.append(result)
    for place, result in enumerate(placed):
        made_at = next(i for i, step in enumerate(steps.steps) if step.result == result)
        if _reads(steps.steps[made_at + 1 :], arrays):
            code = steps.codes[result]
            placed[place] = steps.add(kernel_for("copy", code, code), (result,), code)
    return placed


def _reads(steps: Sequence[Step], values: Sequence[int]) -> bool:
    return any([value in values for step in steps for value in step.values])


class Tiles:
    """The tile of each value; tiles of values that are no longer needed are reused for the same element size."""

    def __init__(self) -> None:
        self.itemsizes: list[int] = []
        self.idle: dict[int, list[int]] = {}
        self.of: dict[int, int] = {}

    def take(self, value: int, itemsize: int) -> None:
        idle = self.idle.setdefault(itemsize, [])
        if not idle:
            idle.append(len(self.itemsizes))
            self.itemsizes.append(itemsize)
        self.of[value] = idle.pop()

    def release(self, value: int) -> None:
        self.idle[self.itemsizes[self.of[value]]].append(self.of[value])


def struct_of(
    steps: Steps, inputs: int, constants: Sequence[float], compute: int, results: Sequence[int]
) -> Struct | None:
    """Return the struct facula_program; None if it needs more tiles or constants than it has room for."""
    operands, first = inputs + len(results), inputs + len(constants)
    last_read = {value: at for at, step in enumerate(steps.steps) for value in step.values}
    tiles = Tiles()
    places = {result: inputs + i for i, result in enumerate(results)}
    places.update({value: value if value < inputs else value + len(results) for value in range(first)})
    instructions = []
    for at, (kernel, values, result, _) in enumerate(steps.steps):
        tile = result >= 0 and result not in places
        if tile:
            tiles.take(result, dtype_of_code(steps.codes[result]).itemsize)
            places[result] = operands + len(constants) + tiles.of[result]
        for value in {*values, result}:
            if value in tiles.of and last_read.get(value, at) == at:
                tiles.release(value)
        taken = [places[value] for value in (*values, result) if value >= 0]
        loop = ffi.NULL if kernel is None else ffi.cast("facula_loop", kernel.address)
        instructions.append({"loop": loop, "values": len(values) + 1, "value": taken, "tile": tile})
    if len(tiles.itemsizes) > MOST_TILES or len(constants) > MOST_CONSTANTS:
        return None
    room = TILES_ROOM // max(len(tiles.itemsizes), 1) // 64 * 64
    length = min(TILE, room // max(tiles.itemsizes, default=1))
    room = min(room, length * max(tiles.itemsizes, default=1) + APART)
    dtype = dtype_of_code(compute).numpy
    held = b"".join([np.array(constant).astype(dtype).tobytes().ljust(16, b"\0") for constant in constants])
    return ffi.new(
        "struct facula_program *",
        {
            "constants": len(constants),
            "tiles": len(tiles.itemsizes),
            "length": length,
            "room": room,
            "instructions": len(instructions),
            "constant": list(held),
            "itemsize": tiles.itemsizes,
            "instruction": instructions,
        },
    )


class Compiled(NamedTuple):
    """A loop, or a program, for operands of given dtypes."""

    loop: Struct  # NULL for a program
    program: Struct  # NULL for a loop
    loops: tuple[Struct, ...]  # in their order
    cost: int  # picoseconds per element
    computes: tuple[int, ...]  # the addresses of the loops, except those that convert and place results
    requires: bool = False


def single(kernel: Kernel) -> Compiled:
    """Return a compiled single loop."""
    loop = ffi.cast("facula_loop", kernel.address)
    return Compiled(loop, ffi.NULL, (loop,), kernel.cost, (kernel.address,))


def assemble(
    steps: Steps,
    inputs: Sequence[int | type],
    outputs: Sequence[int],
    results: Sequence[int],
    constants: Sequence[float] = (),
    compute: int = FLOAT32,
    is_apart: bool = False,
) -> Compiled | None:
    """Return the struct of typed steps, including results; None if there is no room."""
    arrays = [place for place, operand in enumerate(inputs) if isinstance(operand, int) and not is_apart]
    computes = tuple([step.kernel.address for step in steps.steps if step.kernel is not None and not step.converts])
    requires = any([step.kernel is None for step in steps.steps])
    placed = place_results(steps, arrays, results, outputs)
    struct = struct_of(steps, len(inputs), constants, compute, placed)
    if struct is None:
        return None
    kernels = [step.kernel for step in steps.steps if step.kernel is not None]
    loops = tuple([ffi.cast("facula_loop", kernel.address) for kernel in kernels])
    return Compiled(ffi.NULL, struct, loops, sum([kernel.cost for kernel in kernels]), computes, requires)


def rounded(program: Program, outputs: Sequence[int]) -> Program:
    """Return the program with an instruction for each rounding of a result to a half type, for fusion with others.

    >>> from facula_storage.extend import Instruction, Program
    >>> print(rounded(Program("double", 1, (), (Instruction("add", (0, 0)),), (1,)), (FLOAT16,)))
    double(a): b = add(a, a); c = float16(b); c
    """
    first = program.operands + len(program.constants)
    instructions, results = list(program.instructions), list(program.results)
    for place, (value, code) in enumerate(zip(program.results, outputs, strict=True)):
        name = dtype_of_code(code).name
        if code in HALVES and not (value >= first and instructions[value - first].operation == name):
            results[place] = first + len(instructions)
            instructions.append(Instruction(name, (value,)))
    return program._replace(instructions=tuple(instructions), results=tuple(results))


@lru_cache(maxsize=4096)
def compile_program(program: Program, inputs: tuple[int | type, ...], outputs: tuple[int, ...]) -> Compiled | None:
    """Return the program for inputs of these dtypes (or types of numbers); None without loops or room for it."""
    typed = type_program(program, inputs, outputs)
    if typed is None:
        return None
    steps, results = typed
    compute = computed_in(inputs, outputs[0])
    return assemble(steps, inputs, outputs, results, program.constants, compute, program.is_apart)
