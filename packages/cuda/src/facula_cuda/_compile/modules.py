"""Kernels as functions of a device: compiled and loaded when they are first needed."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from facula_errors import OperationError

from .._driver import ffi, lib
from .._errors import CudaError
from .._port.devices import context, properties
from .._port.driver import check, on_close, opened, relaxed_captures
from . import cache, nvrtc
from .architectures import architecture_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: Return the image of a module for the simulated device; `testing` sets it.
simulated_image: Callable[[str, Mapping[str, str]], bytes] | None = None
#: The driver's codes for machine code that it cannot load: of another architecture, or damaged.
_REJECTED = (200, 209, 218, 300)

_lock = Lock()
_locks: dict[tuple[int, str, str], Lock] = {}  # one for each text and device: different texts compile at the same time
_loaded: dict[tuple[int, str, str], int] = {}
_found: dict[tuple[int, str, str, str], int] = {}


def functions(
    source: str, names: Sequence[str], device_index: int, headers: Mapping[str, str] | None = None
) -> tuple[int, ...]:
    """Return the handles of kernels on a device. May be called from any thread.

    The text is compiled once on each machine and loaded once in each process and device.

    Arguments:
        source: CUDA C++ that defines the kernels as `extern "C"`.
        names: the kernels.
        device_index: the device, whose context becomes the thread's current one.
        headers: the text of each header by the name that `#include` gives.

    Raises:
        NvrtcError: the text does not compile.
        MissingPackageError: NVRTC is missing; for a simulated device OperationError: g++ is.
        CudaError: the driver rejects the machine code, or has no kernel of a name.
    """
    headers = headers if headers is not None else {}
    key = device_index, source, cache.digest_of(headers)
    try:
        return tuple([_found[(*key, name)] for name in names])
    except KeyError:
        pass
    with _lock:
        lock = _locks.setdefault(key, Lock())
    with lock:
        context(device_index)
        module = _loaded.get(key)
        with relaxed_captures():  # the first launch of a kernel may be captured
            if module is None:
                module = _loaded[key] = _load(source, headers, device_index)
            for name in names:
                handle = ffi.new("int64_t *")
                check(f"load of kernel {name}", lib.driver.cuModuleGetFunction(handle, module, name.encode()))
                _found[(*key, name)] = handle[0]
    return tuple([_found[(*key, name)] for name in names])


def kernel_name(function: int) -> str:
    """Return the name of a loaded kernel by its handle."""
    return next((key[3] for key, handle in list(_found.items()) if handle == function), "a kernel of another package")


@on_close
def _forget(alive: bool) -> None:
    """Forget all modules, which end with their contexts, and the state of each stream in C."""
    del alive
    with _lock:
        for table in (_locks, _loaded, _found):
            table.clear()
    lib.facula_cuda_forget_queues()


def _load(source: str, headers: Mapping[str, str], device_index: int) -> int:
    """Return a module's handle."""
    if opened.simulated:
        if simulated_image is None:
            raise OperationError(
                "facula_cuda: expected facula_cuda.testing, which compiles kernels for simulated devices; got none. "
                "Import facula_cuda.testing.build"
            )
        return _load_image(simulated_image(source, headers))
    found = properties(device_index)
    architecture = architecture_for((found.major, found.minor), nvrtc.supported_architectures())
    cubin, stored = _cubin(source, headers, architecture)
    try:
        return _load_image(cubin)
    except CudaError as error:
        if not stored or error.code not in _REJECTED:
            raise
    # The file was whole, but is none that this driver accepts.
    return _load_image(_cubin(source, headers, architecture, again=True)[0])


def _cubin(source: str, headers: Mapping[str, str], architecture: str, again: bool = False) -> tuple[bytes, bool]:
    """Return machine code, and whether it comes from the cache."""
    version = "{}.{}".format(*nvrtc.version())
    key = cache.key_of("nvrtc", version, architecture, *nvrtc.OPTIONS, cache.digest_for(source, headers), source)
    found = None if again else cache.load(key, ".cubin")
    if found is not None:
        return found, True
    compiled = nvrtc.compile_cubin(source, headers, architecture).cubin
    cache.store(key, ".cubin", compiled)
    return compiled, False


def _load_image(image: bytes) -> int:
    module = ffi.new("int64_t *")
    check("load of kernels", lib.driver.cuModuleLoadData(module, ffi.from_buffer(image)))
    return int(module[0])
