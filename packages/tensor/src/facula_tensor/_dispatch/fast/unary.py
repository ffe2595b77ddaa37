"""The fast path: what an operator does on nearly every call. Read this to know where the nanoseconds go.

A call looks up a plan, takes a block for the result, launches, and records a node where a gradient
is wanted. Anything unexpected (an override, a scalar of another type, dtypes without a plan) ends in
`slow_call`, which restarts the call from the beginning; nothing here has any effect before the
launch. See Note [Fast path].
"""

from __future__ import annotations

from functools import partial
from sys import _getframe
from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF, Node, active_modes, next_seq
from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import Storage
from facula_storage.extend import collecting, new_instance

from ..._core.call_sites import user_frame
from ..._core.tensor import Tensor
from ..launching import MISSED
from ..modes import call_in_mode
from ..planning import plan_of_other_shape
from ..saved import save_alias
from ..slow_path import slow_call

if TYPE_CHECKING:
    from ..._core.types import Function
    from ..operator import Operator

# Note [Fast path]
# ~~~~~~~~~~~~~~~~~
# What looks odd below was measured (benchmarks/hot_path.py):
# * Layout, storage and offset of all operands are loaded before anything is called; each address is
#   loaded once, with no call between that and the launch. A thread switch can happen at any call, and
#   another thread may give a storage another buffer.
# * A layout's `take_block` is the pop of a free list. An empty list raises IndexError, an exception costs
#   nothing until it happens. The release of the block goes into the slot `__del__`, a C callable.
# * A table without a plan (None is not callable) and an operand that is no tensor raise TypeError or AttributeError
#   before the launch has done anything; so does MemoryError. They are caught once, around everything (`MISSED`), and
#   said by `slow_call`. What is raised once a launch is done goes on: no call launches twice.
# * `guard` is a shared list, not empty while any thread is in a mode or the garbage collector runs (raw
#   functions look at the collector's alone). It is asked directly before a block is taken, with no call
#   between: during a collection blocks must come from `refill`. `break` leaves to `avoid`, outside the try.
# * Offsets count bytes, so that an address is one addition, left out for the many zeros.
# * Where operands are taken in a loop (`make_many`), layout, storage and offset of each are loaded together.
# * A new node's call site is a code object and an instruction, never a frame.
# * Two operands of the same layout object take a plan that fits any size (`dense`); all others one
#   that is found under both layouts.
# * What leaves by the slow path as an error leaves no frame of this file: Note [Trimming] in facula_errors.
# `record`, `checked` and `library_call` are constants of a closure: the same text gives the function users call,
# the one used while somebody else is in a mode, and the raw one that gradient rules call.


def make_unary(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with one tensor operand and, perhaps, parameters."""
    dense, plans = op.table.dense, op.table.by_key
    record = record and op.recorded
    rule, save_input, save_out, extras, save_both = op.rule, op.saves_input, op.saves_out, op.extras, op.saves_both
    nothing = ()  # one object in all of Python; a user's 0 or None is told from it
    frame = user_frame if library_call else _getframe
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(input, _parameters=(), out=None):  # type: ignore[no-untyped-def]
        if out is not None:
            try:
                return call_in_mode(op, (input,), _parameters, out)
            except FaculaError as error:
                trim_traceback(error)
                raise
        while True:  # left by break alone
            try:
                la = lo = input._layout
                sa = input._storage
                oa = input._offset
                na = input.node
                launch = dense[la.dense] if _parameters is nothing else None
                if launch is None:
                    plan = plans[(la, _parameters)]
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
                launch(lo.numel, pa, p)
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if type(error) is KeyError and plan_of_other_shape(op, op.table, (la, _parameters), (la,), _parameters):
                    continue
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
                n.seq = next_seq()
                n.e0 = input if na is LEAF else na
                k = input
                if save_input and na is not LEAF:  # `save_alias`, written out
                    k = new_instance(Tensor)
                    k._layout = la
                    k._storage = sa
                    k._offset = oa
                    k.node = na
                if save_out:
                    n.s0 = s
                    n.s1 = lo
                    n.v0 = n.v1 = 0
                elif save_input:
                    n.s0 = k
                    n.v0 = sa.version
                if save_both:
                    n.rest = (la, _parameters, k, sa.version)
                elif extras:
                    n.rest = (la, _parameters)
                f = frame(1)
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
    record = record and op.recorded
    frame = user_frame if library_call else _getframe
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))
    number_first = make_number_first(op, record=record, checked=checked)

    def call(input, other):  # type: ignore[no-untyped-def]
        kind = type(other)
        if kind is float or kind is int:
            while True:  # left by break alone
                try:
                    la = input._layout
                    sa = input._storage
                    oa = input._offset
                    na = input.node
                    lo = la
                    launch = with_float[la.dense] if kind is float else with_int[la.dense]
                    if launch is None:
                        plan = plans[(la, kind)]
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
                    if type(error) is KeyError and plan_of_other_shape(op, op.table, (la, kind), (la, kind)):
                        continue
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
                    n.seq = next_seq()
                    n.e0 = input if na is LEAF else na
                    n.s1 = other
                    if a_needs_a:
                        n.s0 = save_alias(la, sa, oa, na) if na is not LEAF else input
                        n.v0 = sa.version
                    f = frame(1)
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
        while True:  # left by break alone
            try:
                la = lo = input._layout
                lb = other._layout
                sa = input._storage
                sb = other._storage
                oa = input._offset
                ob = other._offset
                na = input.node
                nb = other.node
                launch = dense[la.dense] if la is lb else None
                if launch is None:
                    plan = plans[(la, lb)]
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
                pb = sb.ptr
                if oa:
                    pa += oa
                if ob:
                    pb += ob
                launch(lo.numel, pa, pb, p)
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if type(error) is KeyError and plan_of_other_shape(op, op.table, (la, lb), (la, lb)):
                    continue
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
                n.seq = next_seq()
                n.e0 = input if na is LEAF else na
                n.e1 = other if nb is LEAF else nb
                n.rule = rule if la is lb else broadcast_rule
                if extras or la is not lb:
                    n.rest = (la, lb)
                if saves:
                    n.s0 = n.s1 = None
                    if (b_needs_a and nb is not None) or (a_needs_a and na is not None):
                        if na is LEAF:
                            n.s0 = input
                        else:
                            k = n.s0 = new_instance(Tensor)
                            k._layout = la
                            k._storage = sa
                            k._offset = oa
                            k.node = na
                        n.v0 = sa.version
                    if (a_needs_b and na is not None) or (b_needs_b and nb is not None):
                        if nb is LEAF:
                            n.s1 = other
                        else:
                            k = n.s1 = new_instance(Tensor)
                            k._layout = lb
                            k._storage = sb
                            k._offset = ob
                            k.node = nb
                        n.v1 = sb.version
                f = frame(1)
                n.code = f.f_code
                n.lasti = f.f_lasti
                return t
            try:
                if type(input) is float or type(input) is int:
                    return number_first(input, other)
                return slow_call(op, (input, other), (), record)
            except FaculaError as error:
                trim_traceback(error)
                raise
        try:
            return avoid(op, (input, other), ())
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call


def make_number_first(op: Operator, *, record: bool, checked: bool) -> Function:
    """The function of an operator whose first operand is a Python number, as in `2 - x`."""
    plans, rule = op.table.by_key, op.number_first_rule
    (_, _), (_, needs_other) = op.operand_needs
    record = record and op.recorded
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(number, other):  # type: ignore[no-untyped-def]
        while True:  # left by break alone
            try:
                lb = other._layout
                sb = other._storage
                ob = other._offset
                nb = other.node
                plan = plans[(type(number), lb)]
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
                if type(error) is KeyError and plan_of_other_shape(
                    op, op.table, (type(number), lb), (type(number), lb)
                ):
                    continue
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
                n.seq = next_seq()
                n.e0 = None
                n.e1 = other if nb is LEAF else nb
                n.s0 = number
                n.v0 = n.s1 = None
                if needs_other:
                    n.s1 = save_alias(lb, sb, ob, nb) if nb is not LEAF else other
                    n.v1 = sb.version
                f = user_frame(1)
                n.code = f.f_code
                n.lasti = f.f_lasti
                return t
            return slow_call(op, (number, other), (), record)
        return avoid(op, (number, other), ())

    return call
