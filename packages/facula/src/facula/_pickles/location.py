"""Placement of loaded storages: `map_location`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from facula_checkpoint.extend import Memory
from facula_errors import InvalidTypeError
from facula_storage import Device, contiguous, cpu, uint8
from facula_storage.extend.memory import allocate
from facula_tensor import Tensor, TypedStorage, UntypedStorage
from facula_tensor.extend.tensors import elements_of, make

from .._lookup.absent_device import cuda_backend

if TYPE_CHECKING:
    from facula_tensor.extend.arguments import DeviceLike

    Fetch = Callable[[], Memory]
    Relocate = Callable[[Fetch, int, str], Memory | None]


def relocation(map_location: object) -> Relocate | None:
    """Return the function that moves a storage to the requested device; None if all storages stay on the CPU.

    Its arguments are a function that reads the storage, the size in bytes, and the device that it was saved from.
    It returns None for storages that stay on the CPU.
    """
    if map_location is None:
        return _to_its_device
    if isinstance(map_location, (str, Device)):
        device = Device(map_location)
        return None if device is cpu else lambda fetch, nbytes, saved_from: moved(fetch, nbytes, device)
    if isinstance(map_location, Mapping):
        return lambda fetch, nbytes, saved_from: moved(fetch, nbytes, _looked_up(map_location, saved_from))
    if callable(map_location):
        return lambda fetch, nbytes, saved_from: _given(map_location, fetch(), saved_from)
    raise InvalidTypeError(
        "load: expected map_location to be a device, its name, a dict of these or a function; got "
        f"{type(map_location).__name__}"
    )


def moved(fetch: Fetch, nbytes: int, device: Device) -> Memory:
    """Return a storage on a device. Elements are not read for "meta"."""
    if device is cpu:
        return fetch()
    layout = contiguous((nbytes,), uint8, device)
    if device.type == "meta":
        return Memory(allocate(layout), nbytes, device)
    memory = fetch()
    flat = make(Tensor, contiguous((nbytes,), uint8), memory.storage, 0).to(device)
    return Memory(flat._storage, nbytes, flat.device)


def _to_its_device(fetch: Fetch, nbytes: int, saved_from: str) -> Memory | None:
    """Return a storage on the CUDA device that it was saved from, if there is a CUDA device."""
    if not saved_from.startswith("cuda") or cuda_backend() is None:
        return None
    return moved(fetch, nbytes, Device(saved_from))


def _looked_up(locations: Mapping[Any, DeviceLike], saved_from: str) -> Device:
    found = locations.get(saved_from)
    if found is None and saved_from.partition(":")[0] in ("cpu", "meta"):
        found = locations.get(Device(saved_from.partition(":")[0]))
    if found is None:
        return cpu
    if not isinstance(found, (str, Device)):
        raise InvalidTypeError(f"load: expected map_location to have devices as values; got {type(found).__name__}")
    return Device(found)


def _given(function: Callable[..., Any], memory: Memory, saved_from: str) -> Memory:
    flat = make(Tensor, contiguous((memory.nbytes,), uint8), memory.storage, 0)
    found = function(UntypedStorage(flat), saved_from)
    if found is None:
        return memory
    if isinstance(found, TypedStorage):
        found = found.untyped()
    if not isinstance(found, UntypedStorage) or found.nbytes() < memory.nbytes:
        raise InvalidTypeError(
            f"load: expected map_location to return a storage of {memory.nbytes} bytes or None; got {found!r:.100}"
        )
    return Memory(elements_of(found)._storage, memory.nbytes, found.device)
