"""Devices: how many there are, their contexts and properties, and the one that each thread has selected.

Note [Contexts]: every device has one primary context, which all libraries of a process share. It is retained at the
first use of the device and released by `close_driver` only. A driver call refers to the calling thread's current
context, so `context(index)` precedes each. In C, `facula_cuda_bind(index)` does the same in a few nanoseconds. Another
library that makes its own context current in a thread must restore the previous one, as CUDA's documentation asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import TypeAlias

from facula_errors import ArgumentError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, guarded
from facula_storage import Device

from .._driver import ffi, lib
from .driver import check, is_available, on_close, open_driver
from .waits import waiting

#: Devices beyond this number are not used: the state of threads has a fixed size.
MAX_DEVICES: int = lib.MAX_DEVICES
#: Devices as arguments: an index, a name as "cuda:1", a device, or None for the current one.
AnyDevice: TypeAlias = "int | str | Device | None"

# CUdevice_attribute, by the field of DeviceProperties.
_ATTRIBUTES = {
    "major": 75,
    "minor": 76,
    "multi_processor_count": 16,
    "max_threads_per_multi_processor": 39,
    "max_threads_per_block": 1,
    "warp_size": 10,
    "regs_per_multiprocessor": 82,
    "shared_memory_per_block": 8,
    "shared_memory_per_block_optin": 97,
    "shared_memory_per_multiprocessor": 81,
    "L2_cache_size": 38,
    "clock_rate": 13,
    "memory_clock_rate": 36,
    "memory_bus_width": 37,
    "is_integrated": 18,
    "is_multi_gpu_board": 84,
    "pci_bus_id": 33,
    "pci_device_id": 34,
    "pci_domain_id": 50,
}


@dataclass(frozen=True, slots=True)
class DeviceProperties:
    """The properties of a device, named as in PyTorch's `get_device_properties`. Units: bytes, kHz and bits.

    >>> fields = dict.fromkeys(DeviceProperties.__dataclass_fields__, 0)
    >>> DeviceProperties(**{**fields, "name": "GPU", "major": 9, "total_memory": 80 << 30}).major
    9
    """

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    max_threads_per_multi_processor: int
    max_threads_per_block: int
    warp_size: int
    regs_per_multiprocessor: int
    shared_memory_per_block: int
    shared_memory_per_block_optin: int
    shared_memory_per_multiprocessor: int
    L2_cache_size: int
    clock_rate: int
    memory_clock_rate: int
    memory_bus_width: int
    is_integrated: int
    is_multi_gpu_board: int
    pci_bus_id: int
    pci_device_id: int
    pci_domain_id: int
    uuid: str


_contexts: dict[int, int] = {}
_properties: dict[int, DeviceProperties] = {}
_count: list[int] = []
_peers: set[tuple[int, int]] = set()
_retaining = Lock()


@on_close
def _forget(alive: bool) -> None:
    """Drop all contexts. They are released only while their driver is still there (`alive`)."""
    for index in list(_contexts):
        lib.facula_cuda_set_context(index, 0)
        if alive:
            lib.driver.cuDevicePrimaryCtxRelease_v2(index)
    for table in (_contexts, _properties, _count, _peers):
        table.clear()


@boundary
def device_count() -> int:
    """Return the number of devices; 0 without a driver or in a child forked from a process that used CUDA.

    At most 16 devices are used. CUDA_VISIBLE_DEVICES selects and orders them, as CUDA defines.
    """
    return count_devices() if is_available() else 0


def count_devices() -> int:
    """Return the number of devices. Raises OperationError without a driver."""
    if not _count:
        open_driver()
        number = ffi.new("int *")
        check("device_count", lib.driver.cuDeviceGetCount(number))
        _count[:] = [min(int(number[0]), MAX_DEVICES)]
    return _count[0]


def current_index() -> int:
    """Return the index of the calling thread's current device, initially 0. Does not open the driver."""
    return int(lib.facula_cuda_current_index())


def set_index(index: int) -> None:
    """Make a device the calling thread's current one."""
    lib.facula_cuda_set_index(checked_index("set_index", index))


def checked_index(operation: str, index: int) -> int:
    """Return the index of a device. Raises ArgumentError, a ValueError and a RuntimeError, if there is none."""
    count = count_devices()
    if not 0 <= index < count:
        raise ArgumentError(
            f"{operation}: expected 0 <= device < {count}, the number of devices; got {index}. CUDA_VISIBLE_DEVICES "
            "may hide devices"
        )
    return index


def index_of(operation: str, device: AnyDevice) -> int:
    """Return the index of a device.

    Arguments:
        operation: the caller's name, for errors.
        device: an index, a name, a device, or None; without an index it is the thread's current device.
    """
    if device is None:
        return checked_index(operation, current_index())
    if isinstance(device, int) and not isinstance(device, bool):
        return checked_index(operation, device)
    if not isinstance(device, (str, Device)):
        expected = "device, an index, a name as 'cuda:0', a device or None"
        raise InvalidTypeError(f"{operation}: expected {expected}; got {device!r:.60}")
    device = Device(device)
    if device.type != "cuda":
        raise InvalidValueError(f"{operation}: expected a device of type 'cuda'; got {str(device)!r}")
    return checked_index(operation, current_index() if device.index is None else device.index)


def context(index: int) -> int:
    """Make the primary context of a device the calling thread's current one, and return its handle.

    The first call for a device retains the context.
    """
    code = lib.facula_cuda_bind(index)
    if code:
        if code == lib.DRIVER_NOT_INITIALIZED:
            _retain(index)
            code = lib.facula_cuda_bind(index)
        check("cuda", code)
    return _contexts[index]


def _retain(index: int) -> None:
    open_driver()
    with _retaining:
        if index in _contexts:
            return
        checked_index("cuda", index)
        handle = ffi.new("int64_t *")
        check(f"cuda: device {index}", lib.driver.cuDevicePrimaryCtxRetain(handle, _ordinal(index)))
        _contexts[index] = int(handle[0])
        lib.facula_cuda_set_context(index, _contexts[index])


def is_used(index: int) -> bool:
    """Return whether this process has used a device, so that it may have queued work."""
    return index in _contexts


def _ordinal(index: int) -> int:
    """Return the driver's handle of a device."""
    device = ffi.new("int *")
    check("cuDeviceGet", lib.driver.cuDeviceGet(device, index))
    return int(device[0])


def attribute(index: int, number: int) -> int:
    """Return an attribute of a device by its number in cuda.h."""
    value = ffi.new("int *")
    check("cuDeviceGetAttribute", lib.driver.cuDeviceGetAttribute(value, number, _ordinal(index)))
    return int(value[0])


def properties(index: int) -> DeviceProperties:
    """Return the properties of a device, which are read once."""
    found = _properties.get(checked_index("get_device_properties", index))
    return found or _properties.setdefault(index, _read_properties(index))


def _read_properties(index: int) -> DeviceProperties:
    device = _ordinal(index)
    name, total, uuid = ffi.new("char[256]"), ffi.new("size_t *"), ffi.new("struct uuid *")
    check("cuDeviceGetName", lib.driver.cuDeviceGetName(name, 256, device))
    check("cuDeviceTotalMem", lib.driver.cuDeviceTotalMem_v2(total, device))
    check("cuDeviceGetUuid", lib.driver.cuDeviceGetUuid_v2(uuid, device))
    digits = bytes(ffi.buffer(uuid)).hex()
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    numbers = {field: attribute(index, number) for field, number in _ATTRIBUTES.items()}
    return DeviceProperties(
        name=ffi.string(name).decode(errors="replace"), total_memory=int(total[0]), uuid="-".join(parts), **numbers
    )


@boundary
def current_device() -> int:
    """Return the index of the calling thread's current device.

    Raises OperationError without a driver or a device.
    """
    return index_of("current_device", None)


@boundary
def set_device(device: AnyDevice) -> None:
    """Make a device the calling thread's current one. None and a negative index have no effect, as in PyTorch."""
    if device is None or (isinstance(device, int) and device < 0):
        return
    lib.facula_cuda_set_index(index_of("set_device", device))


@guarded
def device(device: AnyDevice) -> Iterator[None]:
    """Return a context manager: a block in which a device is the calling thread's current one.

    None and a negative index have no effect, as in PyTorch.

    >>> with device(None):
    ...     pass
    """
    before = current_index()
    set_device(device)
    try:
        yield
    finally:
        lib.facula_cuda_set_index(before)


@boundary
def get_device_properties(device: AnyDevice = None) -> DeviceProperties:
    """Return the properties of a device, of the current one by default."""
    return properties(index_of("get_device_properties", device))


@boundary
def get_device_name(device: AnyDevice = None) -> str:
    """Return the name of a device, of the current one by default: "NVIDIA H100"."""
    return properties(index_of("get_device_name", device)).name


@boundary
def get_device_capability(device: AnyDevice = None) -> tuple[int, int]:
    """Return the compute capability of a device, of the current one by default: (9, 0) for an H100."""
    found = properties(index_of("get_device_capability", device))
    return found.major, found.minor


@boundary
def can_device_access_peer(device: AnyDevice, peer_device: AnyDevice) -> bool:
    """Return whether kernels on a device can read and write the memory of another device."""
    first = index_of("can_device_access_peer", device)
    second = index_of("can_device_access_peer", peer_device)
    can = ffi.new("int *")
    check("can_device_access_peer", lib.driver.cuDeviceCanAccessPeer(can, _ordinal(first), _ordinal(second)))
    return bool(can[0])


def enable_peer_access(index: int, peer: int) -> bool:
    """Let a device use the memory of another one; return whether it can. The calls after the first are free."""
    if (index, peer) in _peers or index == peer:
        return True
    if not can_device_access_peer(index, peer):
        return False
    target = context(peer)
    context(index)
    code = lib.driver.cuCtxEnablePeerAccess(target, 0)
    if code != _PEER_ACCESS_ALREADY_ENABLED:
        check("cuCtxEnablePeerAccess", code)
    _peers.add((index, peer))
    return True


_PEER_ACCESS_ALREADY_ENABLED = 704


@boundary
def synchronize(device: AnyDevice = None) -> None:
    """Wait for all work on all streams of a device, of the current one by default.

    Raises:
        CudaError: work on the device failed.
    """
    index = index_of("synchronize", device)
    context(index)
    with waiting(index, None):
        check("synchronize", lib.driver.cuCtxSynchronize())
