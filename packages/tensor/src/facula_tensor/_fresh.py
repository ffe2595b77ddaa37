"""New tensors, quickly: memory of a layout, filled with one number. What creation functions end in.

As in Note [Quick path]: a plan that is not there, a full arena or a collection lead to the slow lines, which say what
is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, NoMemoryError
from facula_storage import Device, DType, Layout, Plan, Storage, contiguous, cpu, int64
from facula_storage.extend import BOOL, FLOATING, INTEGER, PlanTable, allocate, blank, collecting, forgetting

from ._errors import ArgumentError, named, relabel
from ._operator import operators
from ._promotion import _default, as_dtype, get_default_dtype
from ._tensor import Tensor, make, shown
from .ops.copying import fill, made_to_fill
from .ops.shape import sizes

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_LAYOUTS = 1024
_layouts: dict[tuple, Layout] = {}
forgetting.append(_layouts.clear)
_plans = operators["to"].slow_table.by_key  # those of `fill` among them
_FILLS = {kind: ("fill", kind) for kind in (bool, int, float, complex)}
NUMBER = {BOOL: bool, INTEGER: int, FLOATING: float}  # as which elements are given to a launch


def place_of(device: Any) -> Device:
    """The device that is meant: the host where none is named."""
    if device is None:
        return cpu
    if not isinstance(device, (str, Device)):
        raise named(
            InvalidTypeError(f"empty: expected device to be a device, or a name such as 'cpu'; got {shown(device)}")
        )
    try:
        return Device(device)
    except Exception as error:
        relabel(error, "empty")
        raise


def layout_for(operation: str, lengths: tuple, size: Any, dtype: Any, device: Any) -> Layout:
    """The layout that the arguments of a creation function ask for; errors name the operation."""
    shape = lengths
    if size is not None:
        shape = (size,) if not lengths else sizes(operation, lengths, size)  # a TypeError, for both
    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    if dtype is None:
        dtype = get_default_dtype()
    try:
        layout = _layouts[shape, dtype, device]
        if type(sum(shape)) is int:  # 4.0 is equal to 4, and no length
            return layout
    except (KeyError, TypeError):
        pass
    shape = sizes(operation, lengths, size)
    if min(shape, default=0) < 0:
        raise ArgumentError(f"{operation}: expected lengths of at least 0; got {shape}")
    place = place_of(device)
    layout = contiguous(shape, as_dtype(dtype, operation), place)
    if type(dtype) is DType and (device is None or device is place):
        if len(_layouts) >= MOST_LAYOUTS:
            _layouts.clear()
        _layouts[shape, dtype, device] = layout
    return layout


def new_empty(shape: tuple, size: Any, dtype: Any, device: Any, operation: str = "empty") -> Tensor:
    """`fresh(layout_for(...))`, in one call for arguments that came before."""
    if len(shape) == 1 and type(shape[0]) is tuple:
        shape = shape[0]
    try:
        layout = _layouts[shape, dtype or _default[0], device]
        if size is not None or type(sum(shape)) is not int:
            raise InvalidTypeError
        s = Storage()
        if collecting:
            raise NoMemoryError
        try:
            s.ptr, s.__del__ = layout.take()
        except IndexError:
            s.ptr, s.__del__ = layout.refill()
    except (KeyError, MemoryError, TypeError):
        pass
    else:
        s.version = 0
        t = blank(Tensor)
        t._layout = layout
        t._storage = s
        t._offset = 0
        t.node = None
        return t
    try:
        return fresh(layout_for(operation, shape, size, dtype, device))
    except Exception as error:
        relabel(error, operation)
        raise


def fresh(layout: Layout, operation: str = "empty") -> Tensor:
    """A new tensor of this layout, contiguous, with whatever was in memory."""
    try:
        s = Storage()
        if collecting:
            raise NoMemoryError
        try:
            s.ptr, s.__del__ = layout.take()
        except IndexError:
            s.ptr, s.__del__ = layout.refill()
    except MemoryError:
        s = None
    if s is None:
        try:
            return make(Tensor, layout, allocate(layout))
        except Exception as error:
            relabel(error, operation)
            raise
    s.version = 0
    t = blank(Tensor)
    t._layout = layout
    t._storage = s
    t._offset = 0
    t.node = None
    return t


def filler(operation: str, number: int) -> Callable[[tuple, Any, Any, Any], Tensor]:
    """The function `(lengths, size, dtype, device)` of new tensors of one small number, 0 or 1.

    `layout_for` and `filled` in one: the plan is kept under the arguments, with the number as elements have it.
    """
    table = PlanTable(operation)
    plans = table.by_key

    def call(shape, size, dtype, device):  # type: ignore[no-untyped-def]
        if size is not None:
            shape = (size,) if not shape else sizes(operation, shape, size)  # a TypeError, for both
        if len(shape) == 1 and type(shape[0]) is tuple:
            shape = shape[0]
        try:
            plan = plans[shape, dtype or _default[0], device]
            if type(sum(shape)) is not int:  # 4.0 is equal to 4, and no length
                raise InvalidTypeError
            layout: Any = plan.out
            s = Storage()
            if collecting:
                raise NoMemoryError
            try:
                p, s.__del__ = layout.take()
            except IndexError:
                p, s.__del__ = layout.refill()
            plan.launch(layout.numel, p, plan.parameters[0])
        except (KeyError, MemoryError, RuntimeError, TypeError):
            pass
        else:
            s.ptr = p
            s.version = 0
            t = blank(Tensor)
            t._layout = layout
            t._storage = s
            t._offset = 0
            t.node = None
            return t
        try:
            layout = layout_for(operation, shape, None, dtype, device)
            kind = NUMBER.get(layout.dtype.category)
            plainly = (dtype is None or type(dtype) is DType) and (device is None or type(device) is Device)
            if kind is not None and plainly:
                launch = made_to_fill(layout, kind).launch
                table.add((layout.shape, layout.dtype, device), Plan("fill", (kind(number),), (layout,), launch))
            return filled(layout, number, operation)
        except Exception as error:
            relabel(error, operation)
            raise

    return call


def filled(layout: Layout, number: Any, operation: str = "full") -> Tensor:
    """A new tensor of this layout, contiguous, with one number in all places."""
    kind: Any = NUMBER.get(layout.dtype.category)
    try:
        if type(number) is int and (kind is not int or layout.dtype is int64 or 0 <= number <= 1):
            number = kind(number)  # a TypeError for complex dtypes
        elif type(number) is not kind or kind is int:
            raise InvalidTypeError  # to be checked
        launch = _plans[_FILLS[kind], layout].launch
        s = Storage()
        if collecting:
            raise NoMemoryError
        try:
            p, s.__del__ = layout.take()
        except IndexError:
            p, s.__del__ = layout.refill()
        launch(layout.numel, p, number)
    except (KeyError, MemoryError, OverflowError, RuntimeError, TypeError):
        p = None
    if p is None:
        try:
            t = make(Tensor, layout, allocate(layout))
            fill(t, number, operation)
        except Exception as error:
            relabel(error, operation)
            raise
        return t
    s.ptr = p
    s.version = 0
    t = blank(Tensor)
    t._layout = layout
    t._storage = s
    t._offset = 0
    t.node = None
    return t
