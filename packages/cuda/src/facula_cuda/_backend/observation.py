"""Times of the devices' work and of waits for it, for profilers. See Note [Observed work] in csrc/observe.c."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._compile.modules import kernel_name
from .._driver import ffi, lib
from .._port.devices import context, count_devices, is_used, properties
from .._port.driver import check, on_close, on_open, opened

# Records of work. `kind` is 7 for a kernel, 11 for a copy or a fill, 14 for a wait of the host.
WORK = np.dtype([(name, "i8") for name in ("start", "end", "queued", "thread", "stream", "function", "nbytes", "device",
                                           "kind")])  # fmt: skip
_BATCH = 4096


class ObservedWork(NamedTuple):
    """The work of a time.

    Arguments:
        work: an array of dtype `WORK`, in the order of completion. Times are those of CLOCK_MONOTONIC in ns: `start`
            and `end` on the device, `queued` on the host, by the thread with the system's number `thread`. A product
            by cublasLt has the function -1, a graph 0.
        names: the names of kernels by function.
        devices: the names of devices by index; those of simulated devices say so.
        lost: how many records were not made or are overwritten.
    """

    work: np.ndarray[Any, Any]
    names: dict[int, str]
    devices: dict[int, str]
    lost: int


class _State:
    is_wanted = False


def observe_devices() -> None:
    """Record the devices' work from here on; before the driver is open, from its opening on.

    Each launch then records two events, which costs several microseconds. Times of kernels on a device have a
    resolution of about 0.5 µs and include the device's overhead between events. Of the work that libraries queue, only
    products by cublasLt are recorded.
    """
    _State.is_wanted = True
    _begin()


@on_open
def _begin() -> None:
    if _State.is_wanted and opened.version:
        lib.facula_cuda_observe(1)


def end_observation() -> ObservedWork:
    """End the recording and return the work as `take_work` does."""
    try:
        return take_work()
    finally:
        _State.is_wanted = False
        lib.facula_cuda_observe(0)


def take_work() -> ObservedWork:
    """Wait for the devices, and return the work since `observe_devices` or the last call.

    Raises:
        CudaError: a device failed.
    """
    devices = [index for index in range(count_devices()) if is_used(index)] if opened.version else []
    for index in devices:
        context(index)
        check("profiler", lib.facula_cuda_finish_observed(index))
    parts = [np.zeros(0, WORK)]
    buffer = ffi.new("struct facula_cuda_work[]", _BATCH)
    while taken := lib.facula_cuda_take_observed(buffer, _BATCH):
        parts.append(np.frombuffer(ffi.buffer(buffer), WORK)[:taken].copy())
    work = np.concatenate(parts)
    names = {int(function): kernel_name(int(function)) for function in np.unique(work["function"]) if function > 0}
    names |= {0: "graph", -1: "cublasLtMatmul"}
    label = " (simulated)" if opened.simulated else ""
    return ObservedWork(
        work, names, {index: f"cuda:{index} {properties(index).name}{label}" for index in devices},
        int(lib.facula_cuda_lost_work()),
    )  # fmt: skip


@on_close
def _forget(alive: bool) -> None:
    del alive
    lib.facula_cuda_forget_observed()
