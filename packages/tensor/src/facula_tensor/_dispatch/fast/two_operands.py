"""The fast path of operators with two operands that are not elementwise: see Note [Fast path] in unary.py."""

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
from ..saved import SavedTensors, save_alias
from ..slow_path import slow_call
from .many import SavedOperands

if TYPE_CHECKING:
    from ..._core.types import Function
    from ..operator import Operator


def make_double(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with two operands, perhaps parameters, and one result."""
    plans, fixed, values = op.table.by_key, op.fixed, bool(op.launch_scalars)
    record = record and op.recorded
    rule, saves_out, saved = op.rule, op.saves_out, SavedOperands(op)
    frame = user_frame if library_call else _getframe
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(first, second, parameters=(), out=None):  # type: ignore[no-untyped-def]
        if out is not None:
            try:
                return call_in_mode(op, (first, second), parameters, out)
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
                layouts = (la, lb)
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
                    plan.launch(lo.numel, sa.ptr + oa, sb.ptr + ob, p, *parameters[fixed:])
                else:
                    plan.launch(lo.numel, sa.ptr + oa, sb.ptr + ob, p)
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
                if not record or (na is None and nb is None):
                    t.node = None
                    return t
                n = t.node = Node()
                n.rule = rule
                n.seq = next_seq()
                n.e0 = n.e1 = None
                k = n.rest = SavedTensors()
                k.edges = (first if na is LEAF else na, second if nb is LEAF else nb)
                k.layouts = layouts
                k.parameters = parameters
                needs_a, needs_b = saved[(na is not None, nb is not None)]
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
                )
                k.versions = (sa.version, sb.version)
                if saves_out:
                    n.s0 = s
                    n.s1 = lo
                    n.v0 = n.v1 = 0
                f = frame(1)
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
