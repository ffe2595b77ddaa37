"""Steps on one device: what it is, a kernel, memory, and the speed of copies."""

from __future__ import annotations

import platform
import random
import sys
import time
from dataclasses import asdict
from importlib import metadata

import numpy as np

from facula_allocator import OutOfMemoryError

from .._compile import nvrtc
from .._port.device_memory import device_allocator
from .._port.devices import count_devices, get_device_properties, properties, synchronize
from .._port.driver import driver_version, failure, format_version
from .._port.events import Event
from .._port.pinned import pinned_allocator
from ._report import Report, step
from ._work import Array, Kernel, between, peak_bandwidth, to_device, to_host

DISTRIBUTIONS = ("facula-cuda", "nvidia-cuda-nvrtc", "nvidia-cublas", "cupy-cuda13x", "torch", "numpy")


@step(60)
def driver(report: Report) -> None:
    """Versions and properties: enough to describe the machine."""
    report.figure("python", sys.version)
    report.figure("system", platform.platform())
    report.figure("driver_cuda", format_version(driver_version()))
    report.figure("devices", [asdict(properties(index)) for index in range(count_devices())])
    report.figure("packages", {name: _version(name) for name in DISTRIBUTIONS})
    found = get_device_properties(0)
    report.check("a warp has 32 threads", found.warp_size == 32, found.warp_size)
    report.check("the capability is at least 7.0", (found.major, found.minor) >= (7, 0), found)
    report.check("the driver names its errors", failure(700).startswith("CUDA_ERROR_ILLEGAL_ADDRESS"), failure(700))
    if not report.simulated:
        report.figure("nvrtc", nvrtc.version())
        report.figure("nvrtc_architectures", nvrtc.supported_architectures())


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


@step(120)
def kernel(report: Report) -> None:
    """Compile a kernel, load it, run it, and compare its results with NumPy's."""
    begin = time.perf_counter()
    scale = Kernel("scale")
    report.figure("compile_and_load_ms", (time.perf_counter() - begin) * 1e3)
    for size in (1, 255, 256, 100_003):
        values = np.linspace(-3, 3, size, dtype=np.float32)
        source, target = Array(size).fill(values), Array(size)
        scale.queue(target.ptr, source.ptr, size, 2.5)
        expected = values * np.float32(2.5) + np.float32(1)
        report.check(f"{size} results have NumPy's bits", np.array_equal(target.read(), expected))


@step(60)
def memory(report: Report) -> None:
    """Blocks of the caching allocator do not overlap; memory runs out with an error and is there again."""
    choose, allocator = random.Random(0), device_allocator()
    held: list[tuple[Array, float]] = []
    broken = 0
    for number in range(200 if report.simulated else 2000):
        if held and choose.random() < 0.45:
            array, value = held.pop(choose.randrange(len(held)))
            broken += not (array.read() == value).all()
        else:
            array = Array(choose.choice((1, 100, 5_000, 300_000, 700_000)))
            held.append((array.fill(np.full(array.size, number, np.float32)), number))
    broken += sum(not (array.read() == value).all() for array, value in held)
    report.check("blocks keep their contents", broken == 0, f"{broken} blocks were overwritten")
    held.clear()
    page_size = getattr(allocator.driver, "page_size", 0)
    report.figure("page_bytes", page_size)
    size = max(page_size, 2 << 20) // 4 * 3 + 1  # more than three pages
    values = np.arange(size, dtype=np.float32)
    source, target = Array(size).fill(values), Array(size)
    Kernel("scale").queue(target.ptr, source.ptr, size)
    report.check("a kernel crosses pages", np.array_equal(target.read(), values + np.float32(1)))
    _, total = allocator.driver.memory_info()
    try:
        allocator.allocate(2 * total)
        report.check("more than the device's memory is refused", False, "it was allocated")
    except OutOfMemoryError as error:
        report.check("more than the device's memory is refused", "out of memory" in str(error), error)
    report.check("memory is there after a refusal", Array(1 << 10).fill(np.ones(1 << 10)).read().sum() == 1 << 10)
    begin = time.perf_counter()
    for _ in range(1000):
        allocator.allocate(1 << 20)
    report.figure("allocate_and_free_us", (time.perf_counter() - begin) * 1e3)
    report.figure("reserved_bytes", allocator.memory_stats()["reserved_bytes.all.current"])
    report.figure("released_bytes", allocator.empty_cache())


@step(60)
def copies(report: Report) -> None:
    """Contents and speed of copies between the host, pinned and pageable, and the device."""
    size = 1 << (18 if report.simulated else 26)
    nbytes = 4 * size
    values = np.random.default_rng(0).random(size, dtype=np.float32)
    pinned = pinned_allocator().allocate(nbytes)
    host = np.frombuffer(_buffer(pinned.ptr, nbytes), np.float32)
    host[:] = values
    first, second, found = Array(size), Array(size), np.zeros_like(values)
    queued = {
        "pageable_to_device": lambda: to_device(first.ptr, values.ctypes.data, nbytes),
        "pinned_to_device": lambda: to_device(first.ptr, pinned.ptr, nbytes),
        "device_to_device": lambda: between(second.ptr, first.ptr, nbytes),
        "device_to_pinned": lambda: to_host(pinned.ptr, second.ptr, nbytes),
        "device_to_pageable": lambda: to_host(found.ctypes.data, second.ptr, nbytes),
    }
    for name, copy in queued.items():
        report.figure(f"{name}_gb_per_s", nbytes / 1e9 / _seconds(copy))
    report.check("pinned memory has the values", np.array_equal(host, values))
    report.check("pageable memory has the values", np.array_equal(found, values))
    scale = Kernel("scale")
    seconds = _seconds(lambda: scale.queue(second.ptr, first.ptr, size))
    report.figure("kernel_gb_per_s", 2 * nbytes / 1e9 / seconds)
    report.figure("kernel_share_of_peak", 2 * nbytes / seconds / (peak_bandwidth() or float("inf")))


def _buffer(address: int, nbytes: int) -> memoryview:
    from .._driver import ffi

    return memoryview(ffi.buffer(ffi.cast("char *", address), nbytes))


def _seconds(queue: object, times: int = 5) -> float:
    """Return the least time of some work between two events on the current stream."""
    least = float("inf")
    for _ in range(times):
        begin, end = Event(enable_timing=True), Event(enable_timing=True)
        begin.record()
        queue()  # type: ignore[operator]
        end.record()
        end.synchronize()
        least = min(least, begin.elapsed_time(end) / 1e3)
    synchronize()
    return max(least, 1e-9)
