"""The fast path of creation functions: the layout for given arguments, memory for a layout, and filling with
one number. As in Note [Fast path], a missing layout or plan, a full arena or a garbage collection leads to the
slow branches, which raise the errors.
"""

from __future__ import annotations

from typing import Any

from facula_errors import ArgumentError, InvalidTypeError, NoMemoryError
from facula_storage import Device, DType, Layout, Storage, contiguous, cpu
from facula_storage.extend.layouts import contiguous_of_integers, layout_cache_clearers
from facula_storage.extend.memory import allocate
from facula_storage.extend.objects import new_instance
from facula_storage.extend.recording import collecting

from .default_device import cache_for_cpu, default_device, other_defaults
from .errors import named, relabel, shown
from .promotion import _default, as_dtype
from .sizes import sizes
from .tensor import Tensor, make

MAX_LAYOUTS = 512  # of a dtype
# By dtype, then by shape: on the CPU, if no device is given. Writers use the second name.
_layouts: dict[Any, dict[tuple[object, ...], Layout]] = {}
_layouts_on_cpu = _layouts
cache_for_cpu(globals(), "_layouts")
# By dtype and device as passed, then by shape.
_placed_layouts: dict[Any, dict[tuple[object, ...], Layout]] = {}
layout_cache_clearers += (_layouts.clear, _placed_layouts.clear)


def place_of(device: object) -> Device:
    """Return the resolved device for the argument `device`; the default one if None."""
    if device is None:
        place = default_device()
        return place if place is cpu else place.resolved
    if not isinstance(device, (str, Device)):
        raise named(
            InvalidTypeError(f"empty: expected device to be a device, or a name such as 'cpu'; got {shown(device)}")
        )
    try:
        place = Device(device)
        return place if place is cpu else place.resolved
    except Exception as error:
        relabel(error, "empty")
        raise


def layout_for(operation: str, lengths: tuple[Any, ...], size: object, dtype: object, device: object) -> Layout:
    """Return the layout for the arguments of a creation function; errors name the operation."""
    shape: Any = lengths
    if len(shape) == 1 and type(shape[0]) is not int:
        shape = shape[0]
    try:
        kind = _default[0] if dtype is None else dtype
        layout = (_layouts[kind] if device is None else _placed_layouts[kind, device]).get(shape)
        if layout is not None and type(sum(shape)) is int and size is None:  # 4.0 equals 4 but is not a length
            return layout
    except (KeyError, TypeError):
        layout = None
    if layout is None and device is None and size is None and not other_defaults and type(kind) is DType:
        usual = contiguous_of_integers(shape, kind)
        if usual is not None:
            _keep_layout(_layouts_on_cpu, kind, shape, usual)
            return usual
    if size is not None and not lengths:
        return layout_for(operation, (size,), None, dtype, device)
    if device is None and other_defaults:
        place = default_device()
        if place is not cpu:
            return layout_for(operation, lengths, size, dtype, place)
    try:
        shape = sizes(operation, lengths, size)
        if min(shape, default=0) < 0:
            raise ArgumentError(f"{operation}: expected lengths of at least 0; got {shape}")
        place = place_of(device)
        if dtype is None:
            dtype = _default[0]
        layout = contiguous(shape, as_dtype(dtype, operation), place)
    except Exception as error:
        relabel(error, operation)
        raise
    if type(dtype) is DType and (device is None or device is place or (place is cpu and type(device) is str)):
        if device is None:
            _keep_layout(_layouts_on_cpu, dtype, shape, layout)
        else:
            _keep_layout(_placed_layouts, (dtype, device), shape, layout)
    return layout


def _keep_layout(
    layouts: dict[Any, dict[tuple[object, ...], Layout]], key: object, shape: tuple[object, ...], layout: Layout
) -> None:
    known = layouts.setdefault(key, {})
    if len(known) >= MAX_LAYOUTS:
        known.clear()
    known[shape] = layout


def fresh(layout: Layout, operation: str = "empty") -> Tensor:
    """Return a new uninitialised tensor with this contiguous layout."""
    try:
        s = new_instance(Storage)  # slightly faster than a call of the class
        if collecting:
            raise NoMemoryError
        try:
            s.ptr, s.__del__ = layout.take_block()
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
    t = new_instance(Tensor)
    t._layout = layout
    t._storage = s
    t._offset = 0
    t.node = None
    return t
