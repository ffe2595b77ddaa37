"""Copies between devices, and pinned host memory. Everything that a device offers beyond this is optional.

See `facula_storage.extend.devices.AcceleratorBackend`, whose calls are used where a backend has them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_errors import FaculaError
from facula_storage import Device, Layout, Storage, contiguous, cpu, uint8
from facula_storage.extend.devices import connected
from facula_storage.extend.memory import allocate, host_view, root_of
from facula_storage.extend.recording import Place, note_read, recorders

if TYPE_CHECKING:
    from facula_storage import Allocator

    from .tensor import Tensor

# By id, the storages whose memory was allocated as pinned, and its address: a storage may be given another buffer.
# Not a WeakKeyDictionary, whose callbacks swallow a Ctrl-C.
_pinned: dict[int, tuple[ref[Storage], int]] = {}
_searched: list[None] = []  # has an entry once the installed packages were searched for a backend


def transfer(source: Tensor, target: Tensor, non_blocking: bool = False) -> None:
    """Copy the elements of `source` to `target`, which is on another device.

    Both are plain, contiguous, and equal in dtype and shape. With `non_blocking`, the host may continue while pinned
    memory is being read or written.
    """
    layout, place = source._layout, target._layout
    if not layout.numel or place.device.type == "meta":
        return
    if recorders:
        note_read("a copy to another device")
    address, goal = source._storage.ptr + source._offset, target._storage.ptr + target._offset
    here, there = layout.device, place.device
    backend: Any = here.backend if there is cpu else there.backend
    across = getattr(backend, "copy_across", None)
    if across is not None and (here is cpu or there is cpu or here.type == there.type):
        across(
            Place(source._storage, source._offset, layout, False),
            Place(target._storage, target._offset, place, True),
            non_blocking,
        )
    elif there is cpu:
        backend.copy_out(address, _host_bytes(goal, layout))
    elif here is cpu:
        backend.copy_in(goal, _host_bytes(address, layout))
    else:
        staging = allocate(contiguous((layout.nbytes,), uint8))
        held = _host_bytes(staging.ptr, layout)
        here.backend.copy_out(address, held)
        backend.copy_in(goal, held)


def _host_bytes(address: int, layout: Layout) -> Any:
    return host_view(address, contiguous((layout.nbytes,), uint8))


def pinned_allocator(device: Device | None = None) -> Allocator | None:
    """Return the allocator of pinned memory of a device, or of any installed one; None if there is none."""
    if device is not None:
        try:
            return getattr(device.backend, "pinned", None)
        except FaculaError:  # no backend is installed, or it has no device
            return None
    found = _offered()
    if found is None and not _searched:
        _searched.append(None)
        from importlib.metadata import entry_points  # slow import

        for entry in entry_points(group="facula.backends"):
            try:
                Device(entry.name).resolved.backend  # noqa: B018  connects the current one
            except FaculaError:  # no driver, or no device
                continue
        found = _offered()
    return found


def _offered() -> Allocator | None:
    return next((pinned for b in connected() if (pinned := getattr(b, "pinned", None)) is not None), None)


def allocate_pinned(layout: Layout, pinned: Allocator) -> Storage:
    """Return a storage with uninitialized pinned memory for a layout of the host."""
    storage = Storage()
    storage.ptr, storage.__del__ = pinned.refill(layout.nbytes)
    storage.version = 0
    if layout.nbytes:
        key = id(storage)
        _pinned[key] = ref(storage, partial(_pinned.pop, key)), storage.ptr
    if recorders:
        note_read("pin_memory")
    return storage


def is_pinned(storage: Storage) -> bool:
    """Return whether `allocate_pinned` made the memory of `storage` or of the storage that it is an alias of."""
    root = root_of(storage)
    known = _pinned.get(id(root))
    return known is not None and known[1] == root.ptr
