"""The fast path of operators with one operand and two results: see Note [Fast path] in unary.py."""

from __future__ import annotations

from functools import partial
from sys import _getframe
from typing import TYPE_CHECKING

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
from ..saved import save_alias, saved_tensors
from ..slow_path import slow_call

if TYPE_CHECKING:
    from ..._core.types import Function
    from ..operator import Operator


def make_pair(op: Operator, *, record: bool, checked: bool, library_call: bool = False) -> Function:
    """The function of an operator with one operand, perhaps parameters, and two results."""
    plans = op.table.by_key
    record = record and op.recorded
    rule, saves_input, saves_out, saves_further = op.rule, op.saves_input, op.saves_out, op.saves_further
    frame = user_frame if library_call else _getframe
    guard, avoid = (active_modes, call_in_mode) if checked else (collecting, partial(slow_call, record=record))

    def call(input, parameters=(), out=None):  # type: ignore[no-untyped-def]
        if out is not None:
            try:
                return call_in_mode(op, (input,), parameters, out)
            except FaculaError as error:
                trim_traceback(error)
                raise
        while True:  # left by break alone
            try:
                la = input._layout
                sa = input._storage
                oa = input._offset
                na = input.node
                layouts = (la,)
                plan = plans[(layouts, parameters)]
                lo, lf = plan.outputs
                s = Storage()
                f = Storage()
                if guard:
                    break
                try:
                    p, s.__del__ = lo.take_block()
                except IndexError:
                    p, s.__del__ = lo.refill()
                if guard:
                    break
                try:
                    q, f.__del__ = lf.take_block()
                except IndexError:
                    q, f.__del__ = lf.refill()
                plan.launch(lo.numel, sa.ptr + oa, p, q)
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if type(error) is KeyError and plan_of_other_shape(
                    op, op.table, (layouts, parameters), layouts, parameters
                ):
                    continue
            else:
                s.ptr = p
                s.version = 0
                t = new_instance(Tensor)
                t._layout = lo
                t._storage = s
                t._offset = 0
                f.ptr = q
                f.version = 0
                further = new_instance(Tensor)
                further._layout = lf
                further._storage = f
                further._offset = 0
                further.node = None
                if not record or na is None:
                    t.node = None
                    return t, further
                n = t.node = Node()
                n.rule = rule
                n.seq = next_seq()
                n.e0 = n.e1 = None
                saved = None if not saves_input else input if na is LEAF else save_alias(la, sa, oa, na)
                values, versions = ((saved, further), (sa.version, 0)) if saves_further else ((saved,), (sa.version,))
                n.rest = saved_tensors((input if na is LEAF else na,), values, layouts, parameters, versions)
                if saves_out:
                    n.s0 = s
                    n.s1 = lo
                    n.v0 = n.v1 = 0
                site = frame(1)
                n.code = site.f_code
                n.lasti = site.f_lasti
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
