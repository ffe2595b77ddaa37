"""Starting and controlling the simulated driver."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError, OperationError
from facula_errors.extend import boundary
from facula_storage.extend.devices import register_backend

from .._backend.backend import create_backend
from .._driver import ffi, lib
from .._port.devices import index_of
from .._port.driver import adopt_table, close_driver, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from facula_allocator import MemoryEvent

    from .._port.devices import AnyDevice

ORDERS = ("shuffled", "in_order")
MAX_DEVICES = 8
MIN_MEMORY, MAX_MEMORY = 2 << 20, 128 << 30


@boundary
def simulate(devices: int = 1, order: str = "shuffled", seed: int = 0, memory: int = 4 << 30) -> None:
    """Use simulated devices instead of CUDA's driver, for the rest of the process.

    Call it before anything else uses CUDA. Further calls may change the order and the seed. Child processes that start
    by "spawn" or "forkserver" call it themselves. The environment variable FACULA_CUDA_DRIVER=simulated:2 simulates two
    devices in programs that do not call this function, and in their child processes. CUDA_VISIBLE_DEVICES selects
    devices, as it does for CUDA's driver.

    The simulated devices behave as follows:

    * Device memory cannot be accessed from the host: a program that does ends with a segmentation fault.
    * Kernels and copies run when the host waits: in a synchronization, or when 1024 of them are queued in a stream. A
      copy from pinned memory reads its source then, one from pageable memory reads it at once.
    * Memory of devices and pinned memory contain bytes of 0xff (NaN, -1) until they are written.
    * A kernel whose parameters contain an address that is not allocated, or that accesses one, fails with
      CUDA_ERROR_ILLEGAL_ADDRESS. All later calls for this device then return this code.
    * A kernel can use the addresses in its parameters. It cannot use addresses that it loads from memory.

    Arguments:
        devices: the number of devices, at most 8.
        order: "shuffled" to run ready work of different streams in random order, or "in_order" to run it in the order
            of queueing.
        seed: the seed of the random order.
        memory: bytes of memory of each device, from 2 MiB to 128 GiB. The host provides them as programs write to them.

    Raises:
        InvalidValueError: an argument is out of range, or `devices` or `memory` differ from those of an earlier call.
        OperationError: the process has used CUDA's driver, the address space has no room for the devices, or
            CUDA_VISIBLE_DEVICES selects none of them.

    >>> import facula_cuda
    >>> from facula_cuda.testing import driver_calls, simulate
    >>> simulate(seed=1)
    >>> facula_cuda.is_available()
    True
    >>> driver_calls()["cuInit"] > 0
    True
    """
    if not 1 <= devices <= MAX_DEVICES:
        raise InvalidValueError(f"simulate: expected devices to be from 1 to {MAX_DEVICES}; got {devices!r}")
    if order not in ORDERS:
        raise InvalidValueError(f'simulate: expected order to be "shuffled" or "in_order"; got {order!r}')
    if not MIN_MEMORY <= memory <= MAX_MEMORY:
        expected = f"memory to be from {MIN_MEMORY} to {MAX_MEMORY} bytes"
        raise InvalidValueError(f"simulate: expected {expected}; got {memory!r}")
    if opened.forked or (opened.version and not opened.simulated):
        raise OperationError(
            "simulate: expected a process that has not used CUDA; got one that has. Call simulate() first, or in a "
            "process started by spawn"
        )
    code = lib.facula_cuda_use_simulated(devices, memory, order == "shuffled", seed & 0xFFFFFFFFFFFFFFFF)
    if code == 1:
        raise OperationError(
            "simulate: expected free addresses from 0x7c0000000000; got addresses in use, a limit of the address space "
            "(ulimit -v), or a system without memfd. Call simulate() at the start of the program"
        )
    if code:
        raise InvalidValueError(
            f"simulate: expected the devices and the memory of the earlier call; got devices={devices!r}, "
            f"memory={memory!r}. Start another process for other devices"
        )
    if not opened.version:
        try:
            adopt_table(simulated=True)
        except BaseException:
            lib.facula_cuda_end_simulated()
            raise
    from . import build  # noqa: F401  # compiles kernels for the CPU

    register_backend("cuda", create_backend)  # where the package is used without being installed


def simulate_by_name(name: str) -> None:
    """Simulate the devices of FACULA_CUDA_DRIVER: "simulated", or "simulated:4" for four of them."""
    _, _, devices = name.partition(":")
    if devices and not devices.isdecimal():
        raise InvalidValueError(
            'cuda: expected FACULA_CUDA_DRIVER to be a library, "simulated", or "simulated:4" for four devices; '
            f"got {name!r}"
        )
    simulate(int(devices or 1))


def end_simulation() -> None:
    """End a simulation, for tests: its memory, streams and events are gone, and nothing may use them afterwards."""
    close_driver()
    lib.facula_cuda_end_simulated()


def _check(operation: str) -> None:
    if not lib.facula_cuda_is_simulated():
        raise OperationError(f"{operation}: expected simulated devices; got none. Call facula_cuda.testing.simulate()")


@boundary
def pending() -> int:
    """Return the number of kernels and copies that are queued on simulated devices and have not run.

    A launched graph counts with all of its kernels and copies. Records of events and waits for them do not count.

    Raises:
        OperationError: no devices are simulated.

    >>> from facula_cuda.testing import pending, simulate
    >>> simulate()
    >>> pending()
    0
    """
    _check("pending")
    return int(lib.facula_cuda_simulated_pending())


@boundary
def driver_calls() -> Counter[str]:
    """Return how often each function of the simulated driver was called in this process.

    The difference of two results contains the calls between them.

    Raises:
        OperationError: no devices are simulated.

    >>> from facula_cuda.testing import driver_calls, pending, simulate
    >>> simulate()
    >>> before = driver_calls()
    >>> pending()
    0
    >>> driver_calls() - before
    Counter()
    """
    _check("driver_calls")
    counts: Counter[str] = Counter()
    index = 0
    while (name := lib.facula_cuda_simulated_name(index)) != ffi.NULL:
        if calls := lib.facula_cuda_simulated_calls(index):
            counts[ffi.string(name).decode()] = int(calls)
        index += 1
    return counts


@contextmanager
def counting() -> Iterator[Counter[str]]:
    """Count launches of kernels and graphs in a block, without running them: to measure the host's work alone.

    The results of the kernels are then undefined. The block's value is a Counter of driver calls, which is empty until
    the block ends.

    Raises:
        OperationError: no devices are simulated.

    >>> from facula_cuda.testing import counting, simulate
    >>> simulate()
    >>> with counting() as calls:
    ...     pass  # operators on tensors
    >>> calls["cuLaunchKernel"]
    0
    """
    _check("counting")
    before = driver_calls()
    calls: Counter[str] = Counter()
    lib.facula_cuda_simulated_count_only(1)
    try:
        yield calls
    finally:
        lib.facula_cuda_simulated_count_only(0)
        calls.update(driver_calls() - before)


@contextmanager
def poisoning(device: AnyDevice = None) -> Iterator[None]:
    """Overwrite memory of a device with 0xff (NaN, -1) in a block when tensors release it.

    A kernel that uses the memory of a released tensor then gives wrong results. The bytes are written by the stream of
    the released memory, after its other work. `pending` and `driver_calls` do not count this, and the allocator's fast
    path is not used meanwhile. Memory that is released during a stream capture is not overwritten.

    Arguments:
        device: a device, its index or its name; the current one by default.

    Raises:
        OperationError: no devices are simulated.

    >>> from facula_cuda.testing import poisoning, simulate
    >>> simulate()
    >>> with poisoning():
    ...     pass  # operators on tensors
    """
    from .._port.device_memory import device_allocator

    _check("poisoning")
    index = index_of("poisoning", device)
    allocator = device_allocator(index)

    def poison(event: MemoryEvent) -> None:
        if event.action == "free_completed":
            lib.facula_cuda_simulated_poison(index, event.address, event.capacity, event.stream)

    allocator.add_listener(poison)
    try:
        yield
    finally:
        allocator.remove_listener(poison)


@contextmanager
def failing(function: str, code: int, times: int = 1) -> Iterator[None]:
    """Let calls of a driver function fail in a block, without effect.

    Arguments:
        function: the function's name, as in "cuMemAlloc_v2".
        code: the number of the error, as in cuda.h.
        times: how many calls fail.

    Raises:
        InvalidValueError: there is no such function.
        OperationError: no devices are simulated.

    >>> from facula_cuda.testing import failing, simulate
    >>> simulate()
    >>> with failing("cuMemAlloc_v2", 2):
    ...     pass  # the first allocation by the driver runs out of memory
    """
    _check("failing")
    if lib.facula_cuda_simulated_fail(function.encode(), code, times):
        raise InvalidValueError(f"failing: expected function to be one of CUDA's driver in use; got {function!r}")
    try:
        yield
    finally:
        lib.facula_cuda_simulated_fail(function.encode(), 0, 0)


@boundary
def kernel_failure() -> str:
    """Return a description of what a kernel did wrong, or "" if none failed.

    It describes the last kernel that ended with CUDA_ERROR_MISALIGNED_ADDRESS or CUDA_ERROR_LAUNCH_FAILED: a misaligned
    access, or a barrier that some threads did not reach.

    Raises:
        OperationError: no devices are simulated.

    >>> from facula_cuda.testing import kernel_failure, simulate
    >>> simulate()
    >>> kernel_failure()
    ''
    """
    _check("kernel_failure")
    text = ffi.new("char[]", 1024)
    lib.facula_cuda_simulated_failure(text, len(text))
    return ffi.string(text).decode(errors="replace")
