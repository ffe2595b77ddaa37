"""The planner of elementwise operators: any loop in the kernel table, over operands of any strides."""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import UnsupportedError
from facula_storage.extend import dtype_of_code

from ._kernels import ffi
from ._planners import GRAIN, SERIAL, bound_plan, no_kernel
from ._registry import find_kernel, kernel_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Layout, Plan

    from ._registry import Kernel

BOOL, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 = 1, 6, 7, 8, 9, 10
HALVES = (FLOAT16, BFLOAT16)
FLOATS = (*HALVES, FLOAT32, FLOAT64)
SCALAR_INTEGER, SCALAR_REAL, SCALAR_COMPLEX, SCALAR_FLOAT16, SCALAR_BFLOAT16 = 1, 2, 3, 4, 5  # enum scalar_kind
ARGUMENTS = (int, int, float, complex, float, float)  # what the launch is given for each
MOST_OPERANDS, MOST_DIMS = 6, 64
ENDLESS = 1 << 62
TILE, MOST_REPEATS = 512, 2  # elements of a tile, and tiles: see elementwise.c

QUOTIENTS = ("floor_divide", "trunc_divide", "remainder", "fmod")  # of integers: zeros are refused
# Numbers beside float16 and bfloat16 that are rounded to those first, by operator and place, as PyTorch's kernels do.
# Others, factors and divisors above all (a loss times 70000), take part in float32.
BOTH_ROUNDED = "add sub add_scaled remainder fmod pow pow_number maximum minimum eq ne lt le gt ge".split()
ROUNDED = {**dict.fromkeys(BOTH_ROUNDED, (0, 1)), "floor_divide": (0,), "trunc_divide": (0,)}
MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
STRIDED_COST = 700  # picoseconds: an element that is not beside the one before
STRUCT = ffi.typeof("struct facula_elementwise *")


class Form(NamedTuple):
    """What a plan has before shapes are known."""

    fields: dict[str, Any]  # of struct facula_elementwise
    order: tuple[int, ...]  # the inputs as the loop takes them
    itemsizes: tuple[int, ...]  # of each operand in the loop's order; 0 for a scalar
    cost: int
    arrays: int
    scalars: tuple[type, ...]  # the launch's arguments after the arrays
    dense_kernel: int  # for contiguous operands
    nest_kernel: int


def find_loop(operator: str, operands: tuple[int | type, ...], output: int) -> tuple[Kernel, tuple[int, ...]] | None:
    """The loop for these inputs (dtype codes, or types of scalars) and output, and the dtypes it takes and gives.

    A scalar takes the type that the operator computes in. Where it could be a wider integer than
    the arrays and the table has such a loop (comparisons), that is exact for every scalar.
    """
    codes = [code for code in operands if isinstance(code, int)]
    ours = output if output != BOOL or not codes else codes[0]
    for scalar in (INT64, ours) if BOOL < ours < INT64 else (ours,):
        exact = tuple(code if isinstance(code, int) else scalar for code in operands)
        widened = tuple(FLOAT32 if code in HALVES else code for code in exact)
        for dtypes in ((*exact, output), (*widened, output), (*widened, FLOAT32 if output in HALVES else output)):
            kernel = find_kernel(operator, *dtypes)
            if kernel is not None:
                return kernel, dtypes
    return None


@lru_cache(maxsize=4096)
def find_form(operator: str, inputs: tuple[int | type, ...], output: int) -> Form | None:
    """The form of a plan for these inputs (dtype codes, or types of scalars) and output dtype code."""
    name, order = operator, tuple(range(len(inputs)))
    if operator == "fill":
        name = "copy"
    elif operator in MIRRORED and isinstance(inputs[0], type):
        name, order = MIRRORED[operator], (1, 0)  # the table has integers against any int on the right
    operands = tuple(inputs[i] for i in order)
    found = find_loop(name, operands, output)
    if found is None or len(operands) >= MOST_OPERANDS:
        return None
    kernel, dtypes = found

    # In the launch: n, arrays in the order of the inputs, output, scalars in their order (a complex one takes two).
    arrays = sum(isinstance(one, int) for one in inputs)
    places, next_array, next_scalar = [], 1, 2 + arrays
    for one in inputs:
        places.append(next_array if isinstance(one, int) else next_scalar)
        next_array += isinstance(one, int)
        next_scalar += 0 if isinstance(one, int) else 2 if one is complex else 1
    kinds = [scalar_kind(one, code) for one, code in zip(operands, dtypes, strict=False)]
    half = next((code for code in operands if code in HALVES), None)
    if half is not None and name in ROUNDED:
        for place in ROUNDED[name]:
            if kinds[place] == SCALAR_REAL:
                kinds[place] = SCALAR_FLOAT16 if half == FLOAT16 else SCALAR_BFLOAT16
    convert, cost = [ffi.NULL] * len(dtypes), kernel.cost
    for i, (there, here) in enumerate(zip((*operands, output), dtypes, strict=True)):
        if isinstance(there, int) and there != here:
            conversion = kernel_for("copy", here, there) if i == len(operands) else kernel_for("copy", there, here)
            convert[i] = ffi.cast("facula_loop", conversion.address)
            cost += conversion.cost
    divides = operator in QUOTIENTS and output <= INT64
    special = any(kinds) or any(convert) or divides
    nest_kernel = "elementwise_quotient" if divides else "elementwise"
    return Form(
        fields={
            "loop": ffi.cast("facula_loop", kernel.address),
            "operands": len(dtypes),
            "argument": [*(places[i] for i in order), 1 + arrays],
            "scalar": [*kinds, 0],
            "dtype": dtypes,
            "convert": convert,
        },
        order=order,
        itemsizes=tuple(dtype_of_code(one).itemsize if isinstance(one, int) else 0 for one in (*operands, output)),
        cost=cost,
        arrays=arrays + 1,
        scalars=tuple(ARGUMENTS[kind] for kind in (kinds[i] for i in order) if kind),  # swapping twice is no swap
        dense_kernel=kernel_for(nest_kernel if special else "elementwise_dense").address,
        nest_kernel=kernel_for(nest_kernel).address,
    )


def plan_elementwise(operator: str, inputs: tuple, outputs: tuple[Layout, ...], parameters: tuple) -> Plan:
    """A plan for one output and inputs that broadcast to its shape; see Note [Elementwise] in elementwise.c."""
    output = outputs[0]
    shape = output.shape
    if operator == "pow" and output.dtype.code in FLOATS and isinstance(inputs[1], type):
        operator = "pow_number"
    any_size = output.is_contiguous
    types = []
    for one in inputs:
        if isinstance(one, type):
            types.append(one)
        else:
            types.append(one.dtype.code)
            any_size = any_size and one.is_contiguous and one.shape == shape
    form = find_form(operator, tuple(types), output.dtype.code)
    if form is None:
        raise no_kernel(operator, inputs, outputs)
    any_rows = output.is_contiguous and shape[:1] > (1,) and output.numel > 0 and not any_size
    cost = form.cost
    repeats = block = 0
    if any_size:
        dims, nest, kernel = 0, [0, *form.itemsizes], form.dense_kernel
    else:
        still = (0,) * len(shape)
        steps = [still if isinstance(inputs[i], type) else byte_steps(inputs[i], shape) for i in form.order]
        steps.append(byte_steps(output, shape))
        walk = collapse(shape, steps)
        if any_rows:  # the outermost dimension: the launch says how many elements there are
            walk[-1] = (ENDLESS, *walk[-1][1:])
        dims, nest, kernel = len(walk), [number for dim in walk for number in dim], form.nest_kernel
        if dims > 1 and output.numel:
            repeats, block = repeated_rows(walk, form.itemsizes)
        for step, itemsize in zip(walk[0][1:], form.itemsizes, strict=True):
            if step and step != itemsize and cost < STRIDED_COST:
                cost = STRIDED_COST
    struct = ffi.new(
        STRUCT,
        {
            **form.fields,
            "serial": SERIAL // cost,
            "grain": GRAIN // cost,
            "dims": dims,
            "nest": nest,
            "repeats": repeats,
            "block": block,
        },
    )
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel,
        struct,
        arrays=form.arrays,
        scalars=form.scalars,
        cost=cost,
        any_size=any_size,
        any_rows=any_rows,
    )


def repeated_rows(walk: list[tuple[int, ...]], itemsizes: tuple[int, ...]) -> tuple[int, int]:
    """Which operands are the same in each of many short rows, as a bit mask, and how many rows make a tile.

    (0, 0) where none is, or where another one's rows do not lie side by side.

    >>> repeated_rows([(16, 4, 4, 4), (100, 64, 0, 64)], (4, 4, 4))
    (2, 32)
    """
    extent, *inner = walk[0]
    repeats = 0
    for i, (step, next_step) in enumerate(zip(inner, walk[1][1:], strict=True)):
        if next_step != step * extent:
            if next_step or step != itemsizes[i]:
                return 0, 0
            repeats |= 1 << i
    block = TILE // extent
    return (repeats, block) if repeats and block > 1 and repeats.bit_count() <= MOST_REPEATS else (0, 0)


def scalar_kind(operand: Any, code: int) -> int:
    """How the scalar of type `operand` is given to a loop that computes in dtype `code`; 0 for an array."""
    if operand is complex:
        return SCALAR_COMPLEX
    if operand is float:
        return SCALAR_REAL
    if isinstance(operand, type):
        return SCALAR_INTEGER if code <= INT64 else SCALAR_REAL
    return 0


def byte_steps(layout: Layout, shape: tuple[int, ...]) -> Sequence[int]:
    """Bytes from one element to the next along each dimension of `shape`; 0 where the layout broadcasts."""
    itemsize = layout.dtype.itemsize
    if layout.shape == shape:
        return [stride * itemsize for stride in layout.strides]
    steps = [0] * (len(shape) - len(layout.shape))
    for size, stride in zip(layout.shape, layout.strides, strict=True):
        steps.append(0 if size == 1 else stride * itemsize)
    return steps


def collapse(shape: tuple[int, ...], steps: list[Sequence[int]]) -> list[tuple[int, ...]]:
    """The fewest dimensions that visit the same elements: (extent, step of each operand), innermost first.

    Dimensions are ordered by the steps of the last operand, the output, so that it is written in
    the order it lies in; neighbours that every operand walks as one are merged. Any result of one
    or more dimensions, at most 64.

    >>> collapse((2, 3, 4), [(48, 16, 4), (0, 0, 4), (48, 16, 4)])
    [(4, 4, 4, 4), (6, 16, 0, 16)]
    """
    dims = [dim for dim in zip(shape, *steps, strict=True) if dim[0] != 1]
    dims.reverse()
    dims.sort(key=last)
    merged: list[tuple[int, ...]] = []
    for dim in dims:
        if merged:
            extent, *inner = merged[-1]
            if dim[1:] == tuple([step * extent for step in inner]):
                merged[-1] = (extent * dim[0], *inner)
                continue
        merged.append(dim)
    if len(merged) > MOST_DIMS:
        raise UnsupportedError(f"at most {MOST_DIMS} dimensions can be walked; got {len(merged)}; copy first")
    return merged or [(1, *(0 for _ in steps))]


last = itemgetter(-1)  # of a dimension: the step of the output
