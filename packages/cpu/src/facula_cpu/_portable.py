"""Plans for other machines: a launch's kernel by name, and its structs with named pointers.

Comments next to a struct in csrc/*/*.cdef.h declare its pointers (csrc/files/portable.h). Fields that the C planners
set for this machine's threads and instruction set are cleared: they are set again on the machine that runs the plan.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import UnsupportedError
from facula_storage.extend.plans import unbind

from ._kernels import ffi, lib
from ._runtime.registry import LEVELS, all_kernels, level

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._runtime.types import Struct

FIRST = ("m", "n", "k", "a_row", "a_col", "b_row", "b_col", "o_row", "o_col", "batches", "batch_dims", "arg_a", "arg_b",
         "arg_bias", "arg_o")  # fmt: skip
COMPLEX = (11, 12)  # dtype codes


class KernelName(NamedTuple):
    """A row of the kernel table: its name, and the dtype codes of its signature."""

    name: str
    signature: tuple[int, ...]


class Part(NamedTuple):
    """A struct of a plan, or an array of numbers (`kind` is "array").

    Arguments:
        kind: the struct's name.
        data: its bytes, with zeros for pointers.
        pointers: the offset and the target, a kernel or another part, of each pointer that is not NULL.
    """

    kind: str
    data: bytes
    pointers: tuple[tuple[int, KernelName | Part], ...]


class PortablePlan(NamedTuple):
    """The parts of a launch, without addresses.

    Arguments:
        kernel: the kernel.
        part: its plan, or None.
        doubles: bit i: argument i is a double.
        sized: whether the machine that runs the plan computes the workspace's size; the launch has one in any case.
    """

    kernel: KernelName
    part: Part | None
    doubles: int
    sized: bool


def portable_plan(operator: str, launch: Callable[..., None]) -> PortablePlan:
    """Return a launch's plan in portable form.

    Arguments:
        operator: its name, for errors.
        launch: a launch that `bind` or `rebind` created.

    Raises:
        NotImplementedError: a plan that Python computes, such as NumPy's functions; a kernel that a program registered;
            a struct without declared pointers; a step of an optimizer that `facula-run` does not have.

    >>> from facula_storage import contiguous, float32
    >>> from ._backend import CpuBackend
    >>> layout = contiguous((2, 3), float32)
    >>> plan = portable_plan("exp", CpuBackend().plan("exp", (layout,), (layout,), ()).launch)
    >>> plan.kernel.name, plan.part.kind
    ('elementwise_dense', 'facula_elementwise')
    >>> plan.part.pointers[0]
    (0, KernelName(name='exp', signature=(9, 9)))
    """
    try:
        kernel, address, doubles, owner = unbind(launch)
    except TypeError:
        raise UnsupportedError(
            f"{operator}: its plan is a function of Python's, which no file can keep; compile it in this process"
        ) from None
    name = _row(operator, kernel)
    if name.name == "optimizer_step" and not lib.facula_is_checked(operator.encode()):
        raise UnsupportedError(
            f"{operator}: facula-run does not have this step and would refuse the file; add the step to the table "
            "`steps` in csrc/reach/elements.c"
        )
    own, *others = owner
    if own is None:
        return PortablePlan(name, None, doubles, False)
    struct = ffi.cast(ffi.typeof(own), address)  # a launch for other layouts has an equivalent struct of its own
    part = _part(operator, struct, others, name.signature[0] if name.signature else 0)
    return PortablePlan(name, part, doubles, part.kind == "facula_matmul")


@lru_cache(maxsize=4)
def _rows(at: str) -> dict[int, KernelName]:
    """Return the rows of the table by address, at one instruction level. Shared functions are shared at all levels."""
    names = {(name, signature) for name, signature, _ in all_kernels()}
    best = LEVELS.index(at)
    found = {}
    for name, signature in sorted(names, reverse=True):
        entry = lib.facula_find_kernel(name.encode(), bytes(signature), best)
        assert entry, f"{name} has no kernel for the baseline"
        found[int(ffi.cast("intptr_t", entry.function))] = KernelName(name, signature)
    return found


def _row(operator: str, address: int) -> KernelName:
    found = _rows(level()).get(address)
    if found is None:
        raise UnsupportedError(
            f"{operator}: no file can keep a kernel that a program registered; compile it in this process"
        )
    return found


def _part(operator: str, struct: Struct, others: list[Struct], code: int) -> Part:
    """Return a struct with all its targets; `code` is the kernel's first dtype."""
    kind = ffi.typeof(struct).item.cname.removeprefix("struct ")
    declared = lib.facula_find_plan_type(kind.encode())
    if not declared:
        raise UnsupportedError(
            f"{operator}: its plan, {kind}, does not say what pointers it has; see csrc/files/portable.h"
        )
    length = declared.bytes + 8 * int(declared.numbers(struct))
    if kind == "facula_matmul":
        return Part(kind, _unplanned(struct, length, code), ())
    data, pointers = bytearray(ffi.buffer(ffi.cast("char *", struct), length)), []
    place = 0
    while field := declared.fields[place]:
        if not field.name:
            break
        for offset in range(field.offset, length if field.step else field.offset + 1, field.step or 1):
            address = int.from_bytes(data[offset : offset + 8], "little")
            if address:
                pointers.append((offset, _target(operator, ffi.string(field.kind).decode(), address, others, code)))
            data[offset : offset + 8] = bytes(8)
        place += 1
    return Part(kind, bytes(data), tuple(pointers))


def _target(operator: str, kind: str, address: int, others: list[Struct], code: int) -> KernelName | Part:
    """Return a pointer's target."""
    if not kind:
        return _row(operator, address)
    (found,) = [other for other in others if other and int(ffi.cast("intptr_t", other)) == address]
    if kind == "array":
        return Part(kind, bytes(ffi.buffer(found)), ())
    return _part(operator, found, others, code)


def _unplanned(struct: Struct, length: int, code: int) -> bytes:
    """Return the bytes of a product without the planner's fields: its swaps are undone."""
    count = 4 * struct.batch_dims
    nest: Struct = struct.nest  # type: ignore[assignment]  # an array in a struct
    steps = [nest[place] for place in range(count)]
    if struct.swapped:
        for place in range(0, count, 4):
            steps[place + 1], steps[place + 2] = steps[place + 2], steps[place + 1]
    made = ffi.new("struct facula_matmul *", {"nest": steps or [0]})
    for name in FIRST:
        setattr(made, name, getattr(struct, name))
    if code in COMPLEX:
        made.n //= 2
        made.k //= 2
    if struct.swapped:
        made.m, made.n = made.n, made.m
        made.a_row, made.b_col = made.b_col, made.a_row
        made.a_col, made.b_row = made.b_row, made.a_col
        made.o_row, made.o_col = made.o_col, made.o_row
        made.arg_a, made.arg_b = made.arg_b, made.arg_a
    return bytes(ffi.buffer(ffi.cast("char *", made), length))
