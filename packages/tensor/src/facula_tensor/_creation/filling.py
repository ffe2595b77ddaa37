"""Filling of new and existing tensors with one number.

As in Note [Fast path], a missing plan leads to the slow branch, which raises the errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_storage import Layout, Plan, int64
from facula_storage.extend.layouts import BOOL, FLOATING, INTEGER
from facula_storage.extend.plans import PlanTable
from facula_storage.extend.recording import collecting

from .._core.allocation import fresh
from .._core.errors import relabel
from .._core.promotion import number_for
from .._core.tensor import Tensor
from .._dispatch.slow_path.launching import launch

if TYPE_CHECKING:
    from .._core.types import Number, Operand

NUMBER = {BOOL: bool, INTEGER: int, FLOATING: float}  # the element types that launches accept
# Launches that fill contiguous tensors, by the type of the number and the tensor's `dense` code: with floats, for
# floating dtypes; with ints, for these and int64; with 0 and 1, for all dtypes that are not complex.
fills = PlanTable("fill")
_of_floats = fills.with_float
numeric_launches = {float: _of_floats, int: fills.with_int, bool: fills.with_int}
_launches_of_bits, BITS = fills.dense, {0: 0, 1: 1}


def filled(layout: Layout, operation: str, number: Number) -> Tensor:
    """Return a new tensor with this contiguous layout, filled with one number."""
    t = fresh(layout, operation)
    value = number
    try:
        if collecting:
            raise InvalidTypeError
        launch = (_of_floats if type(number) is float else numeric_launches[type(number)])[layout.dense]
        if launch is None:
            launch, value = _launches_of_bits[layout.dense], BITS[number]
        launch(layout.numel, t._storage.ptr, value)  # type: ignore[misc]
        return t
    except (KeyError, OverflowError, TypeError) as error:  # a TypeError if there is no launch
        if hasattr(error, "launched"):
            raise
    try:
        fill_snapshot(t, number, operation)
    except Exception as error:
        relabel(error, operation)
        raise
    add_fill_launches(layout)
    return t


def add_fill_launches(layout: Layout) -> None:
    """Store the launches for layouts like this one for `filled`."""
    category = layout.dtype.category
    if not layout.dense or category not in NUMBER or _launches_of_bits[layout.dense] is not None:
        return
    plan = layout.device.backend.plan("fill", (NUMBER[category],), (layout,), ())
    fills.add_dense(fills.dense, layout.dense, plan)
    if category == FLOATING:
        fills.add_dense(fills.with_float, layout.dense, plan)
    if category == FLOATING or layout.dtype is int64:
        fills.add_dense(fills.with_int, layout.dense, plan)


def fill_snapshot(target: Tensor, value: Operand, operation: str = "fill_") -> None:
    """Set every element of a snapshot to a number. No checks, no record, no version."""
    layout = target._layout
    number = number_for(value, layout.dtype, operation)
    if type(number) is int and number >> 63 == 1:  # launches take integers as signed integers with the same bits
        number -= 1 << 64
    launch(fill_plan(layout, type(number)), (number,), [(target._storage, target._offset)])


def fill_plan(layout: Layout, kind: type) -> Plan:
    """Return the plan that sets every element to a number of this type."""
    plan = fills.by_key.get((kind, layout))
    return plan if plan is not None else fills.add((kind, layout), make_fill_plan(layout, kind))


def make_fill_plan(layout: Layout, kind: type) -> Plan:
    """Make the plan for `fill_plan` from the one that the backend made for another layout, if there is one."""
    key = (kind, layout.dense or (layout.dtype, layout.device))
    known, launch = fills.by_kind.get(key), None
    if known is not None:
        launch = known.launch if layout.dense else known.for_layouts and known.for_layouts(layout)
    if known is None or launch is None:
        known = layout.device.backend.plan("fill", (kind,), (layout,), ())
        launch = known.launch
        if known.any_size or not layout.dense:
            fills.add_kind(key, known)
    return Plan(
        known.operator, known.parameters, (layout,), launch, elementwise=known.elementwise, request=known.request
    )
