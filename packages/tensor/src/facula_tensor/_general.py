"""The slow path of an operator: everything the quick one leaves out. Data flows down this file.

coerce operands -> promote -> find or make the plan -> allocate -> launch -> record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_autograd.extend import Node, current_mode, next_seq, replace_mode, set_context, special
from facula_errors import InvalidTypeError, OperationError, UnsupportedError
from facula_storage import LaunchError, Layout, Plan, Storage, bfloat16, float16, float32, int64
from facula_storage.extend import COMPLEX, FLOATING, allocate, blank, plain_address

from ._errors import DTypeError, launch_error, relabel
from ._holding import edge_from, snapshots_of
from ._memory import check_out, check_overlap
from ._operator import no_record_ops, recorded_ops
from ._overrides import call_override, disable_overrides, overridden
from ._packing import pack_node
from ._planning import find_plan, make_plan, output_layouts, with_workspace
from ._promotion import SCALAR_CATEGORY, check_scalar, join, plain_number, promote_types, scalar_dtype
from ._rules import saved_tensors
from ._sites import user_site
from ._tensor import Tensor, WrappedLayout, layout_of_tensor, snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import DType

    from ._operator import Operator


def slow_call(op: Operator, operands: tuple, parameters: tuple, record: bool = True, out: Any = None) -> Any:
    """Call `op`. NotImplemented where an operand's own type should be asked (for Python's operators)."""
    try:
        if type(parameters) is not tuple or (parameters and not op.parameters):
            raise InvalidTypeError(f"{op.name}: takes one tensor; got a second argument, {describe(parameters)}")
        if overridden(operands):
            return call_override(op, operands, parameters, out)
        mode = current_mode() if special else None
        if mode is not None and mode.autocast is not None and record and out is None:  # Note [Autocast]
            cast = mode.autocast.operands(op.name, operands, mode.grad)
            if cast is not None:
                with replace_mode(autocast=None):
                    return op.call(*cast, parameters) if parameters else op.call(*cast)
        record = record and (mode is None or mode.grad) and op.recorded
        held = snapshots_of(operands, record)
        plain = alike(op, held)
        ready = held if plain else coerce(op, held)
        if ready is NotImplemented:
            return NotImplemented
        if op.validate_values is not None:
            op.validate_values(*ready)
        record = record and any(isinstance(a, Tensor) and a.node is not None for a in ready)
        if out is not None and record:
            raise OperationError(
                f"{op.name}: out= cannot be used where a gradient is wanted; leave it out, or use no_grad()"
            )
        F = recorded_ops if record else no_record_ops
        if op.decompose is not None:
            answer = op.decompose(F, ready, parameters)
            if answer is not None and out is not None:
                target, _ = check_out(op.name, layout_of_tensor(answer), out, ())
                no_record_ops.copy_into(target, answer)
                return out
            if answer is not None:
                return answer
        if op.elementwise and not plain:
            ready = promote(op, ready, F)
        layouts = tuple(
            [layout_of_tensor(a) if isinstance(a, Tensor) else None if a is None else type(a) for a in ready]
        )
        if op.validate_layouts is not None:
            op.validate_layouts(*layouts, *parameters)
        if out is not None:
            return into(op, ready, layouts, parameters, out)
        if op.mutates:
            check_changes(op, ready, operands)
        if op.execute is not None:
            results = op.execute(ready, parameters)
        else:
            results = run(find_plan(op, layouts, parameters), ready, parameters[op.fixed :])
        for place in op.mutates:
            if ready[place] is not None:
                mutated(ready[place], op.name)
        if record:
            wrapped = any([isinstance(a, Tensor) and type(a._layout) is WrappedLayout for a in operands])
            node_for(op, ready, layouts, parameters, results, mode and mode.saved_hooks, wrapped=wrapped)
        return results[0] if len(results) == 1 else tuple(results)
    except Exception as error:
        relabel(error, op.name)
        raise


def call_in(op: Operator, grad: bool, operands: tuple, parameters: tuple) -> Any:
    """Call `op` on the fast path in spite of a mode, which says whether gradients are wanted."""
    call = op.default_mode_call if grad else op.no_record
    return call(*operands, parameters) if parameters else call(*operands)


def check_changes(op: Operator, operands: tuple, given: tuple) -> None:
    """Check that the operands which `op` changes in place may be changed. `given`: what `operands` are snapshots of."""
    from ._inplace import starts_inplace

    for place in op.mutates:
        changed = operands[place]
        if changed is not None:
            starts_inplace(op.name, given[place], (changed,))
            others = [a for i, a in enumerate(operands) if i != place and a is not None]
            if any([a is changed for a in others]) or check_overlap(op.name, changed, others):
                raise OperationError(
                    f"{op.name}: '{name_of(op, place)}' is changed in place and shares its memory with another; "
                    "call .clone() on it first"
                )


def alike(op: Operator, operands: tuple) -> bool:
    """Whether all operands are tensors of one dtype and device that `op` computes in, overriding nothing.

    Most calls that come here are of this kind, with a shape that nobody has seen: nothing is left to coerce.
    """
    try:
        first = operands[0]._layout
        dtype, device = first.dtype, first.device
        for place, a in enumerate(operands):
            if a is None and op.arity > place and op.inputs[place] in op.optional:
                continue
            layout = a._layout
            if layout.dtype is not dtype or layout.device is not device:
                return False
    except (AttributeError, IndexError):  # a number, or the layout of a subclass that overrides operators
        return False
    if not op.elementwise:
        return True
    return not op.mask_operands and op.compute_dtype(dtype) is dtype and (op.accepts is None or op.accepts(dtype))


# ------------------------------------------------------------------------------------------------ operands
def coerce(op: Operator, operands: tuple) -> tuple | Any:
    """Tensors and plain Python numbers, on one device; NumPy's arrays become tensors, its numbers Python's."""
    ready: list[Any] = []
    tensors = [a for a in operands if isinstance(a, Tensor)]
    if not tensors and operands:
        raise InvalidTypeError(f"{op.name}: expected '{name_of(op, 0)}' to be a Tensor; got {describe(operands[0])}")
    if any([isinstance(a, np.ndarray) for a in operands]):
        from ._from_data import operand_of

        saved = any([a.node is not None for a in tensors])
        operands = tuple([operand_of(a, copy=saved) if isinstance(a, np.ndarray) else a for a in operands])
    device = next((a.device for a in tensors if a.ndim), tensors[0].device if tensors else None)
    for position, a in enumerate(operands):
        if isinstance(a, Tensor):
            if a.device is not device:
                if a.ndim or not op.elementwise:
                    raise OperationError(
                        f"{op.name}: expected all tensors on one device; got '{device}' and '{a.device}' "
                        f"('{name_of(op, position)}'); move one with .to(...)"
                    )
                a = recorded_ops.to_device(a, (device,))
        elif a is None and name_of(op, position) in op.optional:
            pass
        elif not op.elementwise:
            raise InvalidTypeError(f"{op.name}: expected '{name_of(op, position)}' to be a Tensor; got {describe(a)}")
        elif type(a) not in SCALAR_CATEGORY:
            number = plain_number(a)
            if number is not None:
                a = number
            elif op.arity == 2 and (hasattr(type(a), "__radd__") or op.name in ("eq", "ne")):
                return NotImplemented
            else:
                raise InvalidTypeError(
                    f"{op.name}: expected '{name_of(op, position)}' to be a Tensor or a number; got {describe(a)}"
                )
        ready.append(a)
    return tuple(ready)


def name_of(op: Operator, position: int) -> str:
    """How messages call an operand."""
    return op.inputs[position] if op.arity >= 0 else f"{op.inputs[0]}[{position}]"


def describe(value: object) -> str:
    """A foreign value as messages show it."""
    if isinstance(value, Tensor):
        return f"Tensor {value.dtype.name} {tuple(value.shape)}"
    text = repr(value)
    if value is None:
        return text
    return f"{type(value).__name__} {text}" if len(text) <= 60 else type(value).__name__


def promote(op: Operator, operands: tuple, F: Any) -> tuple:
    """Operands cast to the dtype the operator computes in; numbers to its category."""
    kinds: list[DType | None] = [None, None, None]
    first = op.mask_operands  # leading operands that take no part (the condition of `where`)
    for a in operands[first:]:
        if isinstance(a, Tensor):
            dtype, place = a.dtype, 0 if a.ndim else 1
        else:
            dtype, place = scalar_dtype(type(a)), 2
        known = kinds[place]
        kinds[place] = dtype if known is None else promote_types(known, dtype)
    joined = join(*kinds)
    compute = op.compute_dtype(joined)
    if op.accepts is not None and not op.accepts(compute):
        remedy = "take its abs()" if compute.category == COMPLEX else "convert, for example with .float()"
        raise DTypeError(f"{op.name}: not defined for {compute.name}; {remedy}")
    if op.widens and compute in (float16, bfloat16):
        return tuple([widen(op, place, a, compute, F) for place, a in enumerate(operands)])
    return (*operands[:first], *(cast(op, a, compute, F) for a in operands[first:]))


def widen(op: Operator, place: int, a: Any, half: DType, F: Any) -> Any:
    """An operand beside half ones: without dimensions and of another dtype it stays as wide as what is computed in.

    A loss in float16 times a scale of 70000 is so not infinite. PyTorch does this for the second operand alone.
    """
    if place not in op.widens or not isinstance(a, Tensor) or a.ndim or a.dtype is half:
        return cast(op, a, half, F)
    return a if a.dtype is float32 else F.to(a, (float32,))


def cast(op: Operator, a: Any, dtype: DType, F: Any) -> Any:
    """An operand as `dtype`: a tensor through `to`, a number as the Python type of the category."""
    if isinstance(a, Tensor):
        return a if a.dtype is dtype else F.to(a, (dtype,))
    if dtype.category == COMPLEX:
        return complex(a)
    if dtype.category == FLOATING:
        return float(a)
    check_scalar(int(a), dtype if op.result_dtype(dtype) is dtype else int64, op.name)
    return int(a) if dtype.category else bool(a)


# -------------------------------------------------------------------------------------------------- running
def run(plan: Plan, operands: Sequence[Any], values: tuple = ()) -> list[Tensor]:
    """Allocate results and launch."""
    storages = [allocate(layout) for layout in plan.outputs]
    launch(plan, operands, [(storage, 0) for storage in storages], values)
    results = []
    for layout, storage in zip(plan.outputs, storages, strict=True):
        t = blank(Tensor)
        t._layout, t._storage, t._offset, t.node = layout, storage, 0, None
        results.append(t)
    return results


NOWHERE = Storage()  # of an operand that is not given
NOWHERE.ptr, NOWHERE.__del__, NOWHERE.version = 0, int, 0


def launch(
    plan: Plan,
    operands: Sequence[Any],
    outputs: Sequence[tuple[Storage, int]],
    values: tuple = (),
    n: int | None = None,
) -> None:
    """Launch into memory that is there. Buffers in another order are put in plain order first.

    `values` are numbers for the kernel, after those among the operands. `n` is the size of the first output, where
    the plan is one for many sizes.
    """
    tensors = [
        (NOWHERE, 0) if a is None else (a._storage, a._offset) for a in operands if a is None or isinstance(a, Tensor)
    ]
    scalars: list[Any] = []
    for a in (*operands, *values):
        if type(a) is complex:
            scalars += (a.real, a.imag)
        elif a is not None and not isinstance(a, Tensor):
            scalars.append(a)
    places = [*tensors, *outputs]
    if plan.workspace:
        plan = with_workspace(plan, len(places))
    for storage, _ in places:
        plain_address(storage)
    if n is None:
        n = plan.outputs[0].numel if plan.outputs else 0
    addresses = [storage.ptr + offset for storage, offset in places]  # type: ignore[operator]
    try:
        plan.launch(n, *addresses, *scalars)
    except LaunchError as error:
        raise launch_error(plan.operator, error, operands) from None


def into(op: Operator, operands: tuple, layouts: tuple, parameters: tuple, out: Tensor) -> Tensor:
    """Compute into `out`."""
    outputs = output_layouts(op, layouts, parameters)
    if len(outputs) != 1:
        raise UnsupportedError(f"{op.name}: out= with several results is not supported; copy the results")
    target, direct = check_out(op.name, outputs[0], out, operands, op.elementwise)
    if not direct:  # another dtype, or memory shared with an operand: by way of a temporary
        (result,) = run(find_plan(op, layouts, parameters), operands, parameters[op.fixed :])
        no_record_ops.copy_into(target, result)
    else:
        layout = target._layout
        key = (layouts, parameters[: op.fixed], layout)
        plan = op.slow_table.by_key.get(key)
        if plan is None:
            plan = op.slow_table.add(key, make_plan(op, layouts, (layout,), parameters[: op.fixed]))
        launch(plan, operands, [(target._storage, target._offset)], parameters[op.fixed :])
        mutated(target, op.name)
    return out


def mutated(a: Tensor, name: str) -> None:
    """Count a change of `a`'s storage and keep where it was made."""
    storage = a._storage
    storage.version += 1  # type: ignore[operator]
    storage.mutator = (name, *user_site())


# ------------------------------------------------------------------------------------------------ recording
def node_for(
    op: Operator,
    operands: tuple,
    layouts: tuple,
    parameters: tuple,
    results: list[Tensor],
    hooks: Any = None,
    edges: tuple | None = None,
    wrapped: bool = False,
) -> Node:
    """The node of a call; it becomes the node of the differentiable results. `operands` are looked at only now, or are
    snapshots; `wrapped`: the class of one that they were taken of overrides operators."""
    node = Node()
    node.seq = next_seq()
    node.code, node.lasti = user_site()
    if edges is None:
        edges = tuple([edge_from(a) if isinstance(a, Tensor) else None for a in operands])
    needed = op.saved_operands(edges)
    versions = tuple([a._storage.version if isinstance(a, Tensor) else None for a in operands])
    saved = tuple([_saved_of(a) if wanted else None for a, wanted in zip(operands, needed, strict=True)])
    if op.saves_further:
        saved += tuple(map(_saved_of, results[1:]))
        versions += tuple([out._storage.version for out in results[1:]])
    dtype = next(one.dtype for one in layouts if isinstance(one, Layout))
    if op.is_fast:
        rule = op.rule
        node.e0 = edges[0]
        if op.arity == 1:
            node.rest = (layouts[0], parameters)
            if op.saves_input:
                node.s0, node.v0 = saved[0], versions[0]
        else:
            node.e1, node.s0, node.s1 = edges[1], None, None
            node.rest = layouts
            if not all(isinstance(a, Tensor) for a in operands):
                rule, node = scalar_node(op, node, operands, saved, versions)
            else:
                if layouts[0] is not layouts[1]:
                    rule = op.broadcast_rule
                for place, value in enumerate(saved):
                    if value is not None:
                        setattr(node, f"s{place}", value)
                        setattr(node, f"v{place}", versions[place])
        if op.saves_out:
            out = results[0]
            node.s0, node.s1, node.v0, node.v1 = out._storage, out._layout, out._storage.version, out._offset
    else:
        rule = op.rule
        node.e0 = node.e1 = None
        node.rest = saved_tensors(edges, saved, layouts, parameters, versions)
        if op.saves_out:
            out = results[0]
            node.s0, node.s1, node.v0, node.v1 = out._storage, out._layout, out._storage.version, out._offset
    node.rule = op.complex_rules.get(rule, rule) if dtype.category == COMPLEX else rule
    for position in op.differentiable:
        if position < len(results):
            results[position].node = node
    if hooks is not None:
        pack_node(op, node, results, hooks)
    # An edge: a leaf that is saved itself, where operands are snapshots of what a decomposed call was given.
    if wrapped or any([isinstance(a, Tensor) and type(a._layout) is WrappedLayout for a in (*operands, *edges)]):
        set_context(node, disable_overrides())
    return node


def _saved_of(a: Any) -> Any:
    """What a node saves of an operand: a leaf itself, for its gradient's gradient, else another tensor (see `save_alias`)."""
    if not isinstance(a, Tensor):
        return a
    edge = edge_from(a)
    if isinstance(edge, Tensor):
        return edge
    now = snapshot(a)  # plain: rules see no overrides
    now.node = edge
    return now


def scalar_node(op: Operator, node: Node, operands: tuple, saved: tuple, versions: tuple) -> tuple[Any, Node]:
    """The node of a tensor and a number; where the number comes first, its mirror image."""
    a, b = operands
    if isinstance(a, Tensor):
        node.s0, node.s1 = saved[0], b
        if saved[0] is not None:
            node.v0 = versions[0]
        return op.scalar_rule, node
    node.s0, node.s1 = a, saved[1]
    node.v0 = None
    if saved[1] is not None:
        node.v1 = versions[1]
    return op.number_first_rule, node
