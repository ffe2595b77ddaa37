"""Opening the driver, its codes as errors, and what a forked child is told."""

import ctypes
import pickle
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from forked import in_child

import facula_cuda
from facula_cuda._driver import ffi, lib
from facula_cuda._port.driver import check, failure, open_driver
from facula_errors.testing import raises

TABLE = ffi.typeof("struct driver").fields


def nothing(ctype):
    """Return an argument of a type: zero, NULL, or an empty struct."""
    return ffi.new(f"{ctype.cname} *")[0] if ctype.kind == "struct" else ffi.cast(ctype, 0)


def calls_in(library):
    """Return the counter of a fake driver."""
    return ctypes.c_int.in_dll(ctypes.CDLL(str(library)), "calls")


@pytest.mark.parametrize("name", [name for name, _ in TABLE])
def test_a_closed_table_can_be_called(name):
    function = getattr(lib.driver, name)
    arguments = [nothing(ctype) for ctype in ffi.typeof(function).args]
    assert function(*arguments) == lib.DRIVER_NOT_INITIALIZED


def test_structs_have_the_layouts_of_cuda():
    """Check sizes and offsets that cuda.h's definitions have on 64-bit Linux."""
    sizes = {"uuid": 16, "ipc_handle": 64, "memory_location": 8, "memory_properties": 32, "memory_access": 12}
    assert {name: ffi.sizeof(f"struct {name}") for name in sizes} == sizes
    properties = ("type", "handle_types", "location", "win32", "compression", "direct_rdma", "usage")
    assert [ffi.offsetof("struct memory_properties", name) for name in properties] == [0, 4, 8, 16, 24, 25, 26]
    assert ffi.offsetof("struct memory_access", "flags") == 8


def test_without_a_driver(monkeypatch, tmp_path):
    path = str(tmp_path / "libcuda.so.1")
    monkeypatch.setenv("FACULA_CUDA_DRIVER", path)
    with raises(RuntimeError, "cuda", "NVIDIA's driver", "Install the driver", "simulate", value="none"):
        facula_cuda.driver_version()
    assert not facula_cuda.is_available()


def test_a_driver_without_some_functions(fake):
    fake(without=("cuInit", "cuGraphLaunch"))
    with raises(RuntimeError, "cuda", "CUDA 13.0 or newer", "without cuInit, cuGraphLaunch", "Update the driver"):
        open_driver()
    assert lib.driver.cuDeviceGetCount(ffi.new("int *")) == lib.DRIVER_NOT_INITIALIZED


def test_an_old_driver(fake):
    fake(cuDriverGetVersion="int *version) { *version = 12080; return 0; }")
    with raises(RuntimeError, "cuda", "CUDA 13.0 or newer", "Update the driver", value="one of CUDA 12.8"):
        open_driver()
    assert lib.driver.cuInit(0) == lib.DRIVER_NOT_INITIALIZED


def test_a_driver_without_a_device(fake):
    fake(cuInit="unsigned flags) { return 100; }")
    with raises(facula_cuda.CudaError, "cuda", "the driver to start", "CUDA_VISIBLE_DEVICES") as caught:
        open_driver()
    assert caught.value.code == 100
    assert not facula_cuda.is_available()


def test_no_visible_device_is_not_available(fake):
    fake(cuDeviceGetCount="int *count) { *count = 0; return 0; }")
    open_driver()
    assert not facula_cuda.is_available()


def test_the_driver_is_opened_once(fake):
    library = fake(cuInit="unsigned flags) { calls++; return 0; }")
    assert facula_cuda.driver_version() == 13000
    assert facula_cuda.driver_version() == 13000
    assert facula_cuda.is_available()
    assert calls_in(library).value == 1


def test_codes_become_errors(fake):
    fake()
    open_driver()
    check("copy", 0)
    text = "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access"
    assert failure(700) == text
    with raises(RuntimeError, "copy", "start the program again", value=text) as caught:
        check("copy", 700)
    assert isinstance(caught.value, facula_cuda.CudaError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, str(again)) == (700, str(caught.value))


REMEDIES = {1: "Look the name up", 2: "Release memory", 100: "CUDA_VISIBLE_DEVICES", 900: "During a capture"}


@pytest.mark.parametrize(("code", "remedy"), REMEDIES.items())
def test_codes_without_a_name(fake, code, remedy):
    fake()
    open_driver()
    with raises(facula_cuda.CudaError, "cuMemAlloc", remedy, value=f"error {code} of CUDA's driver"):
        check("cuMemAlloc", code)


@pytest.mark.parametrize("use", [open_driver, lambda: check("launch", lib.driver.cuCtxSynchronize())])
def test_a_child_of_a_process_that_used_cuda_is_refused(fake, use):
    fake()
    open_driver()
    said = in_child(use)
    assert said.startswith("facula_errors.OperationError: ")
    assert "forked after its parent had used CUDA" in said and '"spawn"' in said
    check("parent", lib.driver.cuCtxSynchronize())


def test_a_grandchild_is_refused(fake):
    fake()
    open_driver()
    assert '"spawn"' in in_child(lambda: in_child(open_driver))


def test_a_child_of_a_process_that_did_not_use_cuda_opens_the_driver(fake):
    fake()
    assert in_child(facula_cuda.driver_version) == "13000"


def test_a_child_describes_calls_from_c(fake):
    fake()
    open_driver()
    assert in_child(lambda: failure(lib.driver.cuInit(0))) == "a call in a forked process"


def test_threads_have_their_own_selection():
    def selection():
        return lib.facula_cuda_current_index(), lib.facula_cuda_current_stream()

    call = ffi.cast("int64_t (*)(void)", lib.facula_cuda_stream_function(1))
    try:
        lib.facula_cuda_set_stream(7)
        lib.facula_cuda_set_index(1)
        lib.facula_cuda_set_stream(9)
        assert selection() == (1, 9)
        assert (lib.facula_cuda_stream_of(0), call()) == (7, 9)
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(selection).result() == (0, 0)
            assert pool.submit(call).result() == 0
        lib.facula_cuda_set_index(0)
        assert selection() == (0, 7)
    finally:
        lib.facula_cuda_set_stream_of(0, 0)
        lib.facula_cuda_set_stream_of(1, 0)
        lib.facula_cuda_set_index(0)


def test_each_device_has_a_function_for_its_stream():
    functions = [lib.facula_cuda_stream_function(index) for index in range(lib.MAX_DEVICES)]
    assert len(set(functions)) == lib.MAX_DEVICES
    try:
        for index, function in enumerate(functions):
            lib.facula_cuda_set_stream_of(index, index + 100)
            assert ffi.cast("int64_t (*)(void)", function)() == index + 100
    finally:
        for index in range(lib.MAX_DEVICES):
            lib.facula_cuda_set_stream_of(index, 0)


def test_a_context_is_made_current_once_in_a_thread(fake):
    library = fake(cuCtxSetCurrent="int64_t context) { calls++; return context == 5 ? 0 : 201; }")
    open_driver()
    calls = calls_in(library)
    assert lib.facula_cuda_bind(3) == lib.DRIVER_NOT_INITIALIZED
    try:
        lib.facula_cuda_set_context(3, 5)
        assert [lib.facula_cuda_bind(3) for _ in range(3)] == [0, 0, 0]
        assert calls.value == 1
        lib.facula_cuda_set_context(4, 6)
        assert lib.facula_cuda_bind(4) == 201
        assert lib.facula_cuda_bind(4) == 201
        assert calls.value == 3
        lib.facula_cuda_set_context(3, 5)  # another context that has the handle of an earlier one
        assert lib.facula_cuda_bind(3) == 0
        assert calls.value == 4
    finally:
        lib.facula_cuda_set_context(3, 0)
        lib.facula_cuda_set_context(4, 0)
    assert lib.facula_cuda_bind(3) == lib.DRIVER_NOT_INITIALIZED


def test_importing_loads_no_allocator_and_no_driver():
    program = "import sys, facula_cuda; print(sum('facula_allocator' in name for name in sys.modules))"
    program += "\nfrom facula_cuda._driver import ffi, lib; print(lib.driver.cuInit(0) == lib.DRIVER_NOT_INITIALIZED)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "0\nTrue\n"


def test_only_the_port_calls_the_driver():
    """Check that a port to another driver replaces `_port` and `_compile`, and has other libraries.

    The simulated driver is CUDA's.
    """
    folder = Path(facula_cuda.__file__).parent
    found = {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.suffix in (".py", ".h", ".cuh", ".inc")
        and path.relative_to(folder).parts[0] not in ("_port", "_compile", "_libraries", "testing")
        and re.search(r"\bcu[A-Z]\w+|\bCU_\w+", path.read_text())
    }
    assert not found
