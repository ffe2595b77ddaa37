"""Utilization, temperature, power and clock rate of a device, as measured by NVIDIA's management library.

The library comes with the driver, and is opened at the first query. Devices are found in it by their UUID, because its
numbers do not follow `CUDA_VISIBLE_DEVICES`.
"""

from __future__ import annotations

import ctypes
from threading import Lock
from typing import Any

from facula_errors import OperationError
from facula_errors.extend import boundary

from .._driver import ffi, lib
from .devices import AnyDevice, index_of
from .driver import check, open_driver

LIBRARY = "libnvidia-ml.so.1"

_CORE_TEMPERATURE, _MULTIPROCESSOR_CLOCK = 0, 1
_opening = Lock()
_opened: dict[str, Any] = {}


class _Utilization(ctypes.Structure):
    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


def _library(operation: str) -> Any:
    """Return the library, initialized; OperationError if there is none."""
    with _opening:
        if LIBRARY not in _opened:
            try:
                found = ctypes.CDLL(LIBRARY)
            except OSError as error:
                raise OperationError(
                    f"{operation}: expected NVIDIA's management library, {LIBRARY}; got none ({error}). It is "
                    "installed with NVIDIA's driver"
                ) from None
            found.nvmlErrorString.restype = ctypes.c_char_p
            _check(found, operation, found.nvmlInit_v2())
            _opened[LIBRARY] = found
        return _opened[LIBRARY]


def _check(library: Any, operation: str, code: int) -> None:
    if code:
        text = (library.nvmlErrorString(code) or b"unknown").decode(errors="replace")
        raise OperationError(f"{operation}: expected an answer of {LIBRARY}; got code {code} ({text})")


def _uuid_of(index: int) -> str:
    """Return the UUID of a device as the library has it: "GPU-..."."""
    device, uuid = ffi.new("int *"), ffi.new("struct uuid *")
    check("cuDeviceGet", lib.driver.cuDeviceGet(device, index))
    check("cuDeviceGetUuid", lib.driver.cuDeviceGetUuid_v2(uuid, device[0]))
    text = bytes(ffi.buffer(uuid)).hex()
    return "GPU-" + "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _ask(operation: str, device: AnyDevice, function: str, *arguments: object) -> None:
    """Call a function of the library with the handle of a device and further arguments."""
    open_driver()
    index = index_of(operation, device)
    library, handle = _library(operation), ctypes.c_void_p()
    code = library.nvmlDeviceGetHandleByUUID(_uuid_of(index).encode(), ctypes.byref(handle))
    _check(library, operation, code or getattr(library, function)(handle, *arguments))


def _shares(operation: str, device: AnyDevice) -> _Utilization:
    found = _Utilization()
    _ask(operation, device, "nvmlDeviceGetUtilizationRates", ctypes.byref(found))
    return found


@boundary
def utilization(device: AnyDevice = None) -> int:
    """Return the share of the last second or less in which a kernel ran, in percent.

    This function and the others of its kind raise OperationError without the library, which is part of the driver.
    """
    return int(_shares("utilization", device).gpu)


@boundary
def memory_usage(device: AnyDevice = None) -> int:
    """Return the share of the last second or less in which memory was read or written, in percent."""
    return int(_shares("memory_usage", device).memory)


@boundary
def temperature(device: AnyDevice = None) -> int:
    """Return the temperature of a device in degrees Celsius."""
    found = ctypes.c_uint()
    _ask("temperature", device, "nvmlDeviceGetTemperature", _CORE_TEMPERATURE, ctypes.byref(found))
    return found.value


@boundary
def power_draw(device: AnyDevice = None) -> int:
    """Return the power that a device draws, in milliwatts."""
    found = ctypes.c_uint()
    _ask("power_draw", device, "nvmlDeviceGetPowerUsage", ctypes.byref(found))
    return found.value


@boundary
def clock_rate(device: AnyDevice = None) -> int:
    """Return the clock rate of a device's multiprocessors, in MHz."""
    found = ctypes.c_uint()
    _ask("clock_rate", device, "nvmlDeviceGetClockInfo", _MULTIPROCESSOR_CLOCK, ctypes.byref(found))
    return found.value
