"""The default device of creation functions.

It is the device of the innermost `with device:` block, otherwise the one that `set_default_device` set for this
thread, otherwise the CPU.

Note [Caches for the CPU]
~~~~~~~~~~~~~~~~~~~~~~~~~
The fast path of creation functions finds layouts by dtype and shape without reading the default device, to save
time. Such a cache is valid only for the CPU. While any thread has another default, the name of the cache is
bound to an empty dict: every lookup fails, and the slow path calls `default_device`. Writers use the full dict
under another name, and only if the default is the CPU, so the entries stay valid.
"""

from __future__ import annotations

import os
from threading import RLock, local
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from facula_autograd.extend.modes import current_mode, decorate, passive_modes, replace_mode
from facula_errors.extend import Exit, boundary
from facula_storage import Device, cpu
from facula_storage.extend.devices import default_device_blocks

if TYPE_CHECKING:
    from .types import DeviceLike


class _Lasting:
    """The device that `set_default_device` set for a thread; it ends with the thread."""

    __slots__ = ("__weakref__", "device")

    def __init__(self, device: Device):
        self.device = device


_of_thread = local()
_lasting: WeakSet[_Lasting] = WeakSet()  # of threads whose default is not the CPU
_switching = RLock()
os.register_at_fork(after_in_child=_switching._at_fork_reinit)  # type: ignore[attr-defined]

#: Not empty while a thread may have a default device other than the CPU.
other_defaults: list[None] = []
#: The CPU while it is every thread's default device, otherwise None: for guards of captured functions.
default_device_cell: list[Device | None] = [cpu]
_caches: list[tuple[dict[str, Any], str, dict[Any, Any]]] = []
_EMPTY: dict[Any, Any] = {}


def cache_for_cpu(namespace: dict[str, Any], name: str) -> None:
    """Disable the dict of this name, in a module's `globals()`, while any thread's default is not the CPU."""
    _caches.append((namespace, name, namespace[name]))


def _suspend() -> None:
    with _switching:
        if not other_defaults:
            other_defaults.append(None)
            default_device_cell[0] = None
        for namespace, name, _ in _caches:
            namespace[name] = _EMPTY


def _resume() -> None:
    """Enable the caches again unless a thread may still have another default. Other passive modes can only
    delay it."""
    with _switching:
        if other_defaults and not passive_modes and not _lasting:
            for namespace, name, cache in _caches:
                namespace[name] = cache
            other_defaults.clear()
            default_device_cell[0] = cpu


class _DeviceBlock(replace_mode):
    """The context manager of one device. The current device of its type does not change."""

    __slots__ = ("_place",)

    def __init__(self, device: Device):
        super().__init__(device=device)
        self._place = device

    def __enter__(self) -> _DeviceBlock:
        if self._place.index is not None:
            self._place.backend  # noqa: B018  RuntimeError where there is none
        entered = super().__enter__()
        if self._place is not cpu:
            _suspend()  # after the mark in `passive_modes`, by which `_resume` detects the block
        return entered

    def _leave(self, *exc: object) -> None:
        replace_mode.__exit__(self, *exc)
        _resume()

    __exit__ = Exit(_leave)

    def __call__(self, function: Any) -> Any:
        return decorate(function, lambda: self, f"device {str(self._place)!r}")


_blocks: dict[Device, _DeviceBlock] = {}
default_device_blocks.append(lambda device: _blocks.get(device) or _blocks.setdefault(device, _DeviceBlock(device)))


def default_device() -> Device:
    """Return the current default device of this thread."""
    if not other_defaults:
        return cpu
    _resume()
    device: Any = current_mode().device
    if device is None:
        lasting = getattr(_of_thread, "lasting", None)
        device = cpu if lasting is None else lasting.device
    return device


def other_default() -> Device | None:
    """Return the default device, resolved, if it is not the CPU, so that CPU data must be moved there; else None."""
    place = default_device()
    return None if place is cpu else place.resolved


@boundary
def get_default_device() -> Device:
    """Return the default device of creation functions: the CPU, unless another default was set.

    >>> get_default_device()
    device(type='cpu')
    >>> from facula_tensor import device
    >>> with device("meta"):
    ...     get_default_device()
    device(type='meta')
    """
    place = default_device()
    return place if place is cpu else place.resolved


@boundary
def set_default_device(device: DeviceLike | None) -> None:
    """Set the default device of creation functions in this thread; None for the CPU.

    `with device:` blocks take precedence. Functions that take shape or data from a tensor, such as `zeros_like` and
    `new_zeros`, and those that share memory, such as `from_numpy`, ignore the default device.

    Arguments:
        device: a device or its name.

    Raises:
        RuntimeError: for a device without a backend, with what to install.

    >>> from facula_tensor import zeros
    >>> set_default_device("meta")
    >>> zeros(2).device
    device(type='meta')
    >>> set_default_device(None)
    """
    place = cpu if device is None else Device(device)
    place.backend  # noqa: B018  RuntimeError where there is none
    if place is cpu:
        _of_thread.lasting = None
        _resume()
    else:
        lasting = _of_thread.lasting = _Lasting(place)
        _lasting.add(lasting)
        _suspend()
