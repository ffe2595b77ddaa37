"""Copies between the host and devices, and waits: calls of the driver that return its code.

All addresses are ints. The calling thread has made the context of the stream's device current.
"""

from __future__ import annotations

from .._driver import ffi, lib

_DISABLE_TIMING = 2


def copy_to_device(target: int, source: int, nbytes: int, stream: int) -> int:
    """Queue a copy from the host. Pageable memory has been read when the call returns, pinned memory not yet."""
    code: int = lib.driver.cuMemcpyHtoDAsync_v2(target, ffi.cast("void *", source), nbytes, stream)
    return code


def is_pinned(address: int) -> bool:
    """Return whether an address of the host belongs to pinned memory, which devices access when a copy runs."""
    found = ffi.new("uint64_t *")
    return not lib.driver.cuMemHostGetDevicePointer_v2(found, ffi.cast("void *", address), 0)


def copy_to_host(target: int, source: int, nbytes: int, stream: int) -> int:
    """Queue a copy to the host; it is complete after a wait for the stream."""
    code: int = lib.driver.cuMemcpyDtoHAsync_v2(ffi.cast("void *", target), source, nbytes, stream)
    return code


def copy_on_device(target: int, source: int, nbytes: int, stream: int) -> int:
    """Queue a copy within the device of a stream."""
    code: int = lib.driver.cuMemcpyDtoDAsync_v2(target, source, nbytes, stream)
    return code


def copy_to_peer(target: int, target_context: int, source: int, source_context: int, nbytes: int, stream: int) -> int:
    """Queue a copy from one device to another, on a stream of the one whose context is current."""
    code: int = lib.driver.cuMemcpyPeerAsync(target, target_context, source, source_context, nbytes, stream)
    return code


def new_event(event: list[int]) -> int:
    """Append an event without timing, of the current context."""
    made = ffi.new("int64_t *")
    code: int = lib.driver.cuEventCreate(made, _DISABLE_TIMING)
    if not code:
        event.append(made[0])
    return code


def record_event(event: int, stream: int) -> int:
    """Record an event after the work queued on a stream of the current context."""
    code: int = lib.driver.cuEventRecord(event, stream)
    return code


def wait_for_event(stream: int, event: int) -> int:
    """Let later work of a stream wait for an event, which may be another device's."""
    code: int = lib.driver.cuStreamWaitEvent(stream, event, 0)
    return code


def destroy_event(event: int) -> int:
    """Destroy an event; streams that wait for it continue to wait."""
    code: int = lib.driver.cuEventDestroy_v2(event)
    return code


def wait_for_stream(stream: int) -> int:
    """Wait until the work of a stream is complete."""
    code: int = lib.driver.cuStreamSynchronize(stream)
    return code


def wait_for_device() -> int:
    """Wait until all work of the current context is complete."""
    code: int = lib.driver.cuCtxSynchronize()
    return code
