"""CUDA's driver: found at run time, opened once, and its codes as errors.

Note [Forks]: CUDA's state does not survive a fork. In a child of a process that has opened the driver, every entry of
the table returns DRIVER_FORKED, so that calls from C fail, too; `open_driver` and `check` then name the remedy. A
process that only imports this package may fork: its children open the driver themselves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import NoReturn

from facula_errors import OperationError
from facula_errors.extend import boundary

from .._driver import ffi, lib
from .._errors import CudaError

LIBRARY = "libcuda.so.1"
#: In place of a library: simulated devices.
SIMULATED = "simulated"
#: CUDA 13.0, the first version whose drivers accept the machine code of NVRTC 13.
MINIMUM_VERSION = 13000

_NOT_LOADED, _INCOMPLETE = 1, 2
_NO_DEVICE, _INITIALIZATION = 100, 3
#: Codes after which a process cannot use its devices any more, whatever it calls.
STICKY = frozenset({214, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719})
#: Codes of calls that a capture of a graph forbids.
_CAPTURES = range(900, 909)
_FORKED_TEXT = (
    "got a child that was forked after its parent had used CUDA, whose state a fork does not copy. Start processes "
    'with the method "spawn" or "forkserver"'
)


class _Opened:
    """The state of the driver: its version, 0 before it is opened, and whether it is simulated."""

    version = 0
    simulated = False
    forked = False
    session = 0  # how often the driver was closed: handles belong to one session


opened = _Opened()
_opening: list[Callable[[], None]] = []
_closing: list[Callable[[bool], None]] = []


def open_driver() -> None:
    """Fill the table of driver functions and initialize CUDA, once in each process.

    Raises:
        OperationError: the driver is missing, too old or broken, or this process was forked from one that used it.
    """
    if opened.version:
        return
    if opened.forked:
        _refuse_fork("cuda")
    library = os.environ.get("FACULA_CUDA_DRIVER", LIBRARY)
    if library.partition(":")[0] == SIMULATED:
        # Only then, and by name: the simulation imports this module.
        return import_module("facula_cuda.testing._simulation").simulate_by_name(library)
    _load(library)
    try:
        adopt_table()
    except BaseException:
        lib.facula_cuda_close(lib.DRIVER_NOT_INITIALIZED)
        raise


def _load(path: str) -> None:
    """Fill the table from a library."""
    found = lib.facula_cuda_open(path.encode())
    if not found:
        return
    cause = ffi.string(lib.facula_cuda_open_error()).decode(errors="replace")
    if found == _INCOMPLETE:
        raise OperationError(
            f"cuda: expected a driver of CUDA {format_version(MINIMUM_VERSION)} or newer; got {path} without {cause}. "
            "Update the driver"
        )
    raise OperationError(
        f"cuda: expected NVIDIA's driver, {path}; got none ({cause}). Install the driver, or simulate a device by "
        "facula_cuda.testing.simulate()"
    )


def adopt_table(simulated: bool = False) -> None:
    """Initialize the driver whose functions are in the table, and check its version."""
    code = lib.driver.cuInit(0)
    if code:
        raise CudaError(f"cuda: expected the driver to start; got {failure(code)}. {_remedy(code)}", code)
    number = ffi.new("int *")
    check("cuDriverGetVersion", lib.driver.cuDriverGetVersion(number))
    version = int(number[0])
    if version < MINIMUM_VERSION:
        raise OperationError(
            f"cuda: expected a driver of CUDA {format_version(MINIMUM_VERSION)} or newer; got one of CUDA "
            f"{format_version(version)}. Update the driver"
        )
    opened.version, opened.simulated = version, simulated
    for function in _opening:
        function()


def on_open(function: Callable[[], None]) -> Callable[[], None]:
    """Decorate a function that is called when the driver has been opened."""
    _opening.append(function)
    return function


def on_close(function: Callable[[bool], None]) -> Callable[[bool], None]:
    """Decorate a function that forgets handles. `close_driver` calls it with True, a forked child with False.

    With False, the driver must not be called any more.
    """
    _closing.append(function)
    return function


def close_driver() -> None:
    """Release all contexts and empty the table, so that `open_driver` starts again.

    Memory, streams and events of the driver end with their contexts, so no object may use them any more: those of
    `Stream` and `Event` notice it by `opened.session`.
    """
    for function in reversed(_closing):
        function(True)
    lib.facula_cuda_close(lib.DRIVER_NOT_INITIALIZED)
    opened.version, opened.simulated = 0, False
    opened.session += 1


def check_session(operation: str, session: int, kind: str, remedy: str) -> None:
    """Raise OperationError if the driver was closed since a handle was made.

    Arguments:
        operation: the name with which the message begins.
        session: `opened.session` when the handle was made.
        kind: the kind of the handle, with its article.
        remedy: a sentence on how to make another one.
    """
    if session != opened.session:
        open_driver()  # names a fork
        raise OperationError(
            f"{operation}: expected {kind} of the driver that is open; got one of a driver that was closed. {remedy}"
        )


def check(operation: str, code: int) -> None:
    """Raise CudaError unless a driver function succeeded.

    Arguments:
        operation: the function or the program's request, with which the message begins.
        code: the result of the function.
    """
    if code:
        _raise(operation, code)


def _raise(operation: str, code: int) -> NoReturn:
    if code == lib.DRIVER_FORKED:
        _refuse_fork(operation)
    raise CudaError(f"{operation}: expected CUDA's driver to succeed; got {failure(code)}. {_remedy(code)}", code)


def _refuse_fork(operation: str) -> NoReturn:
    raise OperationError(f"{operation}: expected a process that may use CUDA; {_FORKED_TEXT}")


def failure(code: int) -> str:
    """Return the driver's name and text for a code.

    >>> failure(600) if is_available() else "CUDA_ERROR_NOT_READY (600): device not ready"
    'CUDA_ERROR_NOT_READY (600): device not ready'
    """
    if code == lib.DRIVER_FORKED:
        return "a call in a forked process"
    if code == lib.DRIVER_NOT_REPLAYED:
        return "a kernel with random numbers of a CUDAGraph that has not been replayed yet"
    name, text = ffi.new("char const **"), ffi.new("char const **")
    if lib.driver.cuGetErrorName(code, name) or name[0] == ffi.NULL:
        return f"error {code} of CUDA's driver"
    result = f"{ffi.string(name[0]).decode()} ({code})"
    if lib.driver.cuGetErrorString(code, text) or text[0] == ffi.NULL:
        return result
    return f"{result}: {ffi.string(text[0]).decode()}"


def _remedy(code: int) -> str:
    """Return a sentence on what to do about a code."""
    if code in STICKY:
        return "No device of this process can be used any more: start the program again"
    if code == _NO_DEVICE:
        return "Install a GPU, or name one of those that are there in CUDA_VISIBLE_DEVICES"
    if code in _CAPTURES:
        return (
            "During a capture, call nothing that waits for the device, such as item(), a copy to the host, or an "
            "operator without a CUDA kernel"
        )
    if code == lib.DRIVER_NOT_REPLAYED:
        return "During a capture, draw in its block alone; replay the graph of a forward pass before the backward pass"
    if code == lib.DRIVER_OUT_OF_MEMORY:
        return "Release memory, or close other programs that use the device"
    return "Look the name up in the documentation of CUDA's driver API"


@boundary
def is_available() -> bool:
    """Return whether CUDA's driver can be opened and has a device. Opens the driver; never raises.

    >>> is_available() in (True, False)
    True
    """
    try:
        open_driver()
    except OperationError:
        return False
    count = ffi.new("int *")
    return lib.driver.cuDeviceGetCount(count) == lib.DRIVER_SUCCESS and count[0] > 0


@boundary
def driver_version() -> int:
    """Return the newest version of CUDA that the driver supports: 13000 for 13.0.

    Raises:
        OperationError: there is no driver, it is too old, or this process was forked from one that used it.
    """
    open_driver()
    return opened.version


def format_version(version: int) -> str:
    """Format the driver's number of a version.

    >>> format_version(13000), format_version(12080)
    ('13.0', '12.8')
    """
    return f"{version // 1000}.{version % 1000 // 10}"


@contextmanager
def relaxed_captures() -> Iterator[None]:
    """Return a context manager: a block in which the thread may allocate memory and load kernels during captures.

    Captures in other modes than "relaxed" otherwise refuse such calls, and become invalid.
    """
    mode = ffi.new("int *", _RELAXED)
    check("cuThreadExchangeStreamCaptureMode", lib.driver.cuThreadExchangeStreamCaptureMode(mode))
    try:
        yield
    finally:
        lib.driver.cuThreadExchangeStreamCaptureMode(mode)


_RELAXED = 2


def _after_fork() -> None:
    if opened.version or opened.forked:
        lib.facula_cuda_close(lib.DRIVER_FORKED)
        for function in reversed(_closing):
            function(False)
        opened.version, opened.simulated, opened.forked = 0, False, True
        opened.session += 1


os.register_at_fork(after_in_child=_after_fork)
