"""The fast path of `_dispatch/fast/pairs.py`, written by `python -m facula_tensor._forms`."""

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
from ...._dispatch.slow_path.launching import MISSED
from ...._dispatch.slow_path.modes import call_in_mode
from ...._dispatch.slow_path.planning import plan_of_other_shape
from ...._dispatch.slow_path.slow_call import call_into, slow_call

if TYPE_CHECKING:
    from ...._core.types import Function
    from ...._dispatch.operator import Operator


def make_double(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with two operands, optional parameters, and one result."""
    plans, fixed, values = op.table.by_key, op.fixed, bool(op.launch_scalars)
    rule, saves_out, saved = op.rule, op.saves_out, SavedOperands(op)
    record, complex_rules = record and op.recorded, op.complex_rules
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(first, second, parameters=(), out=None):  # type: ignore[no-untyped-def]
        if out is not None:
            try:
                return call_into(op, (first, second), parameters, out)
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
                layouts = (la, lb)
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
                    plan.launch(lo.numel, sa.ptr + oa, sb.ptr + ob, p, *parameters[fixed:])
                else:
                    plan.launch(lo.numel, sa.ptr + oa, sb.ptr + ob, p)
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
                if not record or (na is None and nb is None):
                    t.node = None
                    return t
                n = t.node = Node()
                n.rule = rule
                if complex_rules and la.dtype.category == COMPLEX:
                    n.rule = complex_rules.get(n.rule, n.rule)
                n.seq = next_seq()
                n.e0 = n.e1 = None
                k = n.rest = SavedTensors()
                k.edges = (first if na is LEAF else na, second if nb is LEAF else nb)
                k.layouts = layouts
                k.parameters = parameters
                needs_a, needs_b = saved[(na is not None, nb is not None)]
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
                k.values = (first, second)
                k.versions = (sa.version, sb.version)
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
                return slow_call(op, (first, second), parameters, record)
            except FaculaError as error:
                trim_traceback(error)
                raise
        try:
            return avoid(op, (first, second), parameters)
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call


def make_pair(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with one operand, optional parameters, and two results."""
    plans, fixed, values = op.table.by_key, op.fixed, bool(op.launch_scalars)
    rule, saves_input, saves_out, saves_further = op.rule, op.saves_input, op.saves_out, op.saves_further
    record, complex_rules = record and op.recorded, op.complex_rules
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(input, parameters=(), out=None):  # type: ignore[no-untyped-def]
        if out is not None:
            try:
                return call_into(op, (input,), parameters, out)
            except FaculaError as error:
                trim_traceback(error)
                raise
        while True:  # left by `break`; some paths repeat it with a plan that was made
            try:
                la = input._layout
                sa = input._storage
                oa = input._offset
                na = input.node
                layouts = (la,)
                key = (layouts, parameters[:fixed] if values else parameters)
                try:
                    plan = plans[key]
                except KeyError:
                    plan = plan_of_other_shape(op, op.table, key, layouts, parameters)
                lo, lf = plan.outputs
                s = Storage()
                if guard:
                    break
                try:
                    p, s.__del__ = lo.take_block()
                except IndexError:
                    p, s.__del__ = lo.refill()
                sf = Storage()
                if guard:
                    break
                try:
                    q, sf.__del__ = lf.take_block()
                except IndexError:
                    q, sf.__del__ = lf.refill()
                if values:
                    plan.launch(lo.numel, sa.ptr + oa, p, q, *parameters[fixed:])
                else:
                    plan.launch(lo.numel, sa.ptr + oa, p, q)
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
                sf.ptr = q
                sf.version = 0
                further = new_instance(Tensor)
                further._layout = lf
                further._storage = sf
                further._offset = 0
                further.node = None
                if not record or na is None:
                    t.node = None
                    return t, further
                n = t.node = Node()
                n.rule = rule
                if complex_rules and la.dtype.category == COMPLEX:
                    n.rule = complex_rules.get(n.rule, n.rule)
                n.seq = next_seq()
                n.e0 = n.e1 = None
                k = n.rest = SavedTensors()
                k.edges = (input if na is LEAF else na,)
                k.layouts = layouts
                k.parameters = parameters
                if saves_input and na is not LEAF:
                    input = new_instance(Tensor)
                    input._layout = la
                    input._storage = sa
                    input._offset = oa
                    input.node = na
                kept = input if saves_input else None
                k.values, k.versions = ((kept, further), (sa.version, 0)) if saves_further else ((kept,), (sa.version,))
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
                return t, further
            try:
                return slow_call(op, (input,), parameters, record)
            except FaculaError as error:
                trim_traceback(error)
                raise
        try:
            return avoid(op, (input,), parameters)
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call
