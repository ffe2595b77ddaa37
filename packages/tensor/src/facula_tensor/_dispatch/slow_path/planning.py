"""Plans of an operator's calls: found, made where there are none, and put where the fast paths look."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError
from facula_storage import Layout, Plan, contiguous, int64, uint8
from facula_storage.extend import BOOL, COMPLEX, FLOATING, INTEGER, PlanTable, allocate

from ..._core.memory import overlaps_itself
from ..expressions.gradients import kernel_of

if TYPE_CHECKING:
    from ..._core.types import Layouts, Parameters
    from ..operator import Operator


def find_plan(op: Operator, layouts: Layouts, parameters: Parameters) -> Plan:
    """The plan for this signature, made where there is none, and put where the fast path finds it."""
    quick = op.is_fast and not any(isinstance(one, Layout) and one.dtype.category == COMPLEX for one in layouts)
    if quick and int in layouts:  # each number's range is checked first: see `cast`
        dtype = layouts[1 if layouts[0] is int else 0].dtype
        quick = dtype is int64 or op.result_dtype(dtype) is not dtype or dtype.category != INTEGER
    if quick and op.reads_values:
        quick = not all(isinstance(one, type) or one.dtype.category <= INTEGER for one in layouts)
    if quick and op.widens:  # an integer beside a half, both without dimensions, is float32 by now; that would promote
        quick = len({one.dtype for one in layouts if isinstance(one, Layout)}) < 2 or not all(
            one.shape == () for one in layouts if isinstance(one, Layout)
        )
    many = not op.is_fast and not any(isinstance(one, Layout) and one.dtype.category == COMPLEX for one in layouts)
    if many and int in layouts:  # each number's range is checked first, but for the widest
        many = all(isinstance(one, type) or one.dtype is int64 or one.dtype.category == BOOL for one in layouts)
    table = op.table if quick or many else op.slow_table
    fixed = parameters[: op.fixed]
    key = key_of(op, layouts, parameters) if quick else (layouts, fixed)
    plan = table.by_key.get(key) or op.slow_table.by_key.get((layouts, fixed))
    if plan is not None:
        return plan
    if op.elementwise:
        plan = plan_of_other_shape(op, table, key, layouts, fixed)
        if plan is not None:
            return plan
    outputs = output_layouts(op, layouts, parameters)
    plan = make_plan(op, layouts, outputs, fixed)
    each = op.elementwise or op.kernel == "copy"  # else one layout alone has the operands' for its result: a product
    if quick and each and plan.any_size and not parameters and outputs[0] is layouts[0]:
        add_dense(table, layouts, plan)
    if quick and len(outputs) > 1:
        return op.slow_table.add((layouts, fixed), plan)
    if op.elementwise or is_planned_ahead(op):
        table.add_kind(kind_of(layouts, fixed), plan)
    if float in layouts and (quick or many):
        add_for_integers(table, key, layouts, plan)
    return table.add(key, plan)


# Note [Other shapes]
# ~~~~~~~~~~~~~~~~~~~
# A program whose shapes change meets a signature that nobody has seen at nearly every call. What the slow path looks
# at before it plans (types, dtypes, devices, parameters) is the same for all calls of one kind; once it has let one
# of them pass, fast paths make the plans of the others by themselves. Elementwise plans have a function that gives
# the launch for other layouts (`Plan.for_layouts`), and learns on the way whether they broadcast; other operators
# check their layouts and ask the backend. An operator's own table has the kinds that fast paths may serve, and
# `slow_table` the others.
def kind_of(layouts: Layouts, parameters: Parameters) -> tuple[object, ...]:
    """What calls share that differ in shapes and strides alone; a number of a dtype is another kind than its arrays,
    since beside other dtypes it promotes otherwise."""
    device = next(one.device for one in layouts if type(one) is Layout)
    kinds = [(one.dtype if one.shape else (one.dtype,)) if type(one) is Layout else one for one in layouts]
    return (*kinds, device, parameters)


def is_planned_ahead(op: Operator) -> bool:
    """Whether layouts decide what becomes of a call that is no elementwise one: not where it may be refused for its
    values, carried out without a plan, or redirected for reasons that nobody can ask for."""
    return op.arity >= 0 and not (
        op.validate_values or op.execute or op.launch_scalars or (op.decompose and op.direct is None)
    )


def plan_of_other_shape(
    op: Operator, table: PlanTable, key: object, layouts: Layouts, parameters: Parameters = ()
) -> Plan | None:
    """The plan of a call like one seen before but for shapes and strides, put under `key`.

    None where there was none, and where the slow path has something to say, or a plan that fits any size to learn.
    """
    known: Plan | None
    largest: Any
    arrays: tuple[Any, ...]
    if len(layouts) == 2 and type(layouts[0]) is type(layouts[1]) is Layout:  # written out: the usual case
        largest, other = layouts
        first = largest.dtype if largest.shape else (largest.dtype,)  # as in `kind_of`
        known = table.by_kind.get((first, other.dtype if other.shape else (other.dtype,), largest.device, parameters))
        if known is None or other.device is not largest.device:
            return None
        if other.numel > largest.numel or (other.numel == largest.numel and len(other.shape) > len(largest.shape)):
            largest, other = other, largest
        elif other is not largest and other.shape == largest.shape and other == largest:
            return None  # equal, and not the same object: the slow path makes them so
        arrays = layouts
    else:
        arrays = tuple([one for one in layouts if type(one) is Layout])
        largest = max(arrays, key=_by_size, default=None)
        known = table.by_kind.get(kind_of(layouts, parameters)) if arrays else None
        if known is None or any([one.device is not largest.device for one in arrays]):
            return None
        if any([one is not largest and one == largest for one in arrays]):
            return None
    if not op.elementwise:
        return plan_by_checking(op, table, key, layouts, parameters)
    for_layouts, dtype, output = known.for_layouts, known.outputs[0].dtype, largest
    if for_layouts is None:
        return None
    if largest.dtype is not dtype or not largest.is_contiguous:
        output = contiguous(largest.shape, dtype, largest.device)
    elif op.is_fast and not parameters and layouts[0] is largest and largest.dense:
        if layouts[-1] is largest or type(layouts[-1]) is type:
            return None
    launch = for_layouts(output, *arrays)
    if launch is None:  # no operand has the shape of the result
        try:
            output = contiguous(broadcast_shapes(op.name, *[one.shape for one in arrays]), dtype, largest.device)
        except ArgumentError:
            return None
        launch = for_layouts(output, *arrays)
        if launch is None:
            return None
    outputs = (output,) if len(known.outputs) == 1 else tuple([output] * len(known.outputs))
    request = known.request and (known.request[0], layouts, known.request[2])
    made = Plan(known.operator, known.parameters, outputs, launch, elementwise=known.elementwise, request=request)
    return table.add(key, made)


def _by_size(layout: Layout) -> tuple[int, int]:
    return layout.numel, len(layout.shape)


def plan_inplace_of_other_shape(op: Operator, layouts: Layouts) -> Plan | None:
    """The same for calls whose result goes into memory of the first operand's layout, put where they are found."""
    target, other = layouts[0], layouts[-1]
    if type(target) is not Layout or (type(other) is Layout and other.device is not target.device):
        return None
    known = op.table.by_kind.get(kind_of(layouts, ()))
    if known is None or known.for_layouts is None or known.outputs[0].dtype is not target.dtype:
        return None
    if (target.dense and (other is target or type(other) is type)) or overlaps_itself(target):
        return None
    launch = known.for_layouts(target, *[one for one in layouts if type(one) is Layout])
    if launch is None:
        return None
    key = layouts if len(layouts) > 1 else target
    request = known.request and (known.request[0], layouts, known.request[2])
    made = Plan(op.name, (), (target,), launch, elementwise=known.elementwise, request=request)
    return op.inplace_table.add(key, made)


def plan_by_checking(
    op: Operator, table: PlanTable, key: object, layouts: Layouts, parameters: Parameters
) -> Plan | None:
    """The plan of layouts that pass the operator's check; None, and nothing said, where they do not."""
    try:
        if op.validate_layouts is not None:
            op.validate_layouts(*layouts, *parameters)
        if op.direct is not None and not op.direct(*layouts):
            return None
        outputs = output_layouts(op, layouts, parameters)
        if len(outputs) > 1 and op.is_fast:
            return None
        return table.add(key, make_plan(op, layouts, outputs, parameters))
    except Exception:  # of any kind: the slow path meets it again, and raises it
        return None


def make_plan(op: Operator, layouts: Layouts, outputs: tuple[Layout, ...], parameters: Parameters) -> Plan:
    """A new plan of the operands' backend, whose launch needs no workspace from its callers."""
    device = next(one.device for one in layouts if isinstance(one, Layout))
    kernel = kernel_of(op)
    if not isinstance(kernel, str):
        layouts = (*layouts, *[float] * len(op.launch_scalars))  # a program's numbers are operands of it
    plan: Plan = device.backend.plan(kernel, layouts, outputs, parameters)
    if plan.workspace:
        plan = with_workspace(plan, sum([not isinstance(one, type) for one in layouts]) + len(outputs))
    return plan


def with_workspace(plan: Plan, arrays: int) -> Plan:
    """The plan with a launch that takes `arrays` addresses and finds the workspace, which follows them, by itself."""
    layout, launch = contiguous((plan.workspace,), uint8, plan.outputs[0].device), plan.launch

    def launch_with_workspace(n: int, *args: object) -> None:
        workspace = allocate(layout)
        launch(n, *args[:arrays], workspace.ptr, *args[arrays:])

    return Plan(
        plan.operator, plan.parameters, plan.outputs, launch_with_workspace, 0, plan.any_size, inner=plan.inner or plan
    )


def add_dense(table: PlanTable, layouts: Layouts, plan: Plan) -> None:
    """Put a plan that fits any size where operands of one layout, or an operand and a number, find it."""
    first, last = layouts[0], layouts[-1]
    if last is first:
        table.add_dense(table.dense, first.dense, plan)
    elif last is float and first.dtype.category == FLOATING:
        table.add_dense(table.with_float, first.dense, plan)
        table.add_dense(table.with_int, first.dense, plan)  # an int is read as a double there
    elif last is int and first.dtype is int64:  # narrower ones check the number's range first
        table.add_dense(table.with_int, first.dense, plan)


def add_for_integers(table: PlanTable, key: tuple[object, ...], layouts: Layouts, plan: Plan) -> None:
    """Let calls with an int where this one had a float find the plan, too: it is read as a double there."""
    kinds = [(float, int) if one is float else (one,) for one in layouts]
    for same in product(*kinds):
        if same != layouts:
            table.add(same if key == layouts else (same, *key[1:]), plan)
            table.add_kind(kind_of(same, plan.parameters), plan)


def key_of(op: Operator, layouts: Layouts, parameters: Parameters) -> tuple[object, ...]:
    """The key under which the fast path looks."""
    return (layouts[0], parameters) if op.arity == 1 else (layouts[0], layouts[1])


def output_layouts(op: Operator, layouts: Layouts, parameters: Parameters) -> tuple[Layout, ...]:
    """What the results will look like: the operator's output rule."""
    if op.outputs is not None:
        outputs = op.outputs(*layouts, *parameters) if op.arity >= 0 else op.outputs(layouts, *parameters)
        return outputs if isinstance(outputs, tuple) else (outputs,)
    arrays = [one for one in layouts if isinstance(one, Layout)]
    shape = broadcast_shapes(op.name, *(one.shape for one in arrays))
    dtype = arrays[-1].dtype
    if op.widens and arrays[0].dtype.itemsize < dtype.itemsize:  # beside a number in float32
        dtype = arrays[0].dtype
    dtype = op.result_dtype(dtype)
    return (contiguous(shape, dtype, arrays[-1].device),) * len(op.results)


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
