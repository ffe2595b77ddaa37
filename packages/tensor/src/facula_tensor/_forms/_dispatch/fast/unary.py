"""The fast path of `_dispatch/fast/unary.py`, written by `python -m facula_tensor._forms`."""

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
from ...._dispatch.slow_path.complex_numbers import with_complex
from ...._dispatch.slow_path.launching import MISSED
from ...._dispatch.slow_path.mixed_dtypes import call_with_two
from ...._dispatch.slow_path.modes import call_in_mode
from ...._dispatch.slow_path.planning import plan_of_other_shape
from ...._dispatch.slow_path.slow_call import call_into, slow_call

if TYPE_CHECKING:
    from ...._core.types import Function
    from ...._dispatch.operator import Operator


def make_unary(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with one tensor operand and optional parameters."""
    dense, plans, fixed, values = op.table.dense, op.table.by_key, op.fixed, bool(op.launch_scalars)
    rule, saves_input, saves_out, extras, saves_both = op.rule, op.saves_input, op.saves_out, op.extras, op.saves_both
    nothing = ()  # one object in all of Python; a user's 0 or None is told from it
    record, complex_rules = record and op.recorded, op.complex_rules
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(input, _parameters=(), out=None):  # type: ignore[no-untyped-def]
        if out is not None:
            try:
                return call_into(op, (input,), _parameters, out)
            except FaculaError as error:
                trim_traceback(error)
                raise
        while True:  # left by `break`; some paths repeat it with a plan that was made
            try:
                la = input._layout
                sa = input._storage
                oa = input._offset
                na = input.node
                shared = _parameters[:fixed] if values else _parameters
                lo = la
                launch = dense[la.dense] if _parameters is nothing else None
                if launch is None:
                    try:
                        plan = plans[(la, shared)]
                    except KeyError:
                        plan = plan_of_other_shape(op, op.table, (la, shared), (la,), _parameters)
                    launch = plan.launch
                    lo = plan.out
                s = Storage()
                if guard:
                    break
                try:
                    p, s.__del__ = lo.take_block()
                except IndexError:
                    p, s.__del__ = lo.refill()
                pa = sa.ptr
                if oa:
                    pa += oa
                if values:
                    launch(lo.numel, pa, p, *_parameters[fixed:])
                else:
                    launch(lo.numel, pa, p)
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
                if not record or na is None:
                    t.node = None
                    return t
                n = t.node = Node()
                n.rule = rule
                if complex_rules and la.dtype.category == COMPLEX:
                    n.rule = complex_rules.get(n.rule, n.rule)
                n.seq = next_seq()
                n.e0 = input if na is LEAF else na
                k = input
                if saves_input and na is not LEAF:
                    k = new_instance(Tensor)
                    k._layout = la
                    k._storage = sa
                    k._offset = oa
                    k.node = na
                if saves_out:
                    n.s0 = s
                    n.s1 = lo
                    n.v0 = n.v1 = 0
                elif saves_input:
                    n.s0 = k
                    n.v0 = sa.version
                if saves_both:
                    n.rest = (la, _parameters, k, sa.version)
                elif extras:
                    n.rest = (la, _parameters)
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
                return slow_call(op, (input,), _parameters, record)
            except FaculaError as error:
                trim_traceback(error)
                raise
        try:
            return avoid(op, (input,), _parameters)
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call


def make_binary(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with two tensor operands, or a tensor and a Python number."""
    dense, plans, with_float, with_int = op.table.dense, op.table.by_key, op.table.with_float, op.table.with_int
    extras, rule, broadcast_rule, scalar_rule = op.extras, op.rule, op.broadcast_rule, op.scalar_rule
    (a_needs_a, a_needs_b), (b_needs_a, b_needs_b) = op.operand_needs
    saves = op.rule.saves
    number_first = make_number_first(op, record=record, checked=checked, library_call=True)
    record, complex_rules = record and op.recorded, op.complex_rules
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(input, other):  # type: ignore[no-untyped-def]
        kind = type(other)
        if kind is float or kind is int:
            while True:  # left by `break`; some paths repeat it with a plan that was made
                try:
                    la = input._layout
                    sa = input._storage
                    oa = input._offset
                    na = input.node
                    lo = la
                    launch = with_float[la.dense] if kind is float else with_int[la.dense]
                    if launch is None:
                        try:
                            plan = plans[(la, kind)]
                        except KeyError:
                            plan = plan_of_other_shape(op, op.table, (la, kind), (la, kind), ())
                        launch = plan.launch
                        lo = plan.out
                    s = Storage()
                    if guard:
                        break
                    try:
                        p, s.__del__ = lo.take_block()
                    except IndexError:
                        p, s.__del__ = lo.refill()
                    pa = sa.ptr
                    if oa:
                        pa += oa
                    launch(lo.numel, pa, p, other)
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
                    if not record or na is None:
                        t.node = None
                        return t
                    n = t.node = Node()
                    n.rule = scalar_rule
                    if complex_rules and la.dtype.category == COMPLEX:
                        n.rule = complex_rules.get(n.rule, n.rule)
                    n.seq = next_seq()
                    n.e0 = input if na is LEAF else na
                    n.s1 = other
                    if a_needs_a:
                        if na is not LEAF:
                            input = new_instance(Tensor)
                            input._layout = la
                            input._storage = sa
                            input._offset = oa
                            input.node = na
                        n.s0 = input
                        n.v0 = sa.version
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
                    return slow_call(op, (input, other), (), record)
                except FaculaError as error:
                    trim_traceback(error)
                    raise
            try:
                return avoid(op, (input, other), ())
            except FaculaError as error:
                trim_traceback(error)
                raise
        while True:  # left by `break`; some paths repeat it with a plan that was made
            try:
                la = input._layout
                sa = input._storage
                oa = input._offset
                na = input.node
                lb = other._layout
                sb = other._storage
                ob = other._offset
                nb = other.node
                lo = la
                launch = dense[la.dense] if la is lb else None
                if launch is None:
                    try:
                        plan = plans[(la, lb)]
                    except KeyError:
                        plan = plan_of_other_shape(op, op.table, (la, lb), (la, lb), ())
                    launch = plan.launch
                    lo = plan.out
                s = Storage()
                if guard:
                    break
                try:
                    p, s.__del__ = lo.take_block()
                except IndexError:
                    p, s.__del__ = lo.refill()
                pa = sa.ptr
                if oa:
                    pa += oa
                pb = sb.ptr
                if ob:
                    pb += ob
                launch(lo.numel, pa, pb, p)
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
                n.rule = rule if la is lb else broadcast_rule
                if complex_rules and la.dtype.category == COMPLEX:
                    n.rule = complex_rules.get(n.rule, n.rule)
                n.seq = next_seq()
                n.e0 = input if na is LEAF else na
                n.e1 = other if nb is LEAF else nb
                if extras or la is not lb:
                    n.rest = (la, lb)
                if saves:
                    n.s0 = n.s1 = None
                    if (b_needs_a and nb is not None) or (a_needs_a and na is not None):
                        if na is not LEAF:
                            input = new_instance(Tensor)
                            input._layout = la
                            input._storage = sa
                            input._offset = oa
                            input.node = na
                        n.s0 = input
                        n.v0 = sa.version
                    if (a_needs_b and na is not None) or (b_needs_b and nb is not None):
                        if nb is not LEAF:
                            other = new_instance(Tensor)
                            other._layout = lb
                            other._storage = sb
                            other._offset = ob
                            other.node = nb
                        n.s1 = other
                        n.v1 = sb.version
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
            if complex in (kind, type(input)) and (result := with_complex(op, input, other, record)) is not None:
                return result
            if type(input) is float or type(input) is int:
                try:
                    return number_first(input, other)
                except FaculaError as error:
                    trim_traceback(error)
                    raise
            try:
                return call_with_two(op, input, other, record)
            except FaculaError as error:
                trim_traceback(error)
                raise
        try:
            return avoid(op, (input, other), ())
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call


def make_number_first(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with a Python number as the first operand, as in `2 - x`."""
    plans, rule = op.table.by_key, op.number_first_rule
    (_, _), (_, needs_other) = op.operand_needs
    record, complex_rules = record and op.recorded, op.complex_rules
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(number, other):  # type: ignore[no-untyped-def]
        while True:  # left by `break`; some paths repeat it with a plan that was made
            try:
                lb = other._layout
                sb = other._storage
                ob = other._offset
                nb = other.node
                try:
                    plan = plans[(type(number), lb)]
                except KeyError:
                    plan = plan_of_other_shape(op, op.table, (type(number), lb), (type(number), lb), ())
                lo: Any = plan.out
                s = Storage()
                if guard:
                    break
                try:
                    p, s.__del__ = lo.take_block()
                except IndexError:
                    p, s.__del__ = lo.refill()
                pb = sb.ptr
                if ob:
                    pb += ob
                plan.launch(lo.numel, pb, p, number)
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
                if not record or nb is None:
                    t.node = None
                    return t
                n = t.node = Node()
                n.rule = rule
                if complex_rules and lb.dtype.category == COMPLEX:
                    n.rule = complex_rules.get(n.rule, n.rule)
                n.seq = next_seq()
                n.e0 = None
                n.e1 = other if nb is LEAF else nb
                n.s0 = number
                n.v0 = n.s1 = None
                if needs_other:
                    if nb is not LEAF:
                        other = new_instance(Tensor)
                        other._layout = lb
                        other._storage = sb
                        other._offset = ob
                        other.node = nb
                    n.s1 = other
                    n.v1 = sb.version
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
                return slow_call(op, (number, other), (), record)
            except FaculaError as error:
                trim_traceback(error)
                raise
        try:
            return avoid(op, (number, other), ())
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call
