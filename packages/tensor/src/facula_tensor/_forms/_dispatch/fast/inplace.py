"""The fast path of `_dispatch/fast/inplace.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING

from facula_autograd.extend.hooks import move_hooks
from facula_autograd.extend.modes import active_modes
from facula_autograd.extend.nodes import LEAF, Node, next_seq
from facula_errors import FaculaError
from facula_errors.extend import known_modules, trim_traceback
from facula_storage.extend.layouts import COMPLEX, FLOATING
from facula_storage.extend.objects import new_instance
from facula_storage.extend.recording import collecting

from ...._core.call_sites import user_frame
from ...._core.tensor import Tensor
from ...._dispatch.namespaces import no_record_ops
from ...._dispatch.slow_path.inplace import accumulate, slow_inplace
from ...._dispatch.slow_path.launching import MISSED
from ...._dispatch.slow_path.modes import unrecorded
from ...._dispatch.slow_path.planning import plan_inplace_of_other_shape, plan_of_other_shape

if TYPE_CHECKING:
    from ...._core.types import Function
    from ...._dispatch.operator import Operator


def make_inplace(op: Operator, library_call: bool = False) -> Function:
    """The in-place function of an elementwise operator with two operands; `alpha`, if supported, is a factor."""
    depth = 2 if library_call else 1  # of the calling frame: there is a written function in between
    name = op.name + "_"
    dense, scaled, sign = op.table.dense, op.scaled_table.dense, op.scaled
    with_float, with_int, plans = op.table.with_float, op.table.with_int, op.inplace_table.by_key
    numbers = (float, int)
    one = 1  # a single object in Python, unlike True and 1.0, which some dtypes refuse

    def call(input, other, *, alpha=1):  # type: ignore[no-untyped-def]
        free: bool | None = False  # whether recording is off for any operands
        if active_modes:
            free = unrecorded()
            if free is None:
                try:
                    return slow_inplace(op, (input, other), (), alpha)
                except FaculaError as error:
                    trim_traceback(error)
                    raise
        kind = type(other)
        while True:  # left by `break`; some paths repeat it with a plan that was made
            try:
                la = input._layout
                sa = input._storage
                oa = input._offset
                na = input.node
                if kind is float or kind is int:
                    lb = kind
                    recorded = na is not None and not free
                    launch = with_float[la.dense] if kind is float else with_int[la.dense]
                    if launch is None:
                        launch = plans[(la, kind)].launch
                    if alpha is not one:
                        break
                    sa.version + 1  # None, and so a TypeError, where the memory is read-only
                    if recorded:
                        if (
                            not op.recorded
                            or na is LEAF
                            or la.dtype.category != FLOATING
                            or hasattr(input, "_viewed")
                            or getattr(input, "_views", ())
                        ):
                            break
                        saved = op.operand_needs[0][0]
                        if saved:
                            kept = new_instance(Tensor)
                            kept._layout = la
                            kept._storage = sa
                            kept._offset = oa
                            kept.node = None
                            kept = no_record_ops.clone(kept)
                            kept.node = na
                    pa = sa.ptr
                    if oa:
                        pa += oa
                    launch(la.numel, pa, pa, other)
                else:
                    lb = other._layout
                    sb = other._storage
                    ob = other._offset
                    nb = other.node
                    recorded = (na is not None or nb is not None) and not free
                    sa.version + 1  # None, and so a TypeError, where the memory is read-only
                    pa = sa.ptr
                    if oa:
                        pa += oa
                    pb = sb.ptr
                    if ob:
                        pb += ob
                    if (pb - pa < la.extent and pa != pb) if pb >= pa else pa - pb < lb.extent:
                        break  # they overlap: refused there
                    if recorded:
                        if (
                            not op.recorded
                            or na is LEAF
                            or la.dtype.category != FLOATING
                            or hasattr(input, "_viewed")
                            or getattr(input, "_views", ())
                        ):
                            break
                        if pa == pb or alpha is not one:
                            break
                        (a_needs_a, a_needs_b), (b_needs_a, b_needs_b) = op.operand_needs
                        saved = (a_needs_a and na is not None) or (b_needs_a and nb is not None)
                        if saved:
                            kept = new_instance(Tensor)
                            kept._layout = la
                            kept._storage = sa
                            kept._offset = oa
                            kept.node = None
                            kept = no_record_ops.clone(kept)
                            kept.node = na
                    if la is not lb:
                        if pa == pb or alpha is not one:
                            break
                        plans[(la, lb)].launch(la.numel, pa, pb, pa)
                    elif alpha is one:
                        (dense[la.dense] or plans[(la, la)].launch)(la.numel, pa, pb, pa)
                    elif type(alpha) in numbers and -65504 <= alpha <= 65504:  # which every floating dtype holds
                        scaled[la.dense](la.numel, pa, pb, pa, alpha * sign)
                    else:
                        break
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if type(error) is KeyError:
                    if plan_inplace_of_other_shape(op, (la, lb)):
                        continue
            else:
                sa.version += 1
                f = _getframe(depth)
                sa.mutator = (name, f.f_code, f.f_lasti)
                if recorded:
                    n = Node()
                    n.seq = next_seq()
                    n.e0 = na
                    n.rule = op.scalar_rule if lb is kind else op.rule if la is lb else op.broadcast_rule
                    if la.dtype.category == COMPLEX:
                        n.rule = op.complex_rules.get(n.rule, n.rule)
                    if lb is kind:
                        n.s1 = other
                    else:
                        n.e1 = other if nb is LEAF else nb
                        if op.extras or la is not lb:
                            n.rest = (la, lb)
                        if op.rule.saves:
                            n.s0 = n.s1 = None
                            if (a_needs_b and na is not None) or (b_needs_b and nb is not None):
                                if nb is not LEAF:
                                    other = new_instance(Tensor)
                                    other._layout = lb
                                    other._storage = sb
                                    other._offset = ob
                                    other.node = nb
                                n.s1 = other
                                n.v1 = sb.version
                    if saved:
                        n.s0 = kept
                        n.v0 = kept._storage.version
                    try:
                        while known_modules[f.f_globals["__name__"]]:
                            f = f.f_back  # type: ignore[assignment]
                    except (AttributeError, KeyError):  # a module that is not known yet, or no frame of a program
                        f = user_frame(1)
                    n.code = f.f_code
                    n.lasti = f.f_lasti
                    input.node = n
                    if na is not None and na.rule.extra is not None:  # which hooks have
                        move_hooks(input, na)
                return input
            break
        try:
            return slow_inplace(op, (input, other), (), alpha)
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call


def make_accumulate(op: Operator) -> Function:
    """The in-place function by which the engine accumulates a gradient: two tensors, no mode, no call site."""
    dense, plans = op.table.dense, op.inplace_table.by_key

    def call(input, other):  # type: ignore[no-untyped-def]
        while True:  # left by `break`; some paths repeat it with a plan that was made
            try:
                if collecting:
                    break
                la = input._layout
                lb = other._layout
                sa = input._storage
                sb = other._storage
                pa = sa.ptr + input._offset
                pb = sb.ptr + other._offset
                if (pb - pa < la.extent) if pb >= pa else (pa - pb < lb.extent):
                    break
                sa.version + 1  # None, and so a TypeError, where the memory is read-only
                if la is lb:
                    (dense[la.dense] or plans[(la, la)].launch)(la.numel, pa, pb, pa)
                else:
                    plans[(la, lb)].launch(la.numel, pa, pb, pa)
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if type(error) is KeyError:
                    if plan_inplace_of_other_shape(op, (la, lb)):
                        continue
            else:
                sa.version += 1
                return input
            break
        return accumulate(op, (input, other))

    return call


def make_inplace_unary(op: Operator, library_call: bool = False) -> Function:
    """The in-place function of an elementwise operator with one operand."""
    depth = 2 if library_call else 1  # of the calling frame: there is a written function in between
    name = op.name + "_"
    dense, plans = op.table.dense, op.inplace_table.by_key

    def call(input):  # type: ignore[no-untyped-def]
        free: bool | None = False  # whether recording is off for any operands
        if active_modes:
            free = unrecorded()
            if free is None:
                try:
                    return slow_inplace(op, (input,))
                except FaculaError as error:
                    trim_traceback(error)
                    raise
        while True:  # left by `break`; some paths repeat it with a plan that was made
            try:
                la = input._layout
                sa = input._storage
                oa = input._offset
                na = input.node
                recorded = na is not None and not free
                launch = dense[la.dense] or plans[la].launch
                sa.version + 1  # None, and so a TypeError, where the memory is read-only
                if recorded:
                    if (
                        not op.recorded
                        or na is LEAF
                        or la.dtype.category != FLOATING
                        or hasattr(input, "_viewed")
                        or getattr(input, "_views", ())
                    ):
                        break
                    if op.saves_input or op.saves_both:
                        kept = new_instance(Tensor)
                        kept._layout = la
                        kept._storage = sa
                        kept._offset = oa
                        kept.node = None
                        kept = no_record_ops.clone(kept)
                        kept.node = na
                pa = sa.ptr
                if oa:
                    pa += oa
                launch(la.numel, pa, pa)
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if type(error) is KeyError:
                    if plan_inplace_of_other_shape(op, (la,)):
                        continue
            else:
                sa.version += 1
                f = _getframe(depth)
                sa.mutator = (name, f.f_code, f.f_lasti)
                if recorded:
                    n = Node()
                    n.seq = next_seq()
                    n.e0 = na
                    n.rule = op.rule if la.dtype.category != COMPLEX else op.complex_rules.get(op.rule, op.rule)
                    if op.saves_out:
                        n.s0 = sa
                        n.s1 = la
                        n.v0 = sa.version
                        n.v1 = oa
                    elif op.saves_input:
                        n.s0 = kept
                        n.v0 = kept._storage.version
                    if op.saves_both:
                        n.rest = (la, (), kept, kept._storage.version)
                    elif op.extras:
                        n.rest = (la, ())
                    try:
                        while known_modules[f.f_globals["__name__"]]:
                            f = f.f_back  # type: ignore[assignment]
                    except (AttributeError, KeyError):  # a module that is not known yet, or no frame of a program
                        f = user_frame(1)
                    n.code = f.f_code
                    n.lasti = f.f_lasti
                    input.node = n
                    if na is not None and na.rule.extra is not None:  # which hooks have
                        move_hooks(input, na)
                return input
            break
        try:
            return slow_inplace(op, (input,))
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call


def make_inplace_ternary(op: Operator, library_call: bool = False) -> Function:
    """The in-place function of an elementwise operator with three operands; fast if the last two are numbers."""
    depth = 2 if library_call else 1  # of the calling frame: there is a written function in between
    name = op.name + "_"
    plans = op.table.by_key

    def call(input, second, third):  # type: ignore[no-untyped-def]
        free: bool | None = False  # whether recording is off for any operands
        if active_modes:
            free = unrecorded()
            if free is None:
                try:
                    return slow_inplace(op, (input, second, third))
                except FaculaError as error:
                    trim_traceback(error)
                    raise
        while True:  # left by `break`; some paths repeat it with a plan that was made
            try:
                la = input._layout
                sa = input._storage
                oa = input._offset
                na = input.node
                if not (free or na is None):
                    break
                layouts = (la, type(second), type(third))
                plan, numel = plans[(layouts, ())], la.numel
                if plan.out is not la:
                    break
                sa.version + 1  # None, and so a TypeError, where the memory is read-only
                plan.launch(numel, sa.ptr + oa, sa.ptr + oa, second, third)
            except MISSED as error:
                if hasattr(error, "launched"):
                    raise
                if type(error) is KeyError:
                    if plan_of_other_shape(op, op.table, (layouts, ()), layouts):
                        continue
            else:
                sa.version += 1
                f = _getframe(depth)
                sa.mutator = (name, f.f_code, f.f_lasti)
                return input
            break
        try:
            return slow_inplace(op, (input, second, third))
        except FaculaError as error:
            trim_traceback(error)
            raise

    return call
