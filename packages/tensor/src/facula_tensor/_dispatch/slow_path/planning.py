"""Plans of an operator's calls: find or make them, and store them in the fast paths' tables."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError
from facula_storage import Layout, Plan, Storage, contiguous, int64, uint8
from facula_storage.extend.layouts import BOOL, COMPLEX, FLOATING, INTEGER
from facula_storage.extend.memory import allocate
from facula_storage.extend.plans import PlanTable
from facula_storage.extend.recording import collecting, recorders

from ..._core.memory import overlaps_itself
from ..conversions import are_row_major
from ..expressions.gradients import kernel_of

if TYPE_CHECKING:
    from ..._core.types import Layouts, Parameters
    from ..operator import Operator


def find_plan(op: Operator, layouts: Layouts, parameters: Parameters) -> Plan:
    """Return the plan for this signature; make it if necessary and store it for the fast path."""
    # Fast paths pass no complex number to a launch.
    kinds = [one.dtype.category == COMPLEX if isinstance(one, Layout) else None for one in layouts]
    is_known = kinds[0] and None not in kinds and op.finds_complex_rules
    is_hidden = True in kinds and not is_known and bool(op.elementwise or op.complex_rules)
    quick, many = op.is_fast and not is_hidden, not op.is_fast and not is_hidden
    if quick and int in layouts:  # each number's range must be checked first: see `cast`
        dtype = layouts[1 if layouts[0] is int else 0].dtype
        quick = dtype is int64 or op.result_dtype(dtype) is not dtype or dtype.category != INTEGER
    if quick and op.reads_values:
        quick = not all(isinstance(layout, type) or layout.dtype.category <= INTEGER for layout in layouts)
    # an integer next to a half, both zero-dimensional, is float32 by now, which would promote
    if quick and op.widens:
        quick = len({layout.dtype for layout in layouts if isinstance(layout, Layout)}) < 2 or not all(
            layout.shape == () for layout in layouts if isinstance(layout, Layout)
        )
    if many and int in layouts:  # each number's range must be checked first, except for the widest dtypes
        many = all(
            isinstance(layout, type) or layout.dtype is int64 or layout.dtype.category == BOOL for layout in layouts
        )
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
    elementwise = op.elementwise or op.kernel == "copy"  # otherwise the result has one operand's layout: a product
    if quick and elementwise and plan.any_size and not parameters and outputs[0] is layouts[0]:
        add_dense(table, layouts, plan)
    if quick and len(outputs) > 1:
        return op.slow_table.add((layouts, fixed), plan)
    if op.elementwise or is_planned_ahead(op):
        table.add_kind(kind_of(layouts, steady(op, fixed)), plan)
    if is_hidden and op.is_fast and layouts[1:] == (complex,):
        add_for_reals(op.table, layouts, plan)
    if float in layouts and (quick or many):
        add_for_integers(table, key, layouts, plan)
    return table.add(key, plan)


# Note [Other shapes]
# ~~~~~~~~~~~~~~~~~~~
# In a program whose shapes change, nearly every call has a new signature. The properties that the slow path
# checks before it plans (types, dtypes, devices, parameters) are the same for all calls of one kind. Once one
# call of a kind has passed, fast paths make plans for the others directly. Many plans have a function that
# returns the launch for other layouts (`Plan.for_layouts`), whose work is done in C; those of elementwise plans also
# determine whether operands broadcast. Other operators check their layouts, and call the backend if there is no such
# function. Parameters that are `varying` depend on shapes, such as the size of a convolution's result: they are not
# part of the kind, and `for_layouts` receives them after the layouts. An operator's table contains the kinds that fast
# paths may serve, and `slow_table` the others.
def kind_of(layouts: Layouts, parameters: Parameters) -> tuple[object, ...]:
    """Return the key shared by calls that differ only in shapes and strides. Zero-dimensional operands have
    other keys than arrays of the same dtype, since they promote differently."""
    device = None
    kinds: list[object] = []
    for layout in layouts:
        if type(layout) is Layout:
            kinds.append(layout.dtype if layout.shape else (layout.dtype,))
            device = layout.device
        else:
            kinds.append(layout)
    return (*kinds, device, parameters)


def is_planned_ahead(op: Operator) -> bool:
    """Return whether layouts alone determine the handling of a call that is not elementwise. They do not if the
    operator may reject values, run without a plan, or redirect calls for reasons that cannot be queried."""
    return op.arity >= 0 and not (op.validate_values or op.execute or (op.decompose and op.direct is None))


def steady(op: Operator, parameters: Parameters) -> Parameters:
    """Return the parameters that all calls of a kind share."""
    if not op.varying:
        return parameters
    return tuple([parameters[place] for place in op.steady])


def plan_of_other_shape(
    op: Operator, table: PlanTable, key: object, layouts: Layouts, parameters: Parameters = ()
) -> Any:  # a plan or None, whose attributes fast paths read
    """Return the plan of a call that differs from an earlier one only in shapes and strides, and store it under
    `key`. Return None if there was no such call, or if the slow path must raise an error or store a plan for
    any size.
    """
    known: Plan | None
    largest: Any
    arrays: tuple[Any, ...]
    shared = steady(op, parameters[: op.fixed]) if op.varying or op.launch_scalars else parameters
    if len(layouts) == 2 and type(layouts[0]) is type(layouts[1]) is Layout:  # inlined: the usual case
        largest, other = layouts
        first = largest.dtype if largest.shape else (largest.dtype,)  # as in `kind_of`
        known = table.by_kind.get((first, other.dtype if other.shape else (other.dtype,), largest.device, shared))
        if known is None or other.device is not largest.device:
            return None
        if other.numel > largest.numel or (other.numel == largest.numel and len(other.shape) > len(largest.shape)):
            largest, other = other, largest
        elif other is not largest and other.shape == largest.shape and other == largest:
            return None  # equal but not identical: the slow path makes them identical
        arrays = layouts
    elif type(layouts[0]) is Layout and (len(layouts) == 1 or (len(layouts) == 2 and type(layouts[1]) is type)):
        largest = layouts[0]
        arrays = (largest,)
        first = largest.dtype if largest.shape else (largest.dtype,)
        known = table.by_kind.get((first, *layouts[1:], largest.device, shared))
        if known is None:
            return None
    else:
        arrays = tuple([layout for layout in layouts if type(layout) is Layout])
        known = table.by_kind.get(kind_of(layouts, shared)) if arrays else None
        if known is None:
            return None
        largest = max(arrays, key=_by_size) if op.elementwise else arrays[0]
        for array in arrays:
            if array is not largest and (
                array.device is not largest.device or (array.shape == largest.shape and array == largest)
            ):
                return None
    if not op.elementwise:
        return plan_by_checking(op, table, key, layouts, parameters, known)
    for_layouts, dtype, output = known.for_layouts, known.outputs[0].dtype, largest
    if for_layouts is None:
        return None
    if largest.dtype is not dtype or not largest.is_contiguous:
        output = contiguous(largest.shape, dtype, largest.device)
    elif op.is_fast and not parameters and layouts[0] is largest and largest.dense:
        if layouts[-1] is largest or type(layouts[-1]) is type:
            return None
    launch = for_layouts(output, *arrays)
    if launch is None:  # all operands differ from the result's shape
        try:
            output = contiguous(broadcast_shapes(op.name, *[array.shape for array in arrays]), dtype, largest.device)
        except ArgumentError:
            return None
        launch = for_layouts(output, *arrays)
        if launch is None:
            return None
    outputs = (output,) if len(known.outputs) == 1 else tuple([output] * len(known.outputs))
    return table.add(key, known.with_layouts(layouts, outputs, launch))


def _by_size(layout: Layout) -> tuple[int, int]:
    return layout.numel, len(layout.shape)


def plan_inplace_of_other_shape(op: Operator, layouts: Layouts) -> Plan | None:
    """Like the function above, for calls that write into memory of the first operand's layout; store the plan
    in their table."""
    target, other = layouts[0], layouts[-1]
    if type(target) is not Layout or (type(other) is Layout and other.device is not target.device):
        return None
    known = op.table.by_kind.get(kind_of(layouts, ()))
    if known is None or known.for_layouts is None or known.outputs[0].dtype is not target.dtype:
        return None
    if (target.dense and (other is target or type(other) is type)) or overlaps_itself(target):
        return None
    launch = known.for_layouts(target, *[layout for layout in layouts if type(layout) is Layout])
    if launch is None:
        return None
    key = layouts if len(layouts) > 1 else target
    return op.inplace_table.add(key, known.with_layouts(layouts, (target,), launch))


def plan_by_checking(
    op: Operator, table: PlanTable, key: object, layouts: Layouts, parameters: Parameters, known: Plan
) -> Plan | None:
    """Return the plan of layouts that pass the operator's check; None, without an error, if they do not."""
    try:
        if op.validate_layouts is not None:
            op.validate_layouts(*layouts, *parameters)
        if op.direct is are_row_major:  # the usual one, inlined
            for layout in layouts:
                if layout is not None and not layout.is_contiguous:
                    return None
        elif op.direct is not None and not op.direct(*layouts):
            return None
        if op.unconverted_if is not None and layouts[0].dtype not in op.unconverted:
            return None  # whether operands are converted depends on their layouts
        outputs: Any = op.outputs(*layouts, *parameters) if op.outputs else output_layouts(op, layouts, parameters)
        if type(outputs) is not tuple:
            outputs = (outputs,)
        elif len(outputs) > 1 and op.is_fast:
            return None
        fixed = parameters[: op.fixed]
        given = [fixed[place] for place in op.varying] if op.varying else ()
        if known.any_size and layouts == outputs:
            launch: Any = known.launch
        else:
            launch = known.for_layouts and known.for_layouts(*outputs, *layouts, *given)
        if launch is None:
            return table.add(key, make_plan(op, layouts, outputs, fixed))
        plan = known.with_layouts(layouts, outputs, launch, fixed)
        return table.add(key, with_workspace(plan, len(layouts) + len(outputs)) if plan.workspace else plan)
    except Exception:  # any exception: the slow path raises it again
        return None


def make_plan(op: Operator, layouts: Layouts, outputs: tuple[Layout, ...], parameters: Parameters) -> Plan:
    """Return a new plan of the operands' backend, whose launch needs no workspace from its callers."""
    for layout in layouts:
        if isinstance(layout, Layout):
            device = layout.device
            break
    kernel = kernel_of(op)
    if not isinstance(kernel, str):
        layouts = (*layouts, *[float] * len(op.launch_scalars))  # a program's numbers are operands
    plan: Plan = device.backend.plan(kernel, layouts, outputs, parameters)
    if plan.workspace:
        plan = with_workspace(plan, sum([not isinstance(layout, type) for layout in layouts]) + len(outputs))
    return plan


def with_workspace(plan: Plan, arrays: int) -> Plan:
    """Return the plan with a launch that takes `arrays` addresses and allocates the workspace that follows them."""
    layout, launch = contiguous((plan.workspace,), uint8, plan.outputs[0].device), plan.launch

    def launch_with_workspace(n: int, *args: object) -> None:
        workspace = Storage()
        try:
            if collecting or recorders:
                workspace = allocate(layout)
            else:  # `allocate`, inlined
                workspace.ptr, workspace.__del__ = layout.take_block()  # type: ignore[method-assign]
        except IndexError:
            workspace = allocate(layout)
        launch(n, *args[:arrays], workspace.ptr, *args[arrays:])

    return Plan(
        plan.operator, plan.parameters, plan.outputs, launch_with_workspace, 0, plan.any_size, plan.for_layouts,
        inner=plan.inner or plan, request=plan.request,
    )  # fmt: skip


def add_dense(table: PlanTable, layouts: Layouts, plan: Plan) -> None:
    """Store a plan for any size under the keys for operands with one layout, or for an operand and a number."""
    first, last = layouts[0], layouts[-1]
    if last is first:
        table.add_dense(table.dense, first.dense, plan, is_keyed=True)
    elif last is float and first.dtype.category == FLOATING:
        table.add_dense(table.with_float, first.dense, plan, is_keyed=True)
        table.add_dense(table.with_int, first.dense, plan, is_keyed=True)  # the launch reads an int as a double
    elif last is int and first.dtype is int64:  # narrower dtypes check the number's range first
        table.add_dense(table.with_int, first.dense, plan, is_keyed=True)


def add_for_integers(table: PlanTable, key: tuple[object, ...], layouts: Layouts, plan: Plan) -> None:
    """Store the plan also for calls with an int in place of the float, since the launch reads it as a double."""
    kinds = [(float, int) if layout is float else (layout,) for layout in layouts]
    for same in product(*kinds):
        if same != layouts:
            table.add(same if key == layouts else (same, *key[1:]), plan)
            table.add_kind(kind_of(same, plan.parameters), plan)


def add_for_reals(table: PlanTable, layouts: Layouts, plan: Plan) -> None:
    """Store the plan of a tensor and a complex number for real numbers."""
    launch = plan.launch
    for kind in (float, int):
        same = (layouts[0], kind)
        real = plan.with_layouts(same, plan.outputs, lambda n, a, out, number: launch(n, a, out, number, 0.0))
        table.add(same, real)


def key_of(op: Operator, layouts: Layouts, parameters: Parameters) -> tuple[object, ...]:
    """Return the key that the fast path uses."""
    return (layouts[0], parameters[: op.fixed]) if op.arity == 1 else (layouts[0], layouts[1])


def output_layouts(op: Operator, layouts: Layouts, parameters: Parameters) -> tuple[Layout, ...]:
    """Return the results' layouts according to the operator's output rule."""
    if op.outputs is not None:
        outputs = op.outputs(*layouts, *parameters) if op.arity >= 0 else op.outputs(layouts, *parameters)
        return outputs if isinstance(outputs, tuple) else (outputs,)
    arrays = [layout for layout in layouts if isinstance(layout, Layout)]
    shape = broadcast_shapes(op.name, *(array.shape for array in arrays))
    dtype = arrays[-1].dtype
    if op.widens and arrays[0].dtype.itemsize < dtype.itemsize:  # next to a zero-dimensional float32 operand
        dtype = arrays[0].dtype
    dtype = op.result_dtype(dtype)
    return (contiguous(shape, dtype, arrays[-1].device),) * len(op.results)


def broadcast_shapes(operation: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that these broadcast to; ValueError with shapes and dimension if they do not.

    >>> broadcast_shapes("add", (3, 1), (4,))
    (3, 4)
    """
    first = shapes[0]
    if all([shape == first for shape in shapes]):
        return first
    ndim = max(map(len, shapes))
    made, fits = [1] * ndim, True
    for shape in shapes:
        for dim, size in enumerate(shape, ndim - len(shape)):
            if size != 1 != made[dim]:
                fits &= size == made[dim]
            elif size != 1:
                made[dim] = size
    for dim in () if fits else range(-ndim, 0):
        sizes = {shape[dim] for shape in shapes if -dim <= len(shape)} - {1}
        if len(sizes) > 1:
            raise ArgumentError(
                f"{operation}: shapes {' and '.join(map(str, shapes))} do not broadcast: "
                f"dimension {dim} has lengths {' and '.join(map(str, sorted(sizes)))}; expected equal lengths or 1"
            )
    return tuple(made)
