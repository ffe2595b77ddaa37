"""From kernels and their arguments to a plan: the text of a module, and the struct that the launch reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from facula_storage import Plan, bind

from .._compile.modules import functions
from .._driver import ffi
from .fixed import NEVER, address_of, headers
from .reports import record_of, reporting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from facula_storage import Device, Layout

MAX_BLOCKS = 132 * 16  # as many as the largest devices run at a time, several times
MAX_ARGUMENTS, MAX_CONSTANTS = 40, 128  # of a launch, and of a plan
TABLE_WORDS = 500  # of the parameter block of a table
THREADS = 256
WARP = 32


class Kernel(NamedTuple):
    """A kernel of a plan: the statement that it runs on the block `p`, and its grid.

    With `per`, the grid covers the number of elements of the launch, `per` in a block, with at most `blocks` blocks.
    `waits` says that threads wait for one another.
    """

    name: str
    body: str
    blocks: int
    threads: int = THREADS
    per: int = 0
    waits: bool = False


def padded(words: Sequence[int]) -> list[int]:
    """Return the words, with zeros up to one of a few lengths: so that one compiled kernel serves several shapes.

    >>> len(padded([1, 2, 3])), len(padded([0] * 13))
    (12, 24)
    """
    length = 12
    while length < len(words):
        length *= 2
    return [*words, *[0] * (length - len(words))]


def blocks_for(count: int, each: int = THREADS) -> int:
    """Return the number of blocks for `count` elements, `each` in a block.

    >>> blocks_for(0), blocks_for(257), blocks_for(10**12) == MAX_BLOCKS
    (1, 2, True)
    """
    return max(1, min(-(-count // each), MAX_BLOCKS))


def source_of(
    templates: Sequence[str],
    kernels: Sequence[Kernel],
    pointers: Sequence[str],
    scalars: Mapping[str, type],
    constants: Mapping[str, int | Sequence[int]],
    absent: Sequence[str],
    checks: bool,
) -> str:
    """Return the text of a module with these kernels; see Note [Kernel templates] in common.cuh."""
    fields = ["int64_t n;", *(f"char *{name};" for name in pointers)]
    fields += [f"{'double' if kind is float else 'int64_t'} {name};" for name, kind in scalars.items()]
    fields += [
        f"int64_t {name};" if isinstance(value, int) else f"int64_t {name}[{len(value)}];"
        for name, value in constants.items()
    ]
    fields.append("uint64_t *record;" if checks else "static constexpr uint64_t *record = nullptr;")
    fields += [f"static constexpr char *{name} = nullptr;" for name in absent]
    return module_text(templates, fields, kernels)


def module_text(templates: Sequence[str], fields: Sequence[str], kernels: Sequence[Kernel]) -> str:
    """Return the text of a module. A template is the name of a file, or text with line breaks."""
    text = [one if "\n" in one else f'#include "facula/{one}.cuh"' for one in ("common", *templates)]
    text += ["struct args {", *(f"    {field}" for field in fields), "};"]
    text += [f"{'SYNC_KERNEL' if one.waits else 'KERNEL'}({one.name}, args)\n{{\n    {one.body}\n}}" for one in kernels]
    return "\n".join(text) + "\n"


def kernel_plan(
    operator: str,
    parameters: tuple[object, ...],
    outputs: Sequence[Layout],
    templates: Sequence[str],
    kernels: Sequence[Kernel],
    *,
    pointers: str,
    scalars: Mapping[str, type] | None = None,
    constants: Mapping[str, int | Sequence[int]] | None = None,
    absent: str = "",
    workspace: int = 0,
    checks: Sequence[Layout | type | None] = (),
    any_size: bool = False,
) -> Plan | None:
    """Return a plan that queues the kernels, one after the other. None if its constants are too many.

    Arguments:
        operator, parameters, outputs, workspace, any_size: as for `Plan`.
        templates: files in `kernels` that the kernels' bodies use, without the suffix.
        kernels: the kernels, in order.
        pointers: the names of the launch's addresses, in order. With a workspace, `workspace` follows.
        scalars: the names and types of the numbers after them.
        constants: numbers that the kernels read from the block: one or several for each name.
        absent: names of addresses that the template uses, and this operator does not have: they are NULL.
        checks: the operator's inputs, if the kernels report wrong elements.
    """
    scalars, constants = scalars or {}, constants or {}
    names = [*pointers.split(), *(["workspace"] if workspace else [])]
    constants = {name: value if isinstance(value, int) else padded(value) for name, value in constants.items()}
    words = [number for value in constants.values() for number in ([value] if isinstance(value, int) else value)]
    arguments = 1 + len(names) + len(scalars)
    if arguments > MAX_ARGUMENTS or len(words) > MAX_CONSTANTS:
        return None
    text = source_of(templates, kernels, names, scalars, constants, absent.split(), bool(checks))
    doubles = sum(1 << 1 + len(names) + place for place, kind in enumerate(scalars.values()) if kind is float)
    index = outputs[0].device.index or 0
    launch = bind_grid(text, kernels, index, arguments, doubles, words, bool(checks))
    plan = Plan(operator, parameters, tuple(outputs), launch, workspace, any_size)
    return reporting(plan, index, checks) if checks else plan


def bind_grid(
    text: str,
    kernels: Sequence[Kernel],
    index: int,
    arguments: int,
    doubles: int,
    words: Sequence[int],
    checks: bool,
) -> Callable[..., None]:
    """Return a launch of `arguments` arguments that queues kernels; `words` are the plan's constants."""
    handles = functions(text, [one.name for one in kernels], index, headers())
    plan = ffi.new("struct facula_cuda_fixed *")
    plan.device, plan.words, plan.constants, plan.steps = index, arguments, len(words), len(kernels)
    plan.record = record_of(index) if checks else 0
    plan.constant[0 : len(words)] = list(words)
    for step, one, handle in zip(plan.step, kernels, handles, strict=False):
        step.function, step.threads = handle, one.threads
        step.blocks, step.per_block, step.max_blocks = (0, one.per, one.blocks) if one.per else (one.blocks, 0, 0)
    return bind(address_of("facula_cuda_fixed"), int(ffi.cast("intptr_t", plan)), NEVER, doubles, plan, arguments)


def table_plan(
    operator: str,
    parameters: tuple[object, ...],
    outputs: Sequence[Layout],
    templates: Sequence[str],
    kernels: Sequence[Kernel],
    *,
    numbers: int,
    columns: int,
    lengths: Sequence[int],
    per_block: int,
    device: Device,
) -> Plan:
    """Return a plan that queues a kernel over rows of addresses, and then, if there are two, one with a thread per row.

    Arguments:
        operator, parameters, outputs, templates, kernels: as for `kernel_plan`.
        numbers: the number of floats at the start of a launch, after n.
        columns: the number of addresses of a row.
        lengths: the number of elements of each row.
        per_block: the elements of a row that a block computes.
        device: the device of the rows.
    """
    fields = [
        "int64_t n;",
        f"double numbers[{numbers}];",
        "int64_t rows;",
        f"int64_t row[{TABLE_WORDS - numbers - 2}];",
    ]
    text = module_text(templates, fields, kernels)
    launch = bind_table(text, kernels, device.index or 0, numbers, columns, lengths, per_block)
    return Plan(operator, parameters, tuple(outputs), launch)


def bind_table(
    text: str,
    kernels: Sequence[Kernel],
    index: int,
    numbers: int,
    columns: int,
    lengths: Sequence[int],
    per_block: int,
) -> Callable[..., None]:
    """Return a launch of n, floats, and `columns` addresses for each row."""
    handles = functions(text, [one.name for one in kernels], index, headers())
    plan, kept = ffi.new("struct facula_cuda_table *"), ffi.new("int64_t[]", list(lengths))
    plan.function, plan.finish = handles[0], handles[1] if len(handles) > 1 else 0
    plan.per_block, plan.device, plan.words, plan.columns = per_block, index, 1 + numbers, columns
    plan.threads, plan.rows, plan.lengths = kernels[0].threads, len(lengths), kept
    count = 1 + numbers + columns * len(lengths)
    doubles = sum(2 << place for place in range(numbers))
    return bind(address_of("facula_cuda_table"), int(ffi.cast("intptr_t", plan)), NEVER, doubles, (plan, kept), count)


def bind_join(text: str, kernel: Kernel, index: int) -> Callable[..., None]:
    """Return a launch that joins any number of arrays: see facula_cuda_join."""
    plan = ffi.new("struct facula_cuda_join *")
    (plan.function,) = functions(text, [kernel.name], index, headers())
    plan.max_blocks, plan.device, plan.threads = kernel.blocks, index, kernel.threads
    return bind(address_of("facula_cuda_join"), int(ffi.cast("intptr_t", plan)), NEVER, 0, plan, -4)
