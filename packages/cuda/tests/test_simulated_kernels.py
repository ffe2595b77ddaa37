"""Modules and launches of simulated devices, and errors that end a context."""

import pytest
from simulated_calls import (
    allocate,
    call,
    code_of,
    functions,
    get,
    launch,
    load,
    numbers,
    pinned,
    queue_read,
    read,
    stream,
    use_device,
    words,
    write,
)

from facula_cuda._driver import ffi
from facula_cuda.testing import kernel_failure, pending

INVALID_VALUE, INVALID_HANDLE, ILLEGAL_ADDRESS, MISALIGNED, NOT_SUPPORTED = 1, 400, 700, 716, 801


def test_kernels_run_when_the_host_waits(simulated, library):
    simulated()
    (add_one,) = functions(load(library), "add_one")
    address, (buffer, host) = allocate(64), pinned(8)
    write(address, words(0))
    assert launch(add_one, words(2, address + 32, address)) == 0
    queue_read(address + 32, host, 8)
    assert pending() == 3 and bytes(buffer) == b"\xff" * 8
    call("cuStreamSynchronize", 0)
    assert bytes(buffer) == b"\0\0\x80\x3f" * 2 and pending() == 0


def test_an_image_in_memory(simulated, library):
    simulated()
    image = library.read_bytes()
    modules = [get("int64_t", "cuModuleLoadData", ffi.from_buffer(image)) for _ in range(2)]
    address = allocate(8)
    for module in modules:
        (set_,) = functions(module, "set")
        assert launch(set_, words(address, 5), grid=(3, 1, 1), threads=(4, 1, 1)) == 0
        assert numbers(read(address, 8)) == [60]
        call("cuModuleUnload", module)
        assert launch(set_, words(address, 5)) == INVALID_HANDLE
    assert code_of("cuModuleUnload", modules[0]) == INVALID_HANDLE


def test_unloading_a_module_waits_for_its_kernels(simulated, library):
    simulated()
    module = load(library)
    (set_,) = functions(module, "set")
    address = allocate(8)
    assert launch(set_, words(address, 5), stream()) == 0
    call("cuModuleUnload", module)
    assert pending() == 0 and numbers(read(address, 8)) == [5]


def test_what_is_no_module_or_function(simulated, library):
    simulated()
    result = ffi.new("int64_t *")
    for image in (b"\x7fELF" + bytes(100), b"text", b"facula-library:/nonexistent.so\0"):
        assert code_of("cuModuleLoadData", result, image) == 200
    assert code_of("cuModuleGetFunction", result, load(library), b"absent") == 500
    assert code_of("cuModuleGetFunction", result, 16, b"absent") == INVALID_HANDLE
    assert launch(12345, b"") == INVALID_HANDLE


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"grid": ((1 << 31) - 1, 1, 1), "threads": (1024, 1, 1), "shared": 48 << 10}, 0),
        ({"grid": (0, 1, 1)}, INVALID_VALUE),
        ({"grid": (1 << 31, 1, 1)}, INVALID_VALUE),
        ({"grid": (1, 1 << 16, 1)}, INVALID_VALUE),
        ({"threads": (1025, 1, 1)}, INVALID_VALUE),
        ({"threads": (64, 32, 1)}, INVALID_VALUE),
        ({"threads": (1, 0, 1)}, INVALID_VALUE),
        ({"shared": (48 << 10) + 1}, INVALID_VALUE),
        ({"grid": (2, 2, 1)}, NOT_SUPPORTED),
        ({"block": bytes(4096)}, 0),
        ({"block": bytes(4104)}, INVALID_VALUE),
        ({"stream": 1234}, INVALID_HANDLE),
    ],
)
def test_limits_of_launches(simulated, library, options, code):
    simulated()
    (nothing,) = functions(load(library), "nothing")
    assert launch(nothing, **{"block": b"", **options}) == code
    assert pending() == (code == 0)


def test_functions_belong_to_a_device(simulated, library):
    simulated(devices=2)
    (set_,) = functions(load(library), "set")
    use_device(1)
    assert launch(set_, words(allocate(8), 5)) == INVALID_HANDLE
    assert get("int", "cuFuncGetAttribute", 0, set_) == 1024


def illegal(address, other):
    """Name addresses that a kernel of the first device may not use."""
    call("cuMemFree_v2", other)
    return {"freed": other, "beyond": address + (1 << 20), "past the end": address + 4096 + 8}


@pytest.mark.parametrize("kind", ["freed", "beyond", "past the end"])
def test_illegal_addresses_end_the_context(simulated, library, kind):
    simulated()
    (set_,) = functions(load(library), "set")
    address = allocate(4096)
    assert launch(set_, words(illegal(address, allocate(4096))[kind], 5)) == 0, "found when the kernel runs"
    call("cuMemsetD8Async", address, 0, 8, stream())
    assert code_of("cuCtxSynchronize") == ILLEGAL_ADDRESS
    assert code_of("cuMemAlloc_v2", ffi.new("uint64_t *"), 8) == ILLEGAL_ADDRESS
    assert launch(set_, words(address, 5)) == ILLEGAL_ADDRESS
    assert code_of("cuEventCreate", ffi.new("int64_t *"), 0) == ILLEGAL_ADDRESS
    assert pending() == 0


def test_kernels_that_leave_their_memory(simulated, library):
    simulated()
    (add_one,) = functions(load(library), "add_one")
    address = allocate(4096)
    assert launch(add_one, words(1025, address, address)) == 0
    assert code_of("cuStreamSynchronize", 0) == ILLEGAL_ADDRESS


def test_the_end_of_memory_may_be_an_argument(simulated, library):
    simulated()
    (add_one,) = functions(load(library), "add_one")
    address = allocate(4096)
    assert launch(add_one, words(0, address + 4096, address)) == 0
    call("cuCtxSynchronize")


@pytest.mark.parametrize(
    ("name", "code", "text"), [("misaligned", 716, "misaligned access"), ("diverging", 719, "a barrier")]
)
def test_kernels_report_errors(simulated, library, name, code, text):
    simulated()
    kernel, set_ = functions(load(library), name, "set")
    (buffer, host) = pinned(8)
    assert launch(kernel, b"") == 0
    assert launch(set_, words(host, 5)) == 0
    assert code_of("cuCtxSynchronize") == code and kernel_failure() == text
    assert bytes(buffer) == b"\xff" * 8, "the rest of the work is lost"


def test_errors_of_one_device_leave_the_others(simulated, library):
    simulated(devices=2)
    (misaligned,) = functions(load(library), "misaligned")
    assert launch(misaligned, b"") == 0
    assert code_of("cuCtxSynchronize") == MISALIGNED
    use_device(1)
    write(allocate(8), words(1))
    call("cuCtxSynchronize")


def test_memory_of_another_device(simulated, library):
    simulated(devices=2)
    address = allocate(8)
    first = get("int64_t", "cuCtxGetCurrent")
    second = use_device(1)
    (set_,) = functions(load(library), "set")
    assert get("int", "cuDeviceCanAccessPeer", 1, 0) == 1 and get("int", "cuDeviceCanAccessPeer", 1, 1) == 0
    call("cuCtxEnablePeerAccess", first, 0)
    assert code_of("cuCtxEnablePeerAccess", first, 0) == 704
    assert code_of("cuCtxEnablePeerAccess", second, 0) == 217
    assert launch(set_, words(address, 5)) == 0
    assert numbers(read(address, 8)) == [5]
    own = allocate(8)
    call("cuMemcpyPeerAsync", own, second, address, first, 8, 0)
    assert numbers(read(own, 8)) == [5]
    call("cuCtxSetCurrent", first)
    (set_,) = functions(load(library), "set")
    assert launch(set_, words(own, 6)) == 0
    assert code_of("cuCtxSynchronize") == ILLEGAL_ADDRESS, "only the second device has access to the other"


def test_launch_blocking(simulated, library, monkeypatch):
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    simulated()
    (misaligned,) = functions(load(library), "misaligned")
    assert launch(misaligned, b"") == MISALIGNED
