"""The slow path of an operator: all cases that the fast path does not handle. Data flows down this file.

coerce operands -> promote -> find or make the plan -> allocate -> launch -> record.
"""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes, current_mode, replace_mode
from facula_errors import InvalidTypeError, OperationError, UnsupportedError
from facula_errors.extend import known_modules
from facula_storage.extend.recording import current_recorder, recorders

from ..._core.call_sites import user_frame
from ..._core.errors import relabel
from ..._core.memory import check_out, check_overlap
from ..._core.tensor import Tensor, layout_of_tensor
from ..._core.wrapped import WrappedLayout, innermost
from ..conversions import converted
from ..namespaces import no_record_ops, operators, recorded_ops
from ..overrides import call_override, overridden
from .inplace_checks import starts_inplace
from .launching import MISSED, launch, mutated, run
from .nodes import node_for
from .operands import coerce, describe, name_of, promote
from .planning import find_plan, make_plan, output_layouts
from .snapshots import snapshots_of

if TYPE_CHECKING:
    from ..._core.types import Layouts, Operands, Parameters, Result
    from ..operator import Operator


def call_out(name: str, operands: Operands, out: Tensor) -> Result:
    """Call the operator of this name and write into `out`."""
    return call_into(operators[name], operands, (), out)


def call_into(op: Operator, operands: Operands, parameters: Parameters, out: Any) -> Result:
    """Call `op` and write into `out`: by the plan of an earlier call with these layouts, otherwise on the slow path.

    The steps are those of a fast path (Note [Fast path]); nothing may be recorded, and no operand may overlap `out`.
    """
    while True:  # left by `break`
        try:
            target = out._layout
            storage = out._storage
            offset = out._offset
            if active_modes or out.node is not None:
                break
            if (op.decompose and op.direct is None) or op.validate_values is not None or op.mutates:
                break
            layouts: Any = ()
            places: Any = []
            numbers: Any = ()
            for a in operands:
                if type(a) is float:
                    layouts += (float,)
                    numbers += (a,)
                    continue
                layout = a._layout  # type: ignore[union-attr]
                places.append((a._storage, a._offset, layout))  # type: ignore[union-attr]
                if a.node is not None:  # type: ignore[union-attr]
                    raise InvalidTypeError  # to be looked at closely
                layouts += (layout,)
            if op.converts and layouts[0].dtype not in op.unconverted:
                break
            plan = op.slow_table.by_key[layouts, parameters[: op.fixed], target]
            storage.version + 1  # None, and so a TypeError, where the memory is read-only
            first = storage.ptr + offset
            last = first + target.extent
            addresses = []
            for held, place, layout in places:
                address = held.ptr + place
                if address < last and first < address + layout.extent:
                    if address != first or layout is not target or not op.elementwise:
                        raise InvalidTypeError
                addresses.append(address)
            plan.launch(target.numel, *addresses, first, *numbers, *parameters[op.fixed :])
        except MISSED as error:
            if hasattr(error, "launched"):
                raise
            break
        storage.version += 1
        f = _getframe(1)
        try:
            while known_modules[f.f_globals["__name__"]]:
                f = f.f_back  # type: ignore[assignment]
        except (AttributeError, KeyError):  # as in fast/template.py
            f = user_frame(1)
        storage.mutator = (op.name, f.f_code, f.f_lasti)
        return out  # type: ignore[no-any-return]
    return slow_call(op, operands, parameters, True, out)


def slow_call(
    op: Operator, operands: Operands, parameters: Parameters, record: bool = True, out: Tensor | None = None
) -> Result:
    """Call `op`. Return NotImplemented if an operand's type should handle the call (for Python's operators)."""
    try:
        if type(parameters) is not tuple or (parameters and not op.parameters):
            raise InvalidTypeError(f"{op.name}: takes one tensor; got a second argument, {describe(parameters)}")
        if overridden(operands):
            return call_override(op, operands, parameters, out)
        mode = current_mode() if active_modes else None
        if mode is not None and mode.autocast is not None and record and out is None:  # Note [Autocast]
            cast = mode.autocast.operands(op.name, operands, mode.grad)
            if cast is not None:
                with replace_mode(autocast=None):
                    return op.call(*cast, parameters) if parameters else op.call(*cast)
        record = record and (mode is None or mode.grad) and op.recorded
        level = innermost(operands)  # Note [Levels]
        recorder = current_recorder() if recorders else None
        if recorder is not None:
            recorder.operands(operands)
        held = snapshots_of(operands, record)
        plain = alike(op, held)
        ready = held if plain else coerce(op, held)
        if ready is NotImplemented:
            return NotImplemented
        if op.validate_values is not None and level is None:
            op.validate_values(*ready)
        if level is not None and out is not None:
            raise UnsupportedError(
                f"{op.name}: out= is not supported inside a transform (forward mode or facula.func); leave it out"
            )
        if level is None:
            record = record and any(isinstance(a, Tensor) and a.node is not None for a in ready)
        if out is not None and record:
            raise OperationError(
                f"{op.name}: out= cannot be used where a gradient is wanted; leave it out, or use no_grad()"
            )
        F = recorded_ops if record else no_record_ops
        answer = None
        if op.converts and not (plain and ready[0]._layout.dtype in op.unconverted):
            answer = converted(op, F, ready, parameters)
        if answer is None and op.decompose is not None:
            answer = op.decompose(F, ready, parameters)
        if answer is not None and out is not None:
            target, _ = check_out(op.name, layout_of_tensor(answer), out, ())
            no_record_ops.copy_into(target, answer)
            return out
        if answer is not None:
            return answer
        if op.elementwise and not plain:
            ready = promote(op, ready, F)
        if level is not None:
            return level.call(op, ready, parameters, record)
        layouts = tuple(
            [layout_of_tensor(a) if isinstance(a, Tensor) else None if a is None else type(a) for a in ready]
        )
        if op.validate_layouts is not None:
            op.validate_layouts(*layouts, *parameters)
        if out is not None:
            return into(op, ready, layouts, parameters, out)
        if op.mutates:
            check_changes(op, ready, operands)
        if mode is not None and mode.compute is not None and not op.mutates:
            results = mode.compute(op.name, lambda: computed(op, ready, layouts, parameters), ready, parameters)
        else:
            results = computed(op, ready, layouts, parameters)
        for place in op.mutates:
            if ready[place] is not None:
                mutated(ready[place], op.name)
        if record:
            wrapped = any([isinstance(a, Tensor) and type(a._layout) is WrappedLayout for a in operands])
            node_for(op, ready, layouts, parameters, results, mode and mode.saved_hooks, wrapped=wrapped)
        return results[0] if len(results) == 1 else tuple(results)
    except Exception as error:
        if type(error) is TypeError and op.parameters and not parameters:  # a call in a rule, such as `F.sum(g)`
            raise InvalidTypeError(
                f"{op.name}: expected ({', '.join(op.parameters)}) as a tuple after the operands; got none"
            ) from None
        relabel(error, op.name)
        raise


def computed(op: Operator, operands: Operands, layouts: Layouts, parameters: Parameters) -> list[Tensor]:
    """Return the results of `op`, computed by its `execute` or by a launch."""
    if op.execute is not None:
        return op.execute(operands, parameters)
    return run(find_plan(op, layouts, parameters), operands, parameters[op.fixed :], op.mutates)


def call_in(op: Operator, grad: bool, operands: Operands, parameters: Parameters) -> Result:
    """Call `op` on the fast path despite a mode, which determines whether to record."""
    call = op.default_mode_call if grad else op.no_record
    return call(*operands, parameters) if parameters else call(*operands)


def check_changes(op: Operator, operands: Operands, given: Operands) -> None:
    """Check that `op` may change the operands that it changes in place. `given`: the originals of the snapshots
    in `operands`."""
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


def alike(op: Operator, operands: Operands) -> bool:
    """Return whether all operands are tensors of one device and of one dtype that `op` computes in, without
    overrides. Most calls that reach the slow path do so only because of a new shape and need no coercion.
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
    except (AttributeError, IndexError):  # a number, or a layout of a subclass that overrides operators
        return False
    if not op.elementwise:
        return True
    return not op.mask_operands and op.compute_dtype(dtype) is dtype and (op.accepts is None or op.accepts(dtype))


def into(op: Operator, operands: Operands, layouts: Layouts, parameters: Parameters, out: Tensor) -> Tensor:
    """Compute into `out`."""
    outputs = output_layouts(op, layouts, parameters)
    if len(outputs) != 1:
        raise UnsupportedError(f"{op.name}: out= with several results is not supported; copy the results")
    target, direct = check_out(op.name, outputs[0], out, operands, op.elementwise)
    if not direct or op.execute is not None:  # another dtype, or memory shared with an operand: use a temporary
        (result,) = computed(op, operands, layouts, parameters)
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
