"""Plans of kernels with a fixed grid: the hand-written ones in kernels/, which get constants from their plan."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from facula_storage import Plan, bind

from .._compile.modules import functions
from .._driver import ffi, lib
from .._elements import headers as element_headers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from facula_storage import Layout

NEVER = 1 << 62  # elements from which a launch releases the GIL: it only queues
BLOCK = 256  # threads
MAX_BLOCKS = 4096  # of kernels whose threads loop: some for each multiprocessor of a large device
MAX_DIMENSIONS = 6  # that `dimensions` in kernels/typed.cuh holds

Dimension = tuple[int, ...]  # the length, then the steps of each array


class Kernel(NamedTuple):
    """One kernel of a launch: its name, the number of blocks, and the threads of each."""

    name: str
    blocks: int
    threads: int = BLOCK


@cache
def headers() -> Mapping[str, str]:
    """Return all headers of kernels: element functions, and the templates in kernels/ as "facula/NAME.cuh"."""
    folder = Path(__file__).parent.parent / "kernels"
    templates = {f"facula/{path.name}": path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.cuh"))}
    return {**element_headers(), **templates}


def fixed_plan(
    operator: str,
    parameters: tuple[object, ...],
    outputs: tuple[Layout, ...],
    source: str,
    kernels: Sequence[Kernel],
    constants: Sequence[float],
    *,
    arrays: int,
    workspace: int = 0,
    scratch: bool = False,
    scalars: Sequence[type] = (),
    record: int = 0,
) -> Plan:
    """Return a plan that queues kernels, one after the other, which get the same parameter block.

    Arguments:
        operator: the operator's name.
        parameters: its parameters.
        outputs: the layouts of the results.
        source: the text of the kernels.
        kernels: which of them to queue.
        constants: what the plan appends to the arguments of a launch; ints and floats have 8 bytes each.
        arrays: the number of addresses of inputs and outputs.
        workspace: bytes of the workspace, whose address follows these.
        scratch: whether the kernels get the scratch memory of their stream, before the constants.
        scalars: the type of each number that follows them.
        record: the address of the record in which kernels report wrong elements; 0: they report none.
    """
    device_index = outputs[0].device.index or 0
    handles = functions(source, tuple([kernel.name for kernel in kernels]), device_index, headers())
    plan = ffi.new("struct facula_cuda_fixed *")
    words = 1 + arrays + bool(workspace) + len(scalars)
    plan.device, plan.words, plan.constants, plan.steps = device_index, words, len(constants), len(kernels)
    plan.scratch, plan.record = scratch, record
    plan.constant[0 : len(constants)] = [_word(number) for number in constants]
    for step, handle, kernel in zip(plan.step, handles, kernels, strict=False):
        step.function, step.blocks, step.threads = handle, max(1, min(kernel.blocks, MAX_BLOCKS)), kernel.threads
    doubles = sum([1 << place for place, kind in enumerate(scalars, words - len(scalars)) if kind is float])
    launch = bind(address_of("facula_cuda_fixed"), int(ffi.cast("intptr_t", plan)), NEVER, doubles, plan, words)
    return Plan(operator, parameters, outputs, launch, workspace)


@cache
def address_of(function: str) -> int:
    """Return the address of a function of csrc/."""
    return int(ffi.cast("intptr_t", ffi.addressof(lib, function)))


def _word(number: float) -> int:
    """Return the 8 bytes of a number."""
    return number if isinstance(number, int) else struct.unpack("q", struct.pack("d", number))[0]


def merged(dims: Sequence[Dimension], *, ordered: bool = True) -> list[Dimension]:
    """Return the fewest dimensions with the same elements, given innermost first.

    With `ordered` they are sorted by the first array's steps, so that neighbouring threads read neighbouring elements.

    >>> merged([(4, 4), (3, 16), (1, 7)])
    [(12, 4)]
    """
    kept = [dim for dim in dims if dim[0] != 1]
    if ordered:
        kept.sort(key=_first_step)
    found: list[Dimension] = []
    for dim in kept:
        if found and dim[1:] == tuple([step * found[-1][0] for step in found[-1][1:]]):
            found[-1] = (found[-1][0] * dim[0], *found[-1][1:])
        else:
            found.append(dim)
    return found


def _first_step(dim: Dimension) -> int:
    return dim[1]


def packed(dims: Sequence[Dimension], arrays: int) -> list[int]:
    """Return the words of `dimensions` in kernels/typed.cuh."""
    lengths = [dim[0] for dim in dims] + [0] * (MAX_DIMENSIONS - len(dims))
    steps = [step for dim in dims for step in dim[1:]] + [0] * (arrays * (MAX_DIMENSIONS - len(dims)))
    return [len(dims), *lengths, *steps]
