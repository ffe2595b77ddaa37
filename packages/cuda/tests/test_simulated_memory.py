"""Memory of simulated devices: limits, what is accessible, and virtual memory."""

import subprocess
import sys

import pytest
from simulated_calls import (
    Code,
    allocate,
    call,
    code_of,
    event,
    get,
    pinned,
    queue_read,
    read,
    stream,
    use_device,
    words,
    write,
)

from facula_cuda._driver import ffi, lib
from facula_cuda._port.device_memory import device_allocator
from facula_cuda.testing import driver_calls, pending, poisoning

MIB = 1 << 20
PAGE = 2 * MIB
INVALID_VALUE, OUT_OF_MEMORY, ILLEGAL_ADDRESS = 1, 2, 700


def info():
    unused, total = ffi.new("size_t *"), ffi.new("size_t *")
    call("cuMemGetInfo_v2", unused, total)
    return unused[0], total[0]


def test_memory_is_counted_until_the_device_is_full(simulated):
    simulated(memory=64 * MIB)
    assert info() == (64 * MIB, 64 * MIB)
    first = allocate(40 * MIB)
    assert info() == (24 * MIB, 64 * MIB)
    with pytest.raises(Code, match=f"^{OUT_OF_MEMORY}$"):
        allocate(24 * MIB + 1)
    second = allocate(24 * MIB)
    assert info() == (0, 64 * MIB)
    for address in (first, second):
        call("cuMemFree_v2", address)
    assert info() == (64 * MIB, 64 * MIB)
    assert allocate(64 * MIB) == first, "the free addresses were joined"


@pytest.mark.parametrize("nbytes", [0, 1 << 60, (1 << 64) - 1])
def test_sizes_that_no_device_has(simulated, nbytes):
    simulated(memory=64 * MIB)
    assert code_of("cuMemAlloc_v2", ffi.new("uint64_t *"), nbytes) == (OUT_OF_MEMORY if nbytes else INVALID_VALUE)


def test_only_whole_allocations_are_freed(simulated):
    simulated()
    address = allocate(1024)
    assert code_of("cuMemFree_v2", address + 512) == INVALID_VALUE
    assert code_of("cuMemFree_v2", 0) == 0
    call("cuMemFree_v2", address)
    assert code_of("cuMemFree_v2", address) == INVALID_VALUE
    _, host = pinned(512)
    assert code_of("cuMemFree_v2", host) == INVALID_VALUE
    assert code_of("cuMemFreeHost", ffi.cast("void *", address)) == INVALID_VALUE


def test_new_memory_is_poisoned_and_freed_memory_comes_back_poisoned(simulated):
    simulated()
    address = allocate(20 * MIB)  # more than one mapping of the bytes 0xff
    assert set(read(address + 15 * MIB, 2 * MIB)) == {0xFF}
    write(address, bytes(4096))
    call("cuMemFree_v2", address)
    assert allocate(20 * MIB) == address
    assert set(read(address, 8192)) == {0xFF}


def test_copies_stay_within_allocations(simulated):
    simulated()
    address, data = allocate(1000), bytes(1024)
    write(address, data)  # sizes are rounded up to 512 bytes
    with pytest.raises(Code, match=f"^{INVALID_VALUE}$"):
        write(address + 1, data)
    with pytest.raises(Code, match=f"^{INVALID_VALUE}$"):
        read(address - 1, 16)
    assert code_of("cuMemsetD8Async", address, 0, 1025, 0) == INVALID_VALUE
    assert code_of("cuMemcpyDtoDAsync_v2", address, address + 8, 1024, 0) == INVALID_VALUE


def test_free_waits_for_queued_work(simulated):
    simulated()
    address, (buffer, host) = allocate(512), pinned(512)
    call("cuMemsetD8Async", address, 7, 512, stream())
    queue_read(address, host, 512, stream())
    assert pending() == 2
    call("cuMemFree_v2", address)
    assert pending() == 0 and set(bytes(buffer)) <= {7, 0xFF}


def test_pinned_sources_are_read_when_the_copy_runs_and_pageable_ones_at_once(simulated):
    simulated()
    first, second, (buffer, host) = allocate(8), allocate(8), pinned(8)
    pageable = bytearray(b"original")
    buffer[:] = b"original"
    call("cuMemcpyHtoDAsync_v2", first, ffi.cast("void *", host), 8, 0)
    call("cuMemcpyHtoDAsync_v2", second, ffi.from_buffer(pageable), 8, 0)
    buffer[:] = pageable[:] = b"too soon"
    assert (read(first, 8), read(second, 8)) == (b"too soon", b"original")


def test_pinned_targets_are_written_when_the_copy_runs(simulated):
    simulated()
    address, (buffer, host) = allocate(8), pinned(8)
    write(address, b"contents")
    queue_read(address, host, 8)
    assert bytes(buffer) == b"\xff" * 8 and pending() == 2
    call("cuCtxSynchronize")
    assert bytes(buffer) == b"contents" and pending() == 0


def test_copies_in_a_device_and_fills(simulated):
    simulated()
    a, b = allocate(64), allocate(64)
    call("cuMemsetD8Async", a, 3, 64, 0)
    write(a + 8, words(1, 2))
    call("cuMemcpyDtoDAsync_v2", b, a, 32, 0)
    assert read(b, 40) == b"\3" * 8 + words(1, 2) + b"\3" * 8 + b"\xff" * 8


def test_released_blocks_are_poisoned(simulated):
    simulated()
    allocator = device_allocator(0)
    with poisoning():
        block = allocator.allocate(1024)
        address = block.ptr
        write(address, bytes(1024))
        block.free()
        before = pending(), driver_calls()
        block = allocator.allocate(1024)
        assert block.ptr == address and (pending(), driver_calls()) == before
        assert set(read(address, 1024)) == {0xFF}
        write(address, bytes(1024))
        assert set(read(address, 1024)) == {0}
        block.free()
        capture = stream()
        call("cuStreamBeginCapture_v2", capture, 2)
        block = allocator.allocate(1024)
        call("cuStreamEndCapture", capture, ffi.new("int64_t *"))
        assert set(read(block.ptr, 1024)) == {0}, "released during a capture"
    write(address, bytes(1024))
    block.free()
    assert set(read(allocator.allocate(1024).ptr, 1024)) == {0}


def test_a_block_is_poisoned_after_its_last_use(simulated):
    simulated()
    allocator, other, (buffer, host) = device_allocator(0), stream(), pinned(1024)
    with poisoning():
        block = allocator.allocate(1024)
        write(block.ptr, bytes(1024))
        call("cuStreamSynchronize", 0)
        block.record_use(other)
        queue_read(block.ptr, host, 1024, other)
        address = block.ptr
        block.free()
        buffer[:] = b"\1" * 1024
        allocator.allocate(1024)
        call("cuStreamSynchronize", 0)
        assert set(bytes(buffer)) <= {0, 1}
        call("cuStreamSynchronize", other)
        assert set(bytes(buffer)) == {0}
        allocator.allocate(32 * MIB)  # looks for blocks whose uses have ended
        assert set(read(address, 1024)) == {0xFF}


def test_managed_memory_is_the_hosts_too(simulated):
    simulated()
    address = get("uint64_t", "cuMemAllocManaged", 4096, 1)
    ffi.buffer(ffi.cast("void *", address), 8)[:] = b"contents"
    assert read(address, 8) == b"contents"
    call("cuMemFree_v2", address)
    assert code_of("cuMemAllocManaged", ffi.new("uint64_t *"), 4096, 0) == INVALID_VALUE


def test_pinned_memory_has_one_address_for_host_and_device(simulated):
    simulated()
    _, host = pinned(64)
    assert get("uint64_t", "cuMemHostGetDevicePointer_v2", ffi.cast("void *", host), 0) == host
    call("cuMemFreeHost", ffi.cast("void *", host))
    result = ffi.new("uint64_t *")
    assert code_of("cuMemHostGetDevicePointer_v2", result, ffi.cast("void *", host), 0) == INVALID_VALUE


@pytest.mark.unsanitized  # a sanitizer reports the fault itself
def test_the_host_cannot_use_device_memory(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import ctypes, faulthandler\n"
        "from facula_cuda._driver import ffi, lib\n"
        "from facula_cuda.testing import simulate\n"
        "faulthandler.enable()\n"
        "simulate()\n"
        "context, address = ffi.new('int64_t *'), ffi.new('uint64_t *')\n"
        "assert not lib.driver.cuDevicePrimaryCtxRetain(context, 0)\n"
        "assert not lib.driver.cuCtxSetCurrent(context[0])\n"
        "assert not lib.driver.cuMemAlloc_v2(address, 4096)\n"
        "ctypes.string_at(address[0], 8)\n"
    )
    run = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert run.returncode == -11, run.stderr
    assert "Segmentation fault" in run.stderr and "program.py" in run.stderr and "line 10" in run.stderr


# ------------------------------------------------------------------------------------------------------ virtual memory
def properties(device=0):
    return ffi.new("struct memory_properties *", {"type": 1, "location": {"type": 1, "id": device}})


def access(device=0, flags=3):
    return ffi.new("struct memory_access *", {"location": {"type": 1, "id": device}, "flags": flags})


def reserve(pages):
    return get("uint64_t", "cuMemAddressReserve", pages * PAGE, 0, 0, 0)


def test_pages_are_mapped_and_used_and_released(simulated):
    simulated(memory=64 * MIB)
    assert get("size_t", "cuMemGetAllocationGranularity", properties(), 0) == PAGE
    address = reserve(4)
    handle = get("int64_t", "cuMemCreate", PAGE, properties(), 0)
    assert info()[0] == 62 * MIB
    call("cuMemMap", address + PAGE, PAGE, 0, handle, 0)
    with pytest.raises(Code, match=f"^{INVALID_VALUE}$"):
        write(address + PAGE, b"no access yet")
    call("cuMemSetAccess", address + PAGE, PAGE, access(), 1)
    assert set(read(address + PAGE, PAGE)) == {0xFF}
    write(address + PAGE, b"contents")
    assert read(address + PAGE, 8) == b"contents"
    call("cuMemRelease", handle)  # the mapping keeps the memory
    assert info()[0] == 62 * MIB and read(address + PAGE, 8) == b"contents"
    assert code_of("cuMemAddressFree", address, 4 * PAGE) == INVALID_VALUE
    call("cuMemUnmap", address + PAGE, PAGE)
    assert info()[0] == 64 * MIB
    call("cuMemAddressFree", address, 4 * PAGE)
    assert reserve(4) == address


def test_memory_keeps_its_contents_at_another_address(simulated):
    simulated()
    address = reserve(2)
    handle = get("int64_t", "cuMemCreate", PAGE, properties(), 0)
    call("cuMemMap", address, PAGE, 0, handle, 0)
    call("cuMemSetAccess", address, PAGE, access(), 1)
    write(address, b"contents")
    call("cuMemMap", address + PAGE, PAGE, 0, handle, 0)
    call("cuMemSetAccess", address + PAGE, PAGE, access(), 1)
    assert read(address + PAGE, 8) == b"contents"
    write(address + PAGE - 4, b"12345678")  # one copy over two mappings
    assert read(address, 4) == b"5678"
    call("cuMemUnmap", address, 2 * PAGE)


def test_work_on_unmapped_pages_is_an_error_of_the_device(simulated):
    simulated()
    address = reserve(1)
    handle = get("int64_t", "cuMemCreate", PAGE, properties(), 0)
    call("cuMemMap", address, PAGE, 0, handle, 0)
    call("cuMemSetAccess", address, PAGE, access(), 1)
    call("cuMemsetD8Async", address, 0, 16, 0)
    call("cuMemUnmap", address, PAGE)
    assert code_of("cuCtxSynchronize") == ILLEGAL_ADDRESS
    assert code_of("cuMemAlloc_v2", ffi.new("uint64_t *"), 512) == ILLEGAL_ADDRESS


def test_pages_of_another_device_need_its_access(simulated):
    simulated(devices=2)
    address = reserve(1)
    handle = get("int64_t", "cuMemCreate", PAGE, properties(1), 0)
    call("cuMemMap", address, PAGE, 0, handle, 0)
    call("cuMemSetAccess", address, PAGE, access(1), 1)
    assert info()[0] == info()[1], "the memory is the other device's"
    call("cuMemSetAccess", address, PAGE, access(1, 0), 1)
    assert code_of("cuMemsetD8Async", address, 0, 16, 0) == INVALID_VALUE


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("cuMemAddressReserve", (lambda: ffi.new("uint64_t *"), PAGE + 1, 0, 0, 0), 1),
        ("cuMemAddressReserve", (lambda: ffi.new("uint64_t *"), PAGE, 3, 0, 0), 1),
        ("cuMemAddressReserve", (lambda: ffi.new("uint64_t *"), 1 << 50, 0, 0, 0), 2),
        ("cuMemAddressFree", (PAGE, PAGE), 1),
        ("cuMemCreate", (lambda: ffi.new("int64_t *"), 4096, properties, 0), 1),
        ("cuMemCreate", (lambda: ffi.new("int64_t *"), PAGE, lambda: properties(1), 0), 101),
        ("cuMemCreate", (lambda: ffi.new("int64_t *"), 1 << 50, properties, 0), 2),
        ("cuMemMap", (PAGE, PAGE, 0, 16, 0), 1),
        ("cuMemSetAccess", (PAGE, PAGE, access, 1), 1),
        ("cuMemUnmap", (PAGE, PAGE), 1),
        ("cuMemRelease", (16,), 1),
        ("cuIpcGetMemHandle", (lambda: ffi.new("struct ipc_handle *"), PAGE), 801),
        ("cuIpcCloseMemHandle", (PAGE,), 801),
    ],
)
def test_bad_arguments(simulated, name, arguments, code):
    simulated()
    assert code_of(name, *(one() if callable(one) else one for one in arguments)) == code
    assert info()[0] == info()[1]


def test_a_destroyed_context_frees_its_memory(simulated):
    simulated()
    address, queue, done = allocate(1 << 20), stream(), event()
    call("cuMemsetD8Async", address, 0, 16, queue)
    call("cuEventRecord", done, queue)
    call("cuDevicePrimaryCtxRelease_v2", 0)
    assert code_of("cuCtxSynchronize") == 709
    use_device()
    assert info()[0] == info()[1] and pending() == 0
    assert code_of("cuMemFree_v2", address) == INVALID_VALUE
    assert code_of("cuStreamSynchronize", queue) == code_of("cuEventSynchronize", done) == 400
    assert lib.driver.cuDevicePrimaryCtxRelease_v2(0) == 0
    assert lib.driver.cuDevicePrimaryCtxRelease_v2(0) == 201
