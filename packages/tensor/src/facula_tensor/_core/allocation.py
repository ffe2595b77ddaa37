"""New tensors, quickly: the layout that arguments ask for, memory of a layout, one number in all places.

What creation functions end in. As in Note [Fast path]: a layout or a plan that is not there, a full arena or a
collection lead to the slow lines, which say what is wrong.
"""

from __future__ import annotations

from typing import Any

from facula_errors import ArgumentError, InvalidTypeError, NoMemoryError
from facula_storage import Device, DType, Layout, Storage, contiguous, cpu
from facula_storage.extend import allocate, collecting, layout_cache_clearers, new_instance

from .default_device import cache_for_cpu, default_device, other_defaults
from .errors import named, relabel, shown
from .promotion import _default, as_dtype
from .sizes import sizes
from .tensor import Tensor, make

MOST_LAYOUTS = 512  # of a dtype
# By dtype, then by shape: on the CPU, where no device is given. The second name is for writers.
_layouts: dict[Any, dict[tuple[object, ...], Layout]] = {}
_layouts_on_cpu = _layouts
cache_for_cpu(globals(), "_layouts")
# By dtype and device as they were given, then by shape.
_placed_layouts: dict[Any, dict[tuple[object, ...], Layout]] = {}
layout_cache_clearers += (_layouts.clear, _placed_layouts.clear)


def place_of(device: object) -> Device:
    """The device that is meant: the default one where none is named."""
    if device is None:
        return default_device()
    if not isinstance(device, (str, Device)):
        raise named(
            InvalidTypeError(f"empty: expected device to be a device, or a name such as 'cpu'; got {shown(device)}")
        )
    try:
        return Device(device)
    except Exception as error:
        relabel(error, "empty")
        raise


def layout_for(operation: str, lengths: tuple[Any, ...], size: object, dtype: object, device: object) -> Layout:
    """The layout that the arguments of a creation function ask for; errors name the operation."""
    shape: Any = lengths
    if len(shape) == 1 and type(shape[0]) is not int:
        shape = shape[0]
    try:
        kind = _default[0] if dtype is None else dtype
        layout = (_layouts[kind] if device is None else _placed_layouts[kind, device])[shape]
        if type(sum(shape)) is int and size is None:  # 4.0 is equal to 4, and no length
            return layout
    except (KeyError, TypeError):
        pass
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
        known = (_layouts_on_cpu if device is None else _placed_layouts).setdefault(
            dtype if device is None else (dtype, device), {}
        )
        if len(known) >= MOST_LAYOUTS:
            known.clear()
        known[shape] = layout
    return layout


def fresh(layout: Layout, operation: str = "empty") -> Tensor:
    """A new tensor of this layout, contiguous, with whatever was in memory."""
    try:
        s = new_instance(Storage)  # a little quicker than a call of the class
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
