"""The fast path of `_dispatch/fast/ternary.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from functools import partial
from sys import _getframe
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes
from facula_autograd.extend.nodes import LEAF, Node, next_seq
from facula_errors import FaculaError
from facula_errors.extend import known_modules, trim_traceback
from facula_storage import Storage
from facula_storage.extend.layouts import COMPLEX
from facula_storage.extend.objects import new_instance
from facula_storage.extend.recording import collecting

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


def make_ternary(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with three operands (the last may be None), optional parameters, and one result."""
    plans, fixed, values = op.table.by_key, op.fixed, bool(op.launch_scalars)
    rule, saves_out, saved = op.rule, op.saves_out, SavedOperands(op)
    with_numbers = make_with_numbers(op, record=record, checked=checked, library_call=True) if op.elementwise else None
    record, complex_rules = record and op.recorded, op.complex_rules
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(first, second, third=None, parameters=(), out=None):  # type: ignore[no-untyped-def]
        if out is not None:
            try:
                return call_into(op, (first, second, third), parameters, out)
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
        while True:  # left by `break`; some paths repeat it with a plan that was made
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
                key = (layouts, parameters[:fixed] if values else parameters)
                try:
                    plan = plans[key]
                except KeyError:
                    plan = plan_of_other_shape(op, op.table, key, layouts, parameters)
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
                if complex_rules and la.dtype.category == COMPLEX:
                    n.rule = complex_rules.get(n.rule, n.rule)
                n.seq = next_seq()
                n.e0 = n.e1 = None
                k = n.rest = SavedTensors()
                k.edges = (first if na is LEAF else na, second if nb is LEAF else nb, third if nc is LEAF else nc)
                k.layouts = layouts
                k.parameters = parameters
                needs_a, needs_b, needs_c = saved[(na is not None, nb is not None, nc is not None)]
                if not needs_a:
                    first = None
                elif na is not LEAF:
                    first = new_instance(Tensor)
                    first._layout = la
                    first._storage = sa
                    first._offset = oa
                    first.node = na
                if not needs_b:
                    second = None
                elif nb is not LEAF:
                    second = new_instance(Tensor)
                    second._layout = lb
                    second._storage = sb
                    second._offset = ob
                    second.node = nb
                if not needs_c:
                    third = None
                elif third is not None and nc is not LEAF:
                    third = new_instance(Tensor)
                    third._layout = lc
                    third._storage = sc
                    third._offset = oc
                    third.node = nc
                k.values = (first, second, third)
                k.versions = (sa.version, sb.version, sc.version)
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


def make_with_numbers(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an elementwise operator with three operands, the last two or one of them numbers."""
    plans = op.table.by_key
    rule, saves_out, saved = op.rule, op.saves_out, SavedOperands(op)
    record, complex_rules = record and op.recorded, op.complex_rules
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(first, second, third):  # type: ignore[no-untyped-def]
        while True:  # left by `break`; some paths repeat it with a plan that was made
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
                try:
                    plan = plans[(layouts, ())]
                except KeyError:
                    plan = plan_of_other_shape(op, op.table, (layouts, ()), layouts, ())
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
                if complex_rules and la.dtype.category == COMPLEX:
                    n.rule = complex_rules.get(n.rule, n.rule)
                n.seq = next_seq()
                n.e0 = n.e1 = None
                k = n.rest = SavedTensors()
                k.edges = (first if na is LEAF else na, second if nb is LEAF else nb, third if nc is LEAF else nc)
                k.layouts = layouts
                k.parameters = ()
                needs_a, needs_b, needs_c = saved[(na is not None, nb is not None, nc is not None)]
                if not needs_a:
                    first = None
                elif na is not LEAF:
                    first = new_instance(Tensor)
                    first._layout = la
                    first._storage = sa
                    first._offset = oa
                    first.node = na
                if not needs_b:
                    second = None
                elif sb is not None and nb is not LEAF:
                    second = new_instance(Tensor)
                    second._layout = lb
                    second._storage = sb
                    second._offset = ob
                    second.node = nb
                if not needs_c:
                    third = None
                elif sc is not None and nc is not LEAF:
                    third = new_instance(Tensor)
                    third._layout = lc
                    third._storage = sc
                    third._offset = oc
                    third.node = nc
                k.values = (first, second, third)
                k.versions = (sa.version, None if sb is None else sb.version, None if sc is None else sc.version)
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
                return t
            try:
                return slow_call(op, (first, second, third), (), record)
            except FaculaError as error:
                trim_traceback(error)
                raise
        try:
            return avoid(op, (first, second, third), ())
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call
