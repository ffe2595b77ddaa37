"""The planner of elementwise operators: any loop in the kernel table, over operands of any strides."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_storage import Plan

from ._kernels import ffi
from ._planners import GRAIN, SERIAL, bound_plan, no_kernel
from ._registry import find_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Layout

BOOL, INT64, FLOAT16, BFLOAT16, FLOAT32 = 1, 6, 7, 8, 9
HALVES = (FLOAT16, BFLOAT16)
SCALAR_INTEGER, SCALAR_REAL, SCALAR_COMPLEX = 1, 2, 3  # enum scalar_kind
MOST_OPERANDS, MOST_DIMS = 6, 64

MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
STRIDED_COST = 700  # picoseconds: an element that is not beside the one before
CONVERSION_COST = 60  # to or from a half-precision type


class Loop(NamedTuple):
    """A loop for some operand types, and what the driver must do around it."""

    function: Any  # facula_loop
    cost: int
    convert: tuple[Any, ...]  # facula_loop or NULL for each operand
    dtypes: tuple[int, ...]  # of each operand as the loop sees it


def find_loop(operator: str, operands: tuple[int | type, ...], output: int) -> Loop | None:
    """The loop for these inputs (dtype codes, or types of scalars) and output dtype code.

    A scalar takes the type that the operator computes in. Where it could be a wider integer than
    the arrays and the table has such a loop (comparisons), that is exact for every scalar.
    """
    codes = [code for code in operands if isinstance(code, int)]
    ours = output if output != BOOL or not codes else codes[0]
    for scalar in (INT64, ours) if BOOL < ours < INT64 else (ours,):
        exact = tuple(code if isinstance(code, int) else scalar for code in operands)
        widened = tuple(FLOAT32 if code in HALVES else code for code in exact)
        for inputs, result in ((exact, output), (widened, output), (widened, FLOAT32 if output in HALVES else output)):
            kernel = find_kernel(operator, *inputs, result)
            if kernel is None:
                continue
            outside, inside = (*operands, output), (*inputs, result)
            convert = [ffi.NULL] * len(inside)
            for i, (there, here) in enumerate(zip(outside, inside, strict=True)):
                if isinstance(there, int) and there != here:
                    pair = (there, here) if i < len(operands) else (here, there)
                    convert[i] = ffi.cast("facula_loop", find_kernel("copy", *pair).address)
            function = ffi.cast("facula_loop", kernel.address)
            return Loop(function, kernel.cost, tuple(convert), inside)
    return None


_find_loop = lru_cache(maxsize=4096)(find_loop)


def plan_elementwise(operator: str, inputs: tuple, outputs: tuple[Layout, ...], parameters: tuple) -> Plan:
    """A plan for one output and inputs that broadcast to its shape; see Note [Elementwise] in elementwise.c."""
    output = outputs[0]
    arrays = [one for one in inputs if not isinstance(one, type)]
    scalars = [one for one in inputs if isinstance(one, type)]
    # Where each operand comes in the launch: n, arrays, output, scalars (a complex one takes two places).
    array_at, scalar_at = 1, 2 + len(arrays)
    operands = []
    for one in inputs:
        if isinstance(one, type):
            operands.append((one, scalar_at))
            scalar_at += 2 if one is complex else 1
        else:
            operands.append((one, array_at))
            array_at += 1
    name = operator
    if operator == "fill":
        name = "copy"
    elif operator in MIRRORED and isinstance(inputs[0], type):
        name = MIRRORED[operator]
        operands.reverse()
    operands.append((output, 1 + len(arrays)))

    types = tuple(one if isinstance(one, type) else one.dtype.code for one, _ in operands[:-1])
    loop = _find_loop(name, types, output.dtype.code)
    if loop is None or len(operands) > MOST_OPERANDS:
        raise no_kernel(operator, inputs, outputs)

    shape = output.shape
    any_size = all(one.is_contiguous and one.shape == shape for one in [*arrays, output])
    steps = [[] if isinstance(one, type) else byte_steps(one, shape, any_size) for one, _ in operands]
    cost = loop.cost + CONVERSION_COST * sum(map(bool, loop.convert))
    nest = []
    if any_size:
        nest = [0, *(one[0] if one else 0 for one in steps)]
    else:
        dims = collapse(shape, [one or (0,) * len(shape) for one in steps])
        for extent, *by in dims:
            nest += (extent, *by)
        if any(
            step not in (0, one.dtype.itemsize)
            for step, (one, _) in zip(dims[0][1:], operands, strict=True)
            if not isinstance(one, type)
        ):
            cost = max(cost, STRIDED_COST)
    scalar = [scalar_kind(one, code) for (one, _), code in zip(operands, loop.dtypes, strict=True)]
    struct = ffi.new(
        "struct facula_elementwise *",
        {
            "loop": loop.function,
            "serial": SERIAL // cost,
            "grain": GRAIN // cost,
            "operands": len(operands),
            "dims": 0 if any_size else len(nest) // (1 + len(operands)),
            "argument": [at for _, at in operands],
            "scalar": scalar,
            "dtype": loop.dtypes,
            "convert": loop.convert,
            "nest": nest,
        },
    )
    kernel = find_kernel("elementwise" if any(loop.convert) or scalars or not any_size else "elementwise_dense")
    kinds = [argument_type(kind) for kind in scalar if kind]
    if name != operator and len(kinds) > 1:
        raise no_kernel(operator, inputs, outputs)
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=len(arrays) + 1,
        scalars=kinds,
        cost=cost,
        any_size=any_size,
    )


def scalar_kind(operand: Any, code: int) -> int:
    """How the scalar of type `operand` is given to a loop that computes in dtype `code`; 0 for an array."""
    if operand is complex:
        return SCALAR_COMPLEX
    if operand is float:
        return SCALAR_REAL
    if isinstance(operand, type):
        return SCALAR_INTEGER if code <= INT64 else SCALAR_REAL
    return 0


def argument_type(kind: int) -> type:
    """The launch argument for a scalar kind."""
    return (int, float, complex)[kind - 1]


def byte_steps(layout: Layout, shape: tuple[int, ...], dense: bool) -> Sequence[int]:
    """Bytes from one element to the next along each dimension of `shape`; 0 where the layout broadcasts.

    For `dense` only the first entry counts: the item size.
    """
    itemsize = layout.dtype.itemsize
    if dense:
        return (itemsize,)
    missing = len(shape) - len(layout.shape)
    steps = [0] * missing
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
    dims = [(size, *by) for size, *by in zip(shape, *steps, strict=True) if size != 1]
    dims.reverse()
    dims.sort(key=last)
    merged: list[tuple[int, ...]] = []
    for dim in dims:
        if merged:
            inner = merged[-1]
            extent = inner[0]
            if all(step == before * extent for step, before in zip(dim[1:], inner[1:], strict=True)):
                merged[-1] = (extent * dim[0], *inner[1:])
                continue
        merged.append(dim)
    if len(merged) > MOST_DIMS:
        raise NotImplementedError(f"at most {MOST_DIMS} dimensions can be walked; got {len(merged)}; copy first")
    return merged or [(1, *(0 for _ in steps))]


def last(dim: tuple[int, ...]) -> int:
    """The step of the output."""
    return dim[-1]
