"""The fast path of operators with three operands, and with any number: see Note [Fast path] in unary.py.

What their nodes keep is in `rest` (`SavedTensors`), edges included.
"""

from __future__ import annotations

from functools import partial
from itertools import repeat
from sys import _getframe
from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF, Node, active_modes, next_seq
from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import trim_traceback
from facula_storage import Storage
from facula_storage.extend import allocate, collecting, new_instance

from ..._core.call_sites import user_frame
from ..._core.tensor import Tensor, make
from ..launching import MISSED, NOWHERE
from ..modes import call_in_mode
from ..planning import plan_of_other_shape
from ..saved import SavedTensors, save_alias, saved_tensors
from ..slow_path import slow_call

if TYPE_CHECKING:
    from ..._core.types import Function
    from ..operator import Operator


def make_ternary(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with three operands (the last may be None), perhaps parameters, and one result."""
    plans, fixed, values = op.table.by_key, op.fixed, bool(op.launch_scalars)
    record = record and op.recorded
    rule, saves_out, saved = op.rule, op.saves_out, SavedOperands(op)
    frame = user_frame if library_call else _getframe
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))
    with_numbers = (
        make_with_numbers(op, record=record, checked=checked, library_call=library_call) if op.elementwise else None
    )

    def call(first, second, third=None, parameters=(), out=None):  # type: ignore[no-untyped-def]
        if out is not None:
            try:
                return call_in_mode(op, (first, second, third), parameters, out)
            except FaculaError as error:
                trim_traceback(error)
                raise
        if with_numbers is not None:
            b, c = type(second), type(third)
            if b is float or b is int or c is float or c is int:
                try:
                    return with_numbers(first, second, third)
                except FaculaError as error:
                    trim_traceback(error)
                    raise
        while True:  # left by break alone
            try:
                la = first._layout
                sa = first._storage
                oa = first._offset
                na = first.node
                lb = second._layout
                sb = second._storage
                ob = second._offset
                nb = second.node
                lc: Any
                if third is None:
                    lc = nc = None
                    sc = NOWHERE
                    oc = 0
                else:
                    lc = third._layout
                    sc = third._storage
                    oc = third._offset
                    nc = third.node
                layouts = (la, lb, lc)
                plan = plans[(layouts, parameters[:fixed] if values else parameters)]
                lo: Any = plan.out
                s = Storage()
                if guard:
                    break
                try:
                    p, s.__del__ = lo.take_block()
                except IndexError:
                    p, s.__del__ = lo.refill()
                if values:
                    plan.launch(lo.numel, sa.ptr + oa, sb.ptr + ob, sc.ptr + oc, p, *parameters[fixed:])
                else:
                    plan.launch(lo.numel, sa.ptr + oa, sb.ptr + ob, sc.ptr + oc, p)
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if (
                    type(error) is KeyError
                    and not values
                    and plan_of_other_shape(op, op.table, (layouts, parameters), layouts, parameters)
                ):
                    continue
            else:
                s.ptr = p
                s.version = 0
                t = new_instance(Tensor)
                t._layout = lo
                t._storage = s
                t._offset = 0
                if not record or (na is None and nb is None and nc is None):
                    t.node = None
                    return t
                n = t.node = Node()
                n.rule = rule
                n.seq = next_seq()
                n.e0 = n.e1 = None
                k = n.rest = SavedTensors()
                k.edges = (first if na is LEAF else na, second if nb is LEAF else nb, third if nc is LEAF else nc)
                k.layouts = layouts
                k.parameters = parameters
                needs_a, needs_b, needs_c = saved[(na is not None, nb is not None, nc is not None)]
                if not needs_a:
                    first = None
                elif na is not LEAF:  # `save_alias`, written out
                    first = new_instance(Tensor)
                    first._layout = la
                    first._storage = sa
                    first._offset = oa
                    first.node = na
                k.values = (
                    first,
                    None if not needs_b else second if nb is LEAF else save_alias(lb, sb, ob, nb),
                    None if not needs_c or third is None else third if nc is LEAF else save_alias(lc, sc, oc, nc),
                )
                k.versions = (sa.version, sb.version, sc.version)
                if saves_out:
                    n.s0 = s
                    n.s1 = lo
                    n.v0 = n.v1 = 0
                f = frame(1)
                n.code = f.f_code
                n.lasti = f.f_lasti
                return t
            try:
                return slow_call(op, (first, second, third), parameters, record)
            except FaculaError as error:
                trim_traceback(error)
                raise
        try:
            return avoid(op, (first, second, third), parameters)
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call


def make_with_numbers(op: Operator, *, record: bool, checked: bool, library_call: bool) -> Function:
    """The function of an elementwise operator with three operands, the last two or one of them numbers."""
    plans, rule, saved = op.table.by_key, op.rule, SavedOperands(op)
    frame = user_frame if library_call else _getframe
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(first, second, third):  # type: ignore[no-untyped-def]
        while True:  # left by break alone
            try:
                la = first._layout
                sa = first._storage
                oa = first._offset
                na = first.node
                lb: Any = type(second)
                lc: Any = type(third)
                sb = sc = nb = nc = None
                ob = oc = 0
                if lb is not float and lb is not int:
                    lb = second._layout
                    sb = second._storage
                    ob = second._offset
                    nb = second.node
                elif lc is not float and lc is not int:
                    lc = third._layout
                    sc = third._storage
                    oc = third._offset
                    nc = third.node
                layouts = (la, lb, lc)
                plan = plans[(layouts, ())]
                lo: Any = plan.out
                s = Storage()
                if guard:
                    break
                try:
                    p, s.__del__ = lo.take_block()
                except IndexError:
                    p, s.__del__ = lo.refill()
                if sb is not None:
                    plan.launch(lo.numel, sa.ptr + oa, sb.ptr + ob, p, third)
                elif sc is not None:
                    plan.launch(lo.numel, sa.ptr + oa, sc.ptr + oc, p, second)
                else:
                    plan.launch(lo.numel, sa.ptr + oa, p, second, third)
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if type(error) is KeyError and plan_of_other_shape(op, op.table, (layouts, ()), layouts):
                    continue
            else:
                s.ptr = p
                s.version = 0
                t = new_instance(Tensor)
                t._layout = lo
                t._storage = s
                t._offset = 0
                if not record or (na is None and nb is None and nc is None):
                    t.node = None
                    return t
                n = t.node = Node()
                n.rule = rule
                n.seq = next_seq()
                n.e0 = n.e1 = None
                k = n.rest = SavedTensors()
                k.edges = (first if na is LEAF else na, second if nb is LEAF else nb, third if nc is LEAF else nc)
                k.layouts = layouts
                k.parameters = ()
                needs_a, needs_b, needs_c = saved[(na is not None, nb is not None, nc is not None)]
                k.values = (
                    None if not needs_a else first if na is LEAF else save_alias(la, sa, oa, na),
                    None if not needs_b else second if sb is None or nb is LEAF else save_alias(lb, sb, ob, nb),
                    None if not needs_c else third if sc is None or nc is LEAF else save_alias(lc, sc, oc, nc),
                )
                k.versions = (sa.version, None if sb is None else sb.version, None if sc is None else sc.version)
                f = frame(1)
                n.code = f.f_code
                n.lasti = f.f_lasti
                return t
            return slow_call(op, (first, second, third), (), record)
        return avoid(op, (first, second, third), ())

    return call


NUMBERS = (float, int)


class SavedOperands(dict[tuple[bool, ...], tuple[bool, ...]]):
    """Whether each operand must be saved, by whether each wants a gradient."""

    def __init__(self, op: Operator):
        self.op = op

    def __missing__(self, wanted: tuple[bool, ...]) -> tuple[bool, ...]:
        edges = tuple([one or None for one in wanted])
        return self.setdefault(wanted, tuple(self.op.saved_operands(edges)))


def make_many(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with any fixed number of operands, perhaps parameters, and one result or more."""
    plans, count, fixed, changes = op.table.by_key, op.arity, op.fixed, op.mutates
    record = record and op.recorded
    rule, saves_out, saves_further, saved = op.rule, op.saves_out, op.saves_further, SavedOperands(op)
    frame = user_frame if library_call else _getframe
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))
    numbers = NUMBERS if op.elementwise else ()

    def call(*operands, out=None):  # type: ignore[no-untyped-def]
        parameters = ()
        if len(operands) > count:
            parameters = operands[count]
            operands = operands[:count]
        if out is not None:
            try:
                return call_in_mode(op, operands, parameters, out)
            except FaculaError as error:
                trim_traceback(error)
                raise
        while True:  # left by break alone
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
                plan = plans[(tuple(layouts), parameters[:fixed])]
                lo: Any = plan.out
                further = [allocate(layout) for layout in plan.outputs[1:]] if len(plan.outputs) > 1 else ()
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
                for storage, offset in zip(storages, offsets, strict=True):
                    addresses.append(storage.ptr + offset)
                if scalars:
                    addresses = [at for at, layout in zip(addresses, layouts, strict=True) if type(layout) is not type]
                addresses.append(p)
                for storage in further:
                    addresses.append(storage.ptr)
                plan.launch(lo.numel, *addresses, *scalars, *parameters[fixed:])
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if type(error) is KeyError:
                    layouts = tuple(layouts)
                    if plan_of_other_shape(op, op.table, (layouts, parameters[:fixed]), layouts, parameters[:fixed]):
                        continue
            else:
                s.ptr = p
                s.version = 0
                t = new_instance(Tensor)
                t._layout = lo
                t._storage = s
                t._offset = 0
                t.node = None
                if changes:
                    f = frame(1)
                    for place in changes:
                        if operands[place] is not None:
                            storages[place].version += 1
                            storages[place].mutator = (op.name, f.f_code, f.f_lasti)
                results: Any = t
                if further:
                    results = (t, *map(make, repeat(Tensor), plan.outputs[1:], further))
                if not record or nodes.count(None) == count:
                    return results
                n = t.node = Node()
                n.rule = rule
                n.seq = next_seq()
                n.e0 = n.e1 = None
                wanted = tuple([node is not None for node in nodes])
                values = tuple(
                    [
                        None
                        if a is None or not need
                        else a
                        if node is LEAF or storage is NOWHERE
                        else save_alias(layout, storage, offset, node)
                        for a, need, layout, storage, offset, node in zip(
                            operands, saved[wanted], layouts, storages, offsets, nodes, strict=True
                        )
                    ]
                )
                versions = tuple([None if storage is NOWHERE else storage.version for storage in storages])
                if saves_further:
                    values += results[1:]
                    versions += tuple([storage.version for storage in further])
                edges = tuple([a if node is LEAF else node for a, node in zip(operands, nodes, strict=True)])
                n.rest = saved_tensors(edges, values, tuple(layouts), parameters, versions)
                if saves_out:
                    n.s0 = s
                    n.s1 = lo
                    n.v0 = n.v1 = 0
                f = frame(1)
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
