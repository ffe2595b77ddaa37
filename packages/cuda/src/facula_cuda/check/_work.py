"""Memory and work of a device for steps: blocks of the allocator, NumPy arrays in them, and small kernels."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from facula_allocator import Block

from .._compile.modules import functions
from .._driver import lib
from .._port import transfers
from .._port.device_memory import device_allocator
from .._port.devices import context, current_index, properties, synchronize
from .._port.driver import check
from .._port.kernels import Launch
from .._port.streams import current_stream

SOURCE = """
#include <stdint.h>
struct args { int64_t n; float *to; const float *from; double scale; };
KERNEL(scale, args)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n)
        p.to[i] = p.from[i] * (float)p.scale + 1.0f;
}
KERNEL(stray, args)
{
    *(volatile float *)(p.to + p.n) = 1.0f;
}
"""
THREADS = 256


class Array:
    """A float32 array in device memory.

    Arguments:
        size: the number of elements.
        stream: the stream of the block, the current one by default.
    """

    def __init__(self, size: int, stream: int | None = None):
        self.size = size
        self.nbytes = 4 * size
        handle = int(lib.facula_cuda_current_stream()) if stream is None else stream
        self.block: Block = device_allocator().allocate(self.nbytes, handle)
        self.ptr = self.block.ptr

    def fill(self, values: np.ndarray[Any, Any]) -> Array:
        """Copy a host array to this one, before the call returns."""
        values = np.ascontiguousarray(values, np.float32)
        to_device(self.ptr, values.ctypes.data, self.nbytes)
        current_stream().synchronize()
        return self

    def read(self) -> np.ndarray[Any, Any]:
        """Return the contents, after all work of the current stream."""
        found = np.empty(self.size, np.float32)
        to_host(found.ctypes.data, self.ptr, self.nbytes)
        current_stream().synchronize()
        return found


def host_us(call: Callable[[], object], times: int, wait: Callable[[], object] = synchronize) -> float:
    """Return the least time of a call on the host in microseconds; the device is idle before each of five rounds."""
    least = float("inf")
    for _ in range(5):
        wait()
        begin = time.perf_counter()
        for _ in range(times):
            call()
        least = min(least, time.perf_counter() - begin)
    wait()
    return least / times * 1e6


def peak_bandwidth() -> float:
    """Return the bytes per second of the device's memory: of both edges of its clock; 0 if the driver does not tell."""
    device = properties(current_index())
    return 2 * device.memory_clock_rate * 1e3 * device.memory_bus_width / 8


def to_device(target: int, source: int, nbytes: int) -> None:
    """Queue a copy of host memory on the current stream."""
    context(current_index())
    check("copy to the device", transfers.copy_to_device(target, source, nbytes, lib.facula_cuda_current_stream()))


def to_host(target: int, source: int, nbytes: int) -> None:
    """Queue a copy of device memory to the host on the current stream."""
    context(current_index())
    check("copy to the host", transfers.copy_to_host(target, source, nbytes, lib.facula_cuda_current_stream()))


def between(target: int, source: int, nbytes: int) -> None:
    """Queue a copy within the device on the current stream."""
    context(current_index())
    check("copy on the device", transfers.copy_on_device(target, source, nbytes, lib.facula_cuda_current_stream()))


class Kernel:
    """A kernel of SOURCE on the current device.

    Arguments:
        name: "scale", `to = from * scale + 1`, or "stray", which writes behind `to`.
    """

    def __init__(self, name: str):
        self.function = functions(SOURCE, (name,), current_index())[0]

    def queue(self, target: int, source: int, size: int, scale: float = 1.0, blocks: int = 0) -> None:
        """Queue the kernel on the current stream, with a thread for each element unless `blocks` is given."""
        launch = self.launch(target, source, size, scale, blocks)
        check("launch", launch(lib.facula_cuda_current_stream()))

    def launch(self, target: int, source: int, size: int, scale: float = 1.0, blocks: int = 0) -> Launch:
        """Return a launch of the kernel, which can be repeated."""
        words = [size, target, source, *struct.unpack("q", struct.pack("d", scale))]
        return Launch(self.function, blocks or (size + THREADS - 1) // THREADS, THREADS, words)
