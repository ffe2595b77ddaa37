"""Compilation of programs of elementwise operations into the struct that runs them, in the order of this file.

Stages: typed steps (see typed.py), then placed results, then assigned tiles, then the struct.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from facula_storage.extend.layouts import dtype_of_code
from facula_storage.extend.plans import Instruction

from .._kernels import ffi
from .._runtime.registry import kernel_for
from .typed import HALVES, Steps, typed_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage.extend.plans import Program

    from .._runtime.registry import Kernel
    from .._runtime.types import Struct
    from .typed import Step, TypedProgram

APART = 192  # bytes between tiles: at distances of a multiple of 4096, reads would wait for writes
TILE, TILES_ROOM, MOST_TILES, MOST_CONSTANTS = 1024, 16384, 32, 16


def kernel_of(step: Step) -> Kernel | None:
    """Return the loop of a step; None for a requirement."""
    return None if step.operation == "require" else kernel_for(step.operation, *step.dtypes)


def place_results(steps: Steps, arrays: Sequence[int], results: Sequence[int]) -> list[int]:
    """Give each result a final instruction after which no `arrays` are read, appending a copy if necessary.

    The result may be written over the memory of one of them.
    """
    placed: list[int] = []
    for result in results:
        if result in placed or not any([step.result == result for step in steps.steps]):
            result = steps.add("copy", (result,), steps.codes[result])
        placed.append(result)
    for place, result in enumerate(placed):
        made_at = next(i for i, step in enumerate(steps.steps) if step.result == result)
        if _reads(steps.steps[made_at + 1 :], arrays):
            placed[place] = steps.add("copy", (result,), steps.codes[result])
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
    for at, step in enumerate(steps.steps):
        kernel, values, result = kernel_of(step), step.values, step.result
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


def assemble(typed: TypedProgram, inputs: Sequence[int | type], is_apart: bool = False) -> Compiled | None:
    """Return the struct of typed steps, including results; None if there is no room."""
    arrays = [place for place, at in enumerate(typed.order) if isinstance(inputs[at], int) and not is_apart]
    found = [(step, kernel_of(step)) for step in typed.steps]
    computes = tuple([kernel.address for step, kernel in found if kernel is not None and not step.converts])
    requires = any([kernel is None for _, kernel in found])
    steps = Steps(typed.codes, typed.steps)
    placed = place_results(steps, arrays, typed.results)
    struct = struct_of(steps, len(inputs), typed.constants, typed.compute, placed)
    if struct is None:
        return None
    kernels = [kernel for kernel in map(kernel_of, steps.steps) if kernel is not None]
    loops = tuple([ffi.cast("facula_loop", kernel.address) for kernel in kernels])
    return Compiled(ffi.NULL, struct, loops, sum([kernel.cost for kernel in kernels]), computes, requires)


def rounded(program: Program, outputs: Sequence[int]) -> Program:
    """Return the program with an instruction for each rounding of a result to a half type, for fusion with others.

    >>> from facula_storage.extend import Instruction, Program
    >>> FLOAT16 = 7
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
    typed = typed_program(program, inputs, outputs)
    return None if typed is None else assemble(typed, inputs, program.is_apart)
