"""`x[...] = v`: assignment of numbers and tensors, which broadcast to the indexed elements."""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import active_modes
from facula_autograd.extend.nodes import edge_to
from facula_errors import ArgumentError, DTypeError, FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Layout, bool_, int64
from facula_storage.extend.layouts import FLOATING, find_window, layout_cache_clearers

from ..._core.errors import relabel, show
from ..._core.memory import check_overlap, check_writable, meet, overlaps_itself, shares_memory
from ..._core.tensor import Tensor, layout_of_tensor, snapshot
from ..._core.wrapped import innermost
from ..._creation.filling import fill_plan, fills
from ..._creation.from_data import as_tensor_like
from ..._dispatch.namespaces import no_record_ops, operators, recorded_ops
from ..._dispatch.overrides import call_torch_function, overridden
from ..._dispatch.slow_path.inplace_checks import starts_inplace
from ..._dispatch.slow_path.launching import MISSED, mutated
from ..._dispatch.slow_path.modes import unrecorded
from ..._dispatch.slow_path.nodes import node_for
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.slow_path.snapshots import edge_from, snapshots_of
from ..._dispatch.slow_path.view_changes import rebase
from ..._dispatch.slow_path.writing import known_copy_plan, write
from ..._dispatch.view_call import MAX_WINDOWS
from .getitem import Named, basic, between_commas, put_into
from .many import mask_positions, merged, unmerged
from .windows import NO_WINDOW

if TYPE_CHECKING:
    from ..._core.types import Index, Operand
    from ..._dispatch.namespaces import Namespace


def setitem(self: Tensor, index: Index, value: Any) -> None:
    """Assign `self[index] = value`; `value`, a tensor or number, broadcasts to the indexed elements.

    The value is cast to this tensor's dtype. But if both the value and a part of the index are tensors, the dtypes must
    be equal (TypeError), except for a value of one element with a mask.

    Arguments:
        index: integers, slices, None, an ellipsis, tensors, or a tuple of these.
        value: the new elements; they broadcast.
    """
    kind = type(value)
    try:
        la = self._layout  # see Note [One moment]
        sa = self._storage
        oa = self._offset
        free = unrecorded() if active_modes else False  # whether recording is off for all operands
        if not (free or (free is False and self.node is None)):
            raise InvalidTypeError  # must be recorded
        lo, delta = find_window(la, index if type(index) is tuple else (index,)) or NO_WINDOW
        if kind is float or kind is int:
            key, number = _settable.get((kind, lo)) or _learn_settable(kind, lo)
            launch = _fills[key].launch
            value = number(value)
            sa.version + 1  # read-only memory has version None: a TypeError
            pa = sa.ptr + oa + delta
            launch(lo.numel, pa, value)
        else:
            lb = value._layout
            sb = value._storage
            ob = value._offset
            if value.node is not None and not free:
                raise InvalidTypeError  # must be recorded
            key, target_bytes, source_bytes = _settable.get((lb, lo)) or _learn_settable(lb, lo)
            launch = _plans[key].launch
            sa.version + 1
            pa = sa.ptr + oa + delta
            pb = sb.ptr + ob
            if pa < pb + source_bytes and pb < pa + target_bytes:
                raise InvalidTypeError  # they may overlap
            launch(lo.numel, pb, pa)
    except (*MISSED, ValueError) as error:
        if hasattr(error, "launched"):
            raise
    else:
        sa.version += 1
        f = _getframe(1)
        sa.mutator = ("setitem", f.f_code, f.f_lasti)
        return
    try:
        slow_setitem(self, index, value)
    except FaculaError as error:
        trim_traceback(error)
        raise


# Calls that pass all checks that depend only on layouts (or on a number's type): the tables in which `fill_plan` and
# `write` keep their plans, and further facts for the fast path.
_settable: dict[tuple[object, ...], tuple[Any, ...]] = {}
layout_cache_clearers.append(_settable.clear)
_plans = operators["to"].slow_table.by_key
_fills = fills.by_key


def _learn_settable(value: Layout | type, target: Layout | None) -> Any:
    """Return the entry of `_settable` for values of this layout or type, and store it; None if the slow path must
    decide."""
    found: tuple[Any, ...]
    if type(target) is not Layout or overlaps_itself(target):
        return None
    if type(value) is Layout:
        if (value.dtype.is_complex and not target.dtype.is_complex) or known_copy_plan(value, target) is None:
            return None
        found = ((value,), target), target.extent, value.extent
    elif value in (int, float) and (target.dtype.category == FLOATING or (target.dtype is int64 and value is int)):
        number = int if target.dtype is int64 else float
        fill_plan(target, number)
        found = (number, target), number
    else:
        return None
    if len(_settable) >= MAX_WINDOWS:
        _settable.clear()
    _settable[value, target] = found
    return found


@boundary
def delitem(self: Tensor, index: Index) -> None:
    """Raise a TypeError: a tensor's elements cannot be deleted."""
    raise InvalidTypeError(
        f"delitem: a Tensor does not support item deletion, as its size is fixed (del x[{index!r:.60}]); keep the rest "
        "as a new tensor: x[mask] with a bool mask, or cat([x[:i], x[i + 1:]])"
    )


def slow_setitem(self: Tensor, index: Index, value: Operand, accumulate: bool = False) -> None:
    """Assign `self[index] = value` in the general case; with `accumulate` add values, also at repeated positions."""
    if overridden((self, value)):
        call_torch_function("setitem", setitem, (self, index, value), {})
        return
    try:
        kind = type(value)
        value = as_tensor_like(value, self)
        if index is False:  # selects no elements for any value: no change, no version, no gradient
            return
        record = starts_inplace("setitem", self, (self, value, *between_commas(index)))
        held = snapshots_of((value,), record)[0]
        window, dim, named = basic(self, index, record, changed=True)
        if named is None and accumulate:
            F = recorded_ops if record else no_record_ops
            fitting = _broadcast_value(F, layout_of_tensor(window), held, layout_of_tensor(window).shape)
            _set_window(self, window, F.add(window, fitting), record)
        elif named is None:
            _set_window(self, window, held, record)
        else:
            _set_named(self, window, dim, named, held, record, issubclass(kind, Tensor), accumulate)
    except Exception as error:
        relabel(error, "setitem")
        raise


def _set_window(target: Tensor, window: Tensor, value: Tensor, record: bool) -> None:
    """Set the part of `target` that `window` views to `value`. The change is recorded if `record`."""
    now = snapshot(window)
    layout = layout_of_tensor(now)
    fitting = _broadcast_value(recorded_ops if record else no_record_ops, layout, value, layout.shape)
    level = innermost((window, fitting))
    if level is not None:  # Note [Levels]
        level.copy("setitem", window, fitting)
        return
    value = snapshots_of((fitting,), record)[0]
    check_writable("setitem", now)
    check_overlap("setitem", now, ())
    write(now, no_record_ops.clone(value) if shares_memory(value, now) else value)
    mutated(now, "setitem")
    if not record:
        return
    # A change of the view updates the history of its base and of the other views.
    old = edge_to(window)
    edges = (old if window is target else None, edge_from(value))
    node_for(operators["overwrite"], (window, value), (layout, value._layout), (), [window], None, edges)
    rebase(window, old)


def _set_named(
    target: Tensor,
    window: Tensor,
    dim: int,
    named: Named,
    value: Tensor,
    record: bool,
    strict: bool,
    accumulate: bool = False,
) -> None:
    """Set the elements of `window` at index tensors along `dim`, or at a mask along the dimensions from `dim` on.

    Arguments:
        target: the tensor to modify.
        window: the view of it that the rest of the index selects.
        dim: the dimension of the window.
        named: the index tensors.
        value: the new elements, which broadcast.
        record: whether the change is recorded.
        strict: whether a different dtype of `value` raises, unless it has one element for a mask; else it is cast.
        accumulate: whether values are added.
    """
    F = recorded_ops if record else no_record_ops
    if not record:
        window = snapshot(window)
    layout = layout_of_tensor(window)
    check_overlap("setitem", snapshot(window), ())
    flat, order = window, None
    if type(named) is not list and named.dtype is bool_ and (value.numel() == 1 or not named.ndim):
        strict = False
        if value.numel() == 1 and not accumulate and value._layout.device is layout.device:
            _fill_named(target, window, dim, named, value, record)
            return
    if type(named) is list:
        flat, dim, named, order = merged(F, window, named)
    elif named.dtype is bool_:
        flat, dim, named = mask_positions(F, window, dim, named)
    seen = layout_of_tensor(flat).shape
    shape = (*seen[:dim], *named.shape, *seen[dim + 1 :])
    value = _broadcast_value(F, layout, value, shape)
    if value.dtype is not layout.dtype:
        if strict:
            raise DTypeError(
                f"setitem: expected a value of dtype {layout.dtype.name}, as the tensor has, where tensors are the "
                f"index; got {value.dtype.name} {tuple(value.shape)}; convert it with .to(facula.{layout.dtype.name})"
            )
        value = F.to(value, (layout.dtype,))
    value = F.expand(value, shape)
    if record or order is not None or flat._storage is not window._storage:
        put = F.put(flat, named, value, (dim, accumulate, False))
        put = F.reshape(put if order is None else unmerged(F, put, order), layout.shape)
        _set_window(target, window, put, record)
        return
    check_writable("setitem", window)
    flat = snapshot(flat)
    put_into(flat, named, no_record_ops.clone(value) if meet(value, flat) else value, dim, accumulate)
    mutated(window, "setitem")


def _fill_named(target: Tensor, window: Tensor, dim: int, mask: Tensor, value: Tensor, record: bool) -> None:
    """Set the elements of `window` where a mask is true to one value, without counting them.

    Arguments:
        target: the tensor to modify.
        window: the view of it that the rest of the index selects.
        dim: the first dimension of the window that the mask covers.
        mask: the mask.
        value: a tensor of one element.
        record: whether the change is recorded.
    """
    F = recorded_ops if record else no_record_ops
    layout = layout_of_tensor(window)
    if value.dtype is not layout.dtype:
        value = F.to(_broadcast_value(F, layout, value, ()), (layout.dtype,))
    mask = F.reshape(mask, (*mask.shape, *[1] * (len(layout.shape) - dim - mask.ndim)))
    filled = F.where(mask, F.reshape(value, ()), window)
    _set_window(target, window, filled, record)


def _broadcast_value(F: Namespace, target: Layout, value: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Move `value` to the device of `target`, and drop leading dimensions that `shape`, its target, does not have.

    Raises ValueError if it does not broadcast, TypeError if it is complex and the target is not.
    """
    given = tuple(value.shape)
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = F.squeeze(value, 0)
    if broadcast_shapes("setitem", shape, tuple(value.shape)) != shape:
        raise ArgumentError(
            f"setitem: a value of shape {given} does not broadcast to {shape}; this is the indexed shape"
        )
    if value.is_complex() and not target.dtype.is_complex:
        raise DTypeError(f"setitem: a complex value cannot be stored in {show(target)}; take its real part")
    return value if value.device is target.device else F.to_device(value, (target.device, False))


Tensor.__delitem__ = delitem  # type: ignore[attr-defined]
Tensor.__setitem__ = setitem  # type: ignore[method-assign, assignment]
