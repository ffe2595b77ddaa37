"""The planner of elementwise operators, single loops or programs, over operands of any strides."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from facula_errors import UnsupportedError
from facula_storage import Plan, contiguous
from facula_storage.extend.layouts import dtype_of_code
from facula_storage.extend.plans import Elementwise, Instruction, Program, rebind

from .._kernels import ffi
from .._runtime.planners import GRAIN, SERIAL, bound_launch, no_kernel, release_at
from .._runtime.registry import kernel_for
from .programs import assemble, compile_program, rounded, single
from .typed import (
    BFLOAT16,
    FLOAT8,
    FLOAT16,
    FLOAT32,
    HALVES,
    INT64,
    QUOTIENTS,
    UNSIGNED,
    computed_in,
    typed_program,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import Layout

    from .._runtime.types import Inputs, Layouts, Parameters, Struct
    from .programs import Compiled

SCALAR_INTEGER, SCALAR_REAL, SCALAR_COMPLEX, SCALAR_FLOAT16, SCALAR_BFLOAT16 = 1, 2, 3, 4, 5  # enum scalar_kind
HALF_SCALARS = {SCALAR_FLOAT16: FLOAT16, SCALAR_BFLOAT16: BFLOAT16}
ARGUMENTS = (int, int, float, complex, float, float)  # the launch arguments of each
MOST_OPERANDS, MOST_DIMS = 16, 64
STRUCT = ffi.typeof("struct facula_elementwise *")


class Form(NamedTuple):
    """The parts of a plan that do not depend on lengths and strides."""

    launch: Callable[..., None]  # for contiguous operands of one shape
    for_layouts: Callable[..., Callable[..., None] | None]  # (output, *inputs) -> their launch
    loops: tuple[Struct, ...]  # in their order
    cost: int  # picoseconds per element
    elementwise: Elementwise | None  # None if elements may be refused, or are reduced


@lru_cache(maxsize=4096)
def find_form(operator: str, inputs: tuple[int | type, ...], output: int) -> Form | None:
    """Return the form of a plan for these inputs (dtype codes, or types of scalars) and output dtype code."""
    typed = typed_program(operator, inputs, (output,))
    if typed is None:
        return None
    name, order = typed.name, typed.order
    dtypes = next(step.dtypes for step in typed.steps if not step.converts)  # of the loop
    kinds = [scalar_kind(inputs[at], code) for at, code in zip(order, dtypes, strict=False)]
    for place, half in enumerate(typed.roundings):
        if half:
            kinds[place] = SCALAR_FLOAT16 if half == FLOAT16 else SCALAR_BFLOAT16
    compiled = single(kernel_for(name, *dtypes)) if len(typed.steps) == 1 else assemble(typed, inputs)
    if compiled is None:
        return None
    if name == "copy" and output in HALVES and dtypes[0] in (*HALVES, FLOAT32):
        compiled = compiled._replace(computes=())  # it only converts
    said = with_roundings(name, compiled, kinds, dtypes[:-1], output)
    kernel_name = "elementwise_quotient" if operator in QUOTIENTS and output <= INT64 else "elementwise"
    return form_of(said, compiled, inputs, order, kinds, dtypes[:-1], (output,), kernel_name)


def with_roundings(
    name: str, compiled: Compiled, kinds: Sequence[int], dtypes: Sequence[int], output: int
) -> str | Program:
    """Return a loop as a program that contains its roundings to half types; its name if there are none.

    Arguments:
        name: the loop's name.
        compiled: the compiled loop.
        kinds: how each operand's scalar is passed.
        dtypes: the dtype of each operand there.
        output: the dtype code of the result.
    """
    count, values = len(kinds), list(range(len(kinds)))
    instructions: list[Instruction] = []
    for place, (kind, code) in enumerate(zip(kinds, dtypes, strict=True)):
        half = HALF_SCALARS.get(kind, code) if kind else 0
        if half in HALVES:
            values[place] = count + len(instructions)
            instructions.append(Instruction(dtype_of_code(half).name, (place,)))
    if compiled.computes:
        instructions.append(Instruction(name, tuple(values)))
        values.append(count + len(instructions) - 1)
    program = rounded(Program(name, count, (), tuple(instructions), (values[-1],)), (output,))
    return name if program.instructions == (Instruction(name, tuple(range(count))),) else program


@lru_cache(maxsize=4096)
def find_program_form(program: Program, inputs: tuple[int | type, ...], outputs: tuple[int, ...]) -> Form | None:
    """Return the form of a plan that runs a program."""
    compiled = compile_program(program, inputs, outputs)
    if compiled is None or len(inputs) + len(outputs) > MOST_OPERANDS:
        return None
    compute = computed_in(inputs, outputs[0])
    kinds = [scalar_kind(operand, compute) for operand in inputs]
    dtypes = [compute if isinstance(operand, type) else operand for operand in inputs]
    order = tuple(range(len(inputs)))
    said = rounded(program, outputs)
    return form_of(said, compiled, inputs, order, kinds, dtypes, outputs, "elementwise", program.reduction)


def form_of(
    operator: str | Program,
    compiled: Compiled,
    inputs: tuple[int | type, ...],
    order: tuple[int, ...],
    kinds: Sequence[int],
    dtypes: Sequence[int],
    outputs: Sequence[int],
    kernel_name: str,
    reduction: str = "",
) -> Form:
    """Return the form of a loop or a program.

    Arguments:
        operator: the loop's name, or the program, including its roundings to half types.
        compiled: the compiled loop or program.
        inputs: dtype codes, or types of scalars, in the order of the call.
        order: the input of each of its operands.
        kinds: how each operand's scalar is passed, 0 for an array; like the following, in the operands' order.
        dtypes: the dtype of each operand there.
        outputs: the dtype codes of the results.
        kernel_name: the kernel for operands of any strides.
        reduction: a program's reduction.
    """
    # In the launch: n, arrays in the order of the inputs, outputs, scalars in their order (a complex one takes two).
    arrays = sum(isinstance(operand, int) for operand in inputs)
    places, next_array, next_scalar = [], 1, 1 + arrays + len(outputs)
    for operand in inputs:
        places.append(next_array if isinstance(operand, int) else next_scalar)
        next_array += isinstance(operand, int)
        next_scalar += 0 if isinstance(operand, int) else 2 if operand is complex else 1
    scalars = [ARGUMENTS[kind] for kind in (kinds[i] for i in order) if kind]  # two swaps cancel
    operands = (*(inputs[i] for i in order), *outputs)
    itemsizes = [dtype_of_code(operand).itemsize if isinstance(operand, int) else 0 for operand in operands]
    cost, program = compiled.cost, compiled.program
    reducer = kernel_for("sum_reducer", outputs[0], outputs[0]).address if reduction else 0
    largest = max(itemsizes[: len(inputs)], default=0)  # bytes of the elements that may be transposed
    turn = kernel_for("transpose_block", largest).address if largest else 0
    struct = ffi.new(
        STRUCT,
        {
            "loop": compiled.loop,
            "program": program,
            "reducer": ffi.cast("struct facula_reducer *", reducer),
            "mean": reduction == "mean",
            "turn": ffi.cast("facula_transpose_block", turn),
            "serial": SERIAL // cost,
            "grain": GRAIN // cost,
            "release": release_at(cost),
            "cost": cost,
            "operands": len(operands),
            "results": len(outputs),
            "argument": [*(places[i] for i in order), *range(1 + arrays, 1 + arrays + len(outputs))],
            "scalar": [*kinds, *[0] * len(outputs)],
            "dtype": [*dtypes, *outputs],
            "itemsize": itemsizes,
            "nest": [0, *itemsizes],
        },
    )
    dense = "program_dense" if program else "elementwise_dense"
    if any(kinds) or reduction or kernel_name != "elementwise":
        dense = kernel_name
    launches = [
        bound_launch(
            kernel_for(name).address, struct, arrays=arrays + len(outputs), scalars=scalars, cost=cost, also=(program,)
        )
        for name in (dense, kernel_name)
    ]
    for_layouts = partial(rebind, launches[1], kernel_for("elementwise_shape").address)
    whole = kernel_name == "elementwise" and not reduction and not compiled.requires
    whole = whole and not any([code in UNSIGNED or code in FLOAT8 for code in (*dtypes, *inputs, *outputs)])
    elementwise = Elementwise(operator, inputs, order, compiled.computes) if whole else None
    return Form(launches[0], for_layouts, compiled.loops, cost, elementwise)


def plan_elementwise(operator: str | Program, inputs: Inputs, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan outputs of one shape and inputs that broadcast to it; see Note [Elementwise] in elementwise.c."""
    output = outputs[0]
    shape = output.shape
    name = operator if isinstance(operator, str) else operator.name
    any_size = output.is_contiguous
    types: list[int | type[complex]] = []
    arrays: list[Layout] = []
    for layout in inputs:
        if layout is None:
            raise no_kernel(name, inputs, outputs)
        if isinstance(layout, type):
            types.append(layout)
        else:
            types.append(layout.dtype.code)
            arrays.append(layout)
            any_size = any_size and layout.is_contiguous and layout.shape == shape
    codes = tuple([layout.dtype.code for layout in outputs])
    if isinstance(operator, str):
        form = find_form(operator, tuple(types), codes[0])
    else:
        form = find_program_form(operator, tuple(types), codes)
        if operator.reduction:  # in place of the output: reduced values, which are not stored
            output = contiguous(np.broadcast_shapes(*[array.shape for array in arrays]), output.dtype, output.device)
            any_size = False
    if form is None or (not isinstance(operator, str) and operator.reduction and codes[0] in HALVES):
        raise no_kernel(name, inputs, outputs)
    if any_size:
        return Plan(
            name, parameters, outputs, form.launch,
            any_size=True, for_layouts=form.for_layouts, elementwise=form.elementwise,
        )  # fmt: skip
    launch = form.for_layouts(output, *arrays)
    if launch is None:
        raise UnsupportedError(
            f"{name}: expected operands that broadcast to {output.shape}, at most {MOST_DIMS} dimensions to walk; "
            f"got {', '.join(str(array.shape) for array in arrays)}"
        )
    for_layouts = None if output is not outputs[0] else form.for_layouts
    return Plan(name, parameters, outputs, launch, for_layouts=for_layouts, elementwise=form.elementwise)


def scalar_kind(operand: object, code: int) -> int:
    """Return how a scalar of type `operand` is passed to a loop that computes in dtype `code`; 0 for an array."""
    if operand is complex:
        return SCALAR_COMPLEX
    if operand is float:
        return SCALAR_REAL
    if isinstance(operand, type):
        return SCALAR_INTEGER if code <= INT64 or code in UNSIGNED else SCALAR_REAL
    return 0
