"""Plans of kernels: the text of a module, the struct that a launch reads, and the grids.

Note [Modules]
~~~~~~~~~~~~~~
The text of a module is that of its templates, a struct with the fields of the parameter block, and a definition of each
kernel. The names of the struct and of the kernels end in a digest of the text. So any modules may be compiled together,
as facula_cuda.testing does. Kernels with an empty body are defined by the templates, with their own structs.
"""

from __future__ import annotations

import struct
from functools import cache
from hashlib import blake2s
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from facula_storage import Plan, bind

from .._compile.modules import functions
from .._driver import ffi, lib
from .._elements import headers as element_headers
from .._port.functions import address_of
from .reports import record_of, reporting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from facula_storage import Device, Layout

    Constant = int | float | Sequence[int]

MAX_BLOCKS = 132 * 16  # as many as the largest devices run at a time, several times
MAX_ARGUMENTS, MAX_CONSTANTS = lib.MAX_WORDS, lib.MAX_CONSTANTS  # of a launch, and of a plan
TABLE_WORDS = 500  # of the parameter block of a table
THREADS = 256
WARP = 32
NEVER = 1 << 62  # elements from which a launch releases the GIL: it only queues


class Kernel(NamedTuple):
    """A kernel of a plan: the statement that it runs on the block `p`, and its grid.

    With `per`, the grid covers the number of elements of the launch, `per` in a block, with at most `blocks` blocks.
    `waits` says that threads wait for one another. With an empty body, a template defines the kernel. With `turns`
    it is queued several times; the first constant of the plan is then the number of the turn.
    """

    name: str
    body: str
    blocks: int
    threads: int = THREADS
    per: int = 0
    waits: bool = False
    turns: int = 1


class Module(NamedTuple):
    """The text of a module, and the names of its kernels."""

    text: str
    names: tuple[str, ...]

    def functions(self, device_index: int) -> tuple[int, ...]:
        """Return the handles of the kernels on a device."""
        return functions(self.text, self.names, device_index, headers())


@cache
def headers() -> Mapping[str, str]:
    """Return all headers of kernels: element functions, and the templates below kernels/ as "facula/NAME.cuh"."""
    folder = Path(__file__).parent.parent / "kernels"
    templates = {f"facula/{path.name}": path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.cuh"))}
    return {**element_headers(), **templates}


def _word(number: float) -> int:
    """Return the 8 bytes of a number."""
    return number if isinstance(number, int) else struct.unpack("q", struct.pack("d", number))[0]


def blocks_for(count: int, each: int = THREADS) -> int:
    """Return the number of blocks for `count` elements, `each` in a block.

    >>> blocks_for(0), blocks_for(257), blocks_for(10**12) == MAX_BLOCKS
    (1, 2, True)
    """
    return max(1, min(-(-count // each), MAX_BLOCKS))


def module_of(templates: Sequence[str], fields: Sequence[str], kernels: Sequence[Kernel]) -> Module:
    """Return a module: see Note [Modules].

    Arguments:
        templates: names of files in kernels/ without the suffix, or text with line breaks.
        fields: the declarations in the struct of the parameter block.
        kernels: the kernels.
    """
    names = tuple([one.name for one in kernels])
    includes = [one if "\n" in one else f'#include "facula/{one}.cuh"' for one in templates]
    if not any([one.body for one in kernels]):
        return Module("\n".join(includes), names)
    block = "\n".join(["{", *(f"    {field}" for field in fields), "};"])
    content = repr((templates, block, [(one.name, one.body, one.waits) for one in kernels]))
    digest = blake2s(content.encode(), digest_size=4).hexdigest()
    names = tuple([f"{name}_{digest}" for name in names])
    text = ['#include "facula/common.cuh"', *includes, f"struct args_{digest} {block}"]
    text += [
        f"{'SYNC_KERNEL' if one.waits else 'KERNEL'}({name}, args_{digest})\n{{\n    {one.body}\n}}"
        for one, name in zip(kernels, names, strict=True)
    ]
    return Module("\n".join(text) + "\n", names)


def _fields(
    pointers: Sequence[str],
    scalars: Mapping[str, type],
    scratch: bool,
    constants: Mapping[str, Constant],
    absent: Sequence[str],
    checks: bool,
) -> list[str]:
    """Return the declarations of a block; see Note [Kernel templates] in common.cuh."""
    fields = ["int64_t n;", *(f"char *{name};" for name in pointers)]
    fields += [f"{'double' if kind is float else 'int64_t'} {name};" for name, kind in scalars.items()]
    fields += ["char *scratch;"] * scratch
    for name, value in constants.items():
        length = "" if isinstance(value, (int, float)) else f"[{len(value)}]"
        fields.append(f"{'double' if isinstance(value, float) else 'int64_t'} {name}{length};")
    fields.append("uint64_t *record;" if checks else "static constexpr uint64_t *record = nullptr;")
    return [*fields, *(f"static constexpr char *{name} = nullptr;" for name in absent)]


def kernel_plan(
    operator: str,
    parameters: tuple[object, ...],
    outputs: Sequence[Layout],
    templates: Sequence[str],
    kernels: Sequence[Kernel],
    *,
    pointers: str,
    scalars: Mapping[str, type] | None = None,
    constants: Mapping[str, Constant] | None = None,
    absent: str = "",
    workspace: int = 0,
    scratch: bool = False,
    checks: Sequence[Layout | type | None] = (),
    any_size: bool = False,
    kept: object = None,
) -> Plan | None:
    """Return a plan that queues the kernels, one after the other. None if its constants are too many.

    Arguments:
        operator, parameters, outputs, workspace, any_size: as for `Plan`.
        templates: files in `kernels` that the kernels' bodies use, without the suffix, or text with line breaks.
        kernels: the kernels, in order. Some may be there several times.
        pointers: the names of the launch's addresses, in order. With a workspace, `workspace` follows.
        scalars: the names and types of the numbers after them.
        constants: numbers that the kernels read from the block: one or several for each name.
        absent: names of addresses that the template uses, and this operator does not have: they are NULL.
        scratch: whether the kernels get the scratch memory of their stream, before the constants.
        checks: the operator's inputs, if the kernels report wrong elements.
        kept: an object that lives as long as the plan, such as a `Table`.
    """
    scalars, constants = scalars or {}, constants or {}
    names = [*pointers.split(), *(["workspace"] if workspace else [])]
    words = [
        _word(number)
        for value in constants.values()
        for number in ([value] if isinstance(value, (int, float)) else value)
    ]
    arguments = 1 + len(names) + len(scalars)
    if arguments > MAX_ARGUMENTS or len(words) > MAX_CONSTANTS:
        return None
    distinct = list(dict.fromkeys(kernels))
    module = module_of(templates, _fields(names, scalars, scratch, constants, absent.split(), bool(checks)), distinct)
    index = outputs[0].device.index or 0
    plan = ffi.new("struct facula_cuda_fixed *", {"constant": words})
    plan.device, plan.words, plan.constants, plan.steps = index, arguments, len(words), len(kernels)
    plan.scratch, plan.record = scratch, record_of(index) if checks else 0
    handles = dict(zip(distinct, module.functions(index), strict=False))
    for step, one in zip(plan.step, kernels, strict=False):
        step.function, step.threads, step.repeats = handles[one], one.threads, one.turns - 1
        step.blocks, step.per_block, step.max_blocks = (0, one.per, one.blocks) if one.per else (one.blocks, 0, 0)
    doubles = sum([1 << place for place, kind in enumerate(scalars.values(), 1 + len(names)) if kind is float])
    at = int(ffi.cast("intptr_t", plan))
    launch = bind(address_of("facula_cuda_fixed"), at, NEVER, doubles, (plan, kept), arguments)
    made = Plan(operator, parameters, tuple(outputs), launch, workspace, any_size)
    return reporting(made, index, checks) if checks else made


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
    index = device.index or 0
    handles = module_of(templates, fields, kernels).functions(index)
    plan, kept = ffi.new("struct facula_cuda_table *"), ffi.new("int64_t[]", list(lengths))
    plan.function, plan.finish = handles[0], handles[1] if len(handles) > 1 else 0
    plan.per_block, plan.device, plan.words, plan.columns = per_block, index, 1 + numbers, columns
    plan.threads, plan.rows, plan.lengths = kernels[0].threads, len(lengths), kept
    count = 1 + numbers + columns * len(lengths)
    doubles = sum(2 << place for place in range(numbers))
    at = int(ffi.cast("intptr_t", plan))
    launch = bind(address_of("facula_cuda_table"), at, NEVER, doubles, (plan, kept), count)
    return Plan(operator, parameters, tuple(outputs), launch)


def bind_join(templates: Sequence[str], fields: Sequence[str], kernel: Kernel, index: int) -> Callable[..., None]:
    """Return a launch that joins any number of arrays: see facula_cuda_join."""
    plan = ffi.new("struct facula_cuda_join *")
    (plan.function,) = module_of(templates, fields, [kernel]).functions(index)
    plan.max_blocks, plan.device, plan.threads = kernel.blocks, index, kernel.threads
    return bind(address_of("facula_cuda_join"), int(ffi.cast("intptr_t", plan)), NEVER, 0, plan, -4)
