"""The fast path of `_dispatch/fast/many.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from functools import partial
from sys import _getframe
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes
from facula_autograd.extend.nodes import LEAF, Node, next_seq
from facula_errors import FaculaError, InvalidTypeError, NoMemoryError
from facula_errors.extend import known_modules, trim_traceback
from facula_storage import Storage
from facula_storage.extend.memory import allocate
from facula_storage.extend.objects import new_instance
from facula_storage.extend.recording import collecting, recorders

from ...._core.call_sites import user_frame
from ...._core.tensor import Tensor
from ...._dispatch.rules.saved import SavedOperands, SavedTensors
from ...._dispatch.slow_path.launching import MISSED, NOWHERE
from ...._dispatch.slow_path.modes import call_in_mode
from ...._dispatch.slow_path.planning import plan_of_other_shape
from ...._dispatch.slow_path.slow_call import call_into, slow_call

if TYPE_CHECKING:
    from ...._core.types import Function
    from ...._dispatch.operator import Operator


def make_many(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with any fixed number of operands, optional parameters, and one or more results."""
    plans, count, fixed, changes = op.table.by_key, op.arity, op.fixed, op.mutates
    rule, saves_out, saves_further, saved = op.rule, op.saves_out, op.saves_further, SavedOperands(op)
    numbers = (float, int) if op.elementwise else ()
    record = record and op.recorded
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(*operands, out=None):  # type: ignore[no-untyped-def]
        parameters = ()
        if len(operands) > count:
            parameters = operands[count]
            operands = operands[:count]
        if out is not None:
            try:
                return call_into(op, operands, parameters, out)
            except FaculaError as error:
                trim_traceback(error)
                raise
        while True:  # left by `break`; some paths repeat it with a plan that was made
            try:
                layouts: Any = []
                storages: Any = []
                offsets: Any = []
                nodes: Any = []
                scalars: Any = ()
                for a in operands:
                    if a is None:
                        layouts.append(None)
                        storages.append(NOWHERE)
                        offsets.append(0)
                        nodes.append(None)
                    else:
                        try:
                            layout = a._layout
                        except AttributeError:
                            if type(a) not in numbers:
                                raise
                            layouts.append(type(a))
                            storages.append(NOWHERE)
                            offsets.append(0)
                            nodes.append(None)
                            scalars += (a,)
                            continue
                        storage = a._storage
                        offset = a._offset
                        node = a.node
                        layouts.append(layout)
                        storages.append(storage)
                        offsets.append(offset)
                        nodes.append(node)
                layouts = tuple(layouts)
                try:
                    plan = plans[(layouts, parameters[:fixed])]
                except KeyError:
                    plan = plan_of_other_shape(op, op.table, (layouts, parameters[:fixed]), layouts, parameters)
                lo: Any = plan.out
                further = []
                for layout in plan.outputs[1:]:
                    storage = Storage()
                    if guard or recorders:
                        storage = allocate(layout)
                    else:
                        try:
                            storage.ptr, storage.__del__ = layout.take_block()
                        except IndexError:
                            storage.ptr, storage.__del__ = layout.refill()
                        storage.version = 0
                    further.append(storage)
                for place in changes:
                    storages[place].version + 1  # None, and so a TypeError, where the memory is read-only
                    if nodes[place] is not None or (
                        operands[place] is not None and storages.count(storages[place]) > 1
                    ):
                        raise InvalidTypeError  # to be looked at closely
                s = Storage()
                if guard:
                    break
                try:
                    p, s.__del__ = lo.take_block()
                except IndexError:
                    p, s.__del__ = lo.refill()
                addresses = []
                for layout, storage, offset in zip(layouts, storages, offsets, strict=True):
                    if type(layout) is not type:  # of a number
                        addresses.append(storage.ptr + offset)
                addresses.append(p)
                for storage in further:
                    addresses.append(storage.ptr)
                plan.launch(lo.numel, *addresses, *scalars, *parameters[fixed:])
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
            else:
                s.ptr = p
                s.version = 0
                t = new_instance(Tensor)
                t._layout = lo
                t._storage = s
                t._offset = 0
                if changes:
                    f = _getframe(1)
                    if library_call:
                        try:
                            while known_modules[f.f_globals["__name__"]]:
                                f = f.f_back  # type: ignore[assignment]
                        except (AttributeError, KeyError):  # a module that is not known yet, or no frame of a program
                            f = user_frame(1)
                    for place in changes:
                        if operands[place] is not None:
                            storages[place].version += 1
                            storages[place].mutator = (op.name, f.f_code, f.f_lasti)
                results: Any = t
                for layout, storage in zip(plan.outputs[1:], further, strict=True):
                    u = new_instance(Tensor)
                    u._layout = layout
                    u._storage = storage
                    u._offset = 0
                    u.node = None
                    results = (*results, u) if results is not t else (t, u)
                if not record or nodes.count(None) == count:
                    t.node = None
                    return results
                n = t.node = Node()
                n.rule = rule
                n.seq = next_seq()
                edges: Any = []
                wanted: Any = ()
                for a, node in zip(operands, nodes, strict=True):
                    edges.append(a if node is LEAF else node)
                    wanted += (node is not None,)
                n.e0 = n.e1 = None
                k = n.rest = SavedTensors()
                k.edges = tuple(edges)
                k.layouts = layouts
                k.parameters = parameters
                values: Any = []
                versions: Any = []
                for a, need, layout, storage, offset, node in zip(
                    operands, saved[wanted], layouts, storages, offsets, nodes, strict=True
                ):
                    if a is None or not need:
                        values.append(None)
                    elif node is LEAF or storage is NOWHERE:
                        values.append(a)
                    else:
                        u = new_instance(Tensor)
                        u._layout = layout
                        u._storage = storage
                        u._offset = offset
                        u.node = node
                        values.append(u)
                    versions.append(None if storage is NOWHERE else storage.version)
                if saves_further:
                    values += results[1:]
                    for storage in further:
                        versions.append(storage.version)
                k.values = tuple(values)
                k.versions = tuple(versions)
                if saves_out:
                    n.s0 = s
                    n.s1 = lo
                    n.v0 = n.v1 = 0
                f = _getframe(1)
                if library_call:
                    try:
                        while known_modules[f.f_globals["__name__"]]:
                            f = f.f_back  # type: ignore[assignment]
                    except (AttributeError, KeyError):  # a module that is not known yet, or no frame of a program
                        f = user_frame(1)
                n.code = f.f_code
                n.lasti = f.f_lasti
                return results
            try:
                return slow_call(op, operands, parameters, record)
            except FaculaError as error:
                trim_traceback(error)
                raise
        try:
            return avoid(op, operands, parameters)
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call


def make_elementwise(op: Operator) -> Function:
    """The function, without recording, of an elementwise operator on tensors and Python numbers."""
    plans = op.table.by_key

    def call(*operands):  # type: ignore[no-untyped-def]
        while True:  # left by `break`; some paths repeat it with a plan that was made
            try:
                layouts: Any = []
                places: Any = []
                scalars: Any = []
                for a in operands:
                    kind = type(a)
                    if kind is float or kind is int:
                        layouts.append(kind)
                        scalars.append(a)
                    else:
                        layout = a._layout
                        storage = a._storage
                        offset = a._offset
                        layouts.append(layout)
                        places.append((storage, offset))
                layouts = tuple(layouts)
                plan = plans[(layouts, ())]
                results = []
                addresses = []
                for lo in plan.outputs:
                    s = Storage()
                    if collecting:
                        raise NoMemoryError("no block during a collection")  # caught below: the slow path takes others
                    try:
                        s.ptr, s.__del__ = lo.take_block()
                    except IndexError:
                        s.ptr, s.__del__ = lo.refill()
                    s.version = 0
                    t = new_instance(Tensor)
                    t._layout = lo
                    t._storage = s
                    t._offset = 0
                    t.node = None
                    results.append(t)
                    addresses.append(s.ptr)
                plan.launch(lo.numel, *[storage.ptr + offset for storage, offset in places], *addresses, *scalars)
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if type(error) is KeyError:
                    if plan_of_other_shape(op, op.table, (layouts, ()), layouts):
                        continue
            else:
                return t if len(results) == 1 else tuple(results)
            break
        try:
            return slow_call(op, operands, (), record=False)
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call
