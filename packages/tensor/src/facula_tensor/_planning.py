"""Plans of an operator's calls: found, made where there are none, and put where the quick paths look."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from facula_storage import Layout, Plan, contiguous, int64, uint8
from facula_storage.extend import BOOL, COMPLEX, FLOATING, INTEGER, PlanTable, allocate

from ._errors import ArgumentError

if TYPE_CHECKING:
    from ._operator import Operator


def find_plan(op: Operator, layouts: tuple, parameters: tuple) -> Plan:
    """The plan for this signature, made where there is none, and put where the quick path finds it."""
    quick = op.is_quick and not any(isinstance(one, Layout) and one.dtype.category == COMPLEX for one in layouts)
    if quick and int in layouts:  # each number's range is checked first: see `cast`
        dtype = layouts[1 if layouts[0] is int else 0].dtype
        quick = dtype is int64 or op.result(dtype) is not dtype or dtype.category != INTEGER
    if quick and op.reads_values:
        quick = not all(isinstance(one, type) or one.dtype.category <= INTEGER for one in layouts)
    many = not op.is_quick and not any(isinstance(one, Layout) and one.dtype.category == COMPLEX for one in layouts)
    if many and int in layouts:  # each number's range is checked first, but for the widest
        many = all(isinstance(one, type) or one.dtype is int64 or one.dtype.category == BOOL for one in layouts)
    table = op.table if quick or many else op.slow_table
    fixed = parameters[: op.fixed]
    key = key_of(op, layouts, parameters) if quick else (layouts, fixed)
    plan = table.by_key.get(key) or op.slow_table.by_key.get((layouts, fixed))
    if plan is not None:
        return plan
    if op.elementwise:
        plan = plan_of_other_length(table, key, layouts, fixed)
        if plan is not None:
            return plan
    outputs = output_layouts(op, layouts, parameters)
    plan = make_plan(op, layouts, outputs, fixed)
    if plan.any_rows:
        table.add_rows(rows_key(layouts, fixed)[1], plan)
    if quick and plan.any_size and not parameters and outputs[0] is layouts[0]:
        add_dense(table, layouts, plan)
    if quick and len(outputs) > 1:
        return op.slow_table.add((layouts, fixed), plan)
    if float in layouts and (quick or many):
        add_for_integers(table, key, layouts, plan)
    return table.add(key, plan)


# Note [Other lengths]
# ~~~~~~~~~~~~~~~~~~~~
# A program whose batch size changes meets `x + bias` with a new first dimension again and again. A plan that
# is right for every length of it (`any_rows`) is kept under what those calls share, the rest of each layout;
# a call of a new length takes its launch, so that only the layout of the result is looked up.
def rows_key(layouts: tuple, parameters: tuple) -> tuple[int, tuple | None]:
    """The length of the first dimension, and what an elementwise call shares with those of other lengths, if it may."""
    ndim = rows = 0
    for one in layouts:
        if type(one) is Layout:
            shape = one.shape
            if len(shape) > ndim:
                ndim, rows = len(shape), shape[0]
            elif shape and len(shape) == ndim and shape[0] > rows:
                rows = shape[0]
        elif type(one) is not type:
            return 0, None
    if rows < 2:
        return rows, None
    rest = [
        (one.shape[1:], one.strides, one.dtype, one.device)
        if type(one) is Layout and len(one.shape) == ndim and one.shape[0] == rows
        else one
        for one in layouts
    ]
    return rows, (*rest, parameters)


def plan_of_other_length(table: PlanTable, key: Any, layouts: tuple, parameters: tuple = ()) -> Plan | None:
    """The plan of a call that differs in the first dimension's length alone from one seen before, put under `key`."""
    if len(layouts) == 2 and not parameters:
        plan = plan_in_one_order(table, key, *layouts)
        if plan is not None:
            return plan
    rows, shared = rows_key(layouts, parameters)
    known = table.by_rows.get(shared)
    if known is None:
        return None
    _, *rest = known.outputs[0].shape
    shape = (rows, *rest)
    dtype = known.outputs[0].dtype
    for output in layouts:
        if type(output) is Layout and output.shape == shape and output.dtype is dtype and output.is_contiguous:
            break
    else:
        output = contiguous(shape, dtype, known.outputs[0].device)
    return table.add(key, Plan(known.operator, known.parameters, (output,), known.launch))


def plan_in_one_order(table: PlanTable, key: Any, first: Any, second: Any) -> Plan | None:
    """The plan of two contiguous operands that differ in leading dimensions of length 1 alone, as (1, n) and (n,): the
    one that fits any size serves."""
    if type(first) is not Layout or type(second) is not Layout:
        return None
    if not first.dense or first.dense != second.dense or first.numel != second.numel:
        return None
    known = table.by_rows.get(first.dense)
    more, less = (first, second) if len(first.shape) >= len(second.shape) else (second, first)
    extra = len(more.shape) - len(less.shape)
    if known is None or not extra or not less.shape or more.shape[extra:] != less.shape:
        return None  # nor what has no dimensions: some kernels take that for a number
    return table.add(key, Plan(known.operator, (), (more,), known.launch))


def make_plan(op: Operator, layouts: tuple, outputs: tuple[Layout, ...], parameters: tuple) -> Plan:
    """A new plan of the operands' backend, whose launch needs no workspace from its callers."""
    device = next(one.device for one in layouts if isinstance(one, Layout))
    plan: Plan = device.backend.plan(op.kernel, layouts, outputs, parameters)
    if plan.workspace:
        plan = with_workspace(plan, sum([not isinstance(one, type) for one in layouts]) + len(outputs))
    return plan


def with_workspace(plan: Plan, arrays: int) -> Plan:
    """The plan with a launch that takes `arrays` addresses and finds the workspace, which follows them, by itself."""
    layout, launch = contiguous((plan.workspace,), uint8, plan.outputs[0].device), plan.launch

    def launch_with_workspace(n: int, *args: Any) -> None:
        workspace = allocate(layout)
        launch(n, *args[:arrays], workspace.ptr, *args[arrays:])

    return Plan(plan.operator, plan.parameters, plan.outputs, launch_with_workspace, 0, plan.any_size)


def add_dense(table: PlanTable, layouts: tuple, plan: Plan) -> None:
    """Put a plan that fits any size where operands of one layout, or an operand and a number, find it."""
    first, last = layouts[0], layouts[-1]
    if last is first:
        table.add_dense(table.dense, first.dense, plan)
        table.add_rows(first.dense, plan)  # as the backend made it: Note [Listeners]
    elif last is float and first.dtype.category == FLOATING:
        table.add_dense(table.with_float, first.dense, plan)
        table.add_dense(table.with_int, first.dense, plan)  # an int is read as a double there
    elif last is int and first.dtype is int64:  # narrower ones check the number's range first
        table.add_dense(table.with_int, first.dense, plan)


def add_for_integers(table: PlanTable, key: Any, layouts: tuple, plan: Plan) -> None:
    """Let calls with an int where this one had a float find the plan, too: it is read as a double there."""
    kinds = [(float, int) if one is float else (one,) for one in layouts]
    for same in product(*kinds):
        if same != layouts:
            table.add(same if key == layouts else (same, *key[1:]), plan)


def key_of(op: Operator, layouts: tuple, parameters: tuple) -> Any:
    """The key under which the quick path looks."""
    return (layouts[0], parameters) if op.arity == 1 else (layouts[0], layouts[1])


def output_layouts(op: Operator, layouts: tuple, parameters: tuple) -> tuple[Layout, ...]:
    """What the results will look like: the operator's output rule."""
    if op.outputs is not None:
        outputs = op.outputs(*layouts, *parameters) if op.arity >= 0 else op.outputs(layouts, *parameters)
        return outputs if isinstance(outputs, tuple) else (outputs,)
    arrays = [one for one in layouts if isinstance(one, Layout)]
    shape = broadcast_shapes(op.name, *(one.shape for one in arrays))
    dtype = arrays[-1].dtype
    if op.widens and arrays[0].dtype.itemsize < dtype.itemsize:  # beside a number in float32
        dtype = arrays[0].dtype
    dtype = op.result(dtype)
    return (contiguous(shape, dtype, arrays[-1].device),)


def broadcast_shapes(operation: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape these broadcast to; ValueError naming shapes and dimension where they do not.

    >>> broadcast_shapes("add", (3, 1), (4,))
    (3, 4)
    """
    first = shapes[0]
    if all(shape == first for shape in shapes[1:]):
        return first
    ndim = max(map(len, shapes))
    result = []
    for dim in range(-ndim, 0):
        sizes = {shape[dim] for shape in shapes if -dim <= len(shape)} - {1}
        if len(sizes) > 1:
            raise ArgumentError(
                f"{operation}: shapes {' and '.join(map(str, shapes))} do not broadcast: "
                f"dimension {dim} has lengths {' and '.join(map(str, sorted(sizes)))}; expected equal lengths or 1"
            )
        result.append(sizes.pop() if sizes else 1)
    return tuple(result)
