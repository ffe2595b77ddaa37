"""The runtime over CuPy: the names of its calls, with a substitute for CuPy's module and with CuPy itself."""

import importlib
import subprocess
import sys
from types import SimpleNamespace

import pytest

from facula_allocator.drivers import CudaDriver, RuntimeFailure, _cupy_runtime
from facula_allocator.drivers._cupy_runtime import CupyRuntime, cupy_runtime
from facula_errors.testing import raises

CALLS = [
    ("device_count", (), "getDeviceCount", (), 2, 2),
    ("get_device", (), "getDevice", (), 1, 1),
    ("set_device", (1,), "setDevice", (1,), None, None),
    ("malloc", (512,), "malloc", (512,), 1 << 40, 1 << 40),
    ("free", (1 << 40,), "free", (1 << 40,), None, None),
    ("malloc_managed", (512,), "mallocManaged", (512,), 1 << 40, 1 << 40),
    ("malloc_host", (512,), "hostAlloc", (512, 1), 1 << 40, 1 << 40),
    ("free_host", (1 << 40,), "freeHost", (1 << 40,), None, None),
    ("memory_info", (), "memGetInfo", (), (5, 7), (5, 7)),
    ("synchronize", (), "deviceSynchronize", (), None, None),
    ("event_create", (), "eventCreateWithFlags", (2,), 77, 77),
    ("event_record", (77, 5), "eventRecord", (77, 5), None, None),
    ("event_query", (77,), "eventQuery", (77,), 0, True),
    ("event_query", (77,), "eventQuery", (77,), 600, False),
    ("event_destroy", (77,), "eventDestroy", (77,), None, None),
    ("stream_wait_event", (5, 77), "streamWaitEvent", (5, 77), None, None),
    ("stream_is_capturing", (5,), "streamIsCapturing", (5,), 1, True),
]
PAGES = [
    ("page_size", ()),
    ("address_reserve", (2 << 20, 2 << 20)),
    ("address_free", (1 << 40, 2 << 20)),
    ("memory_create", (2 << 20,)),
    ("memory_map", (1 << 40, 2 << 20, 7)),
    ("memory_set_access", (1 << 40, 2 << 20)),
    ("memory_unmap", (1 << 40, 2 << 20)),
    ("memory_release", (7,)),
    ("exchange_capture_mode", (2,)),
]


class CUDARuntimeError(RuntimeError):
    pass


def refuse(*arguments):
    raise CUDARuntimeError("cudaErrorMemoryAllocation: out of memory")


@pytest.fixture
def stand_in():
    """Return a substitute for the module `cupy.cuda`, with attributes set by the test."""
    runtime = SimpleNamespace(CUDARuntimeError=CUDARuntimeError, hostAllocPortable=1, eventDisableTiming=2)
    checked = []
    runtime.check_status = lambda status: checked.append(status) or refuse()
    return SimpleNamespace(runtime=runtime, checked=checked, get_current_stream=lambda: SimpleNamespace(ptr=9))


@pytest.mark.parametrize(("name", "arguments", "called", "passed", "answer", "result"), CALLS)
def test_calls(stand_in, name, arguments, called, passed, answer, result):
    seen = []
    setattr(stand_in.runtime, called, lambda *given: seen.append(given) or answer)
    assert getattr(CupyRuntime(stand_in), name)(*arguments) == result and seen == [passed]
    setattr(stand_in.runtime, called, refuse)
    with pytest.raises(RuntimeFailure, match=r"^cudaErrorMemoryAllocation: out of memory$") as caught:
        getattr(CupyRuntime(stand_in), name)(*arguments)
    assert caught.value.code == "cudaErrorMemoryAllocation" and caught.value.__context__ is None


def test_return_codes_and_other_results(stand_in):
    runtime = CupyRuntime(stand_in)
    assert runtime.current_stream() == 9
    stand_in.runtime.eventQuery = lambda event: 700
    with pytest.raises(RuntimeFailure, match=r"^cudaErrorMemoryAllocation"):
        runtime.event_query(77)
    assert stand_in.checked == [700]
    stand_in.runtime.eventQuery = lambda event: 600
    assert not runtime.event_query(77)
    assert stand_in.checked == [700, 600], "a status that is not checked stays CUDA's last error"

    def invalid(stream):
        raise RuntimeError("the stream was capturing, but an error has invalidated the capture sequence")

    stand_in.runtime.streamIsCapturing = invalid
    assert runtime.stream_is_capturing(5)


def test_without_cuda_bindings_there_are_no_pages(stand_in, monkeypatch):
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    _cupy_runtime._bindings.cache_clear()
    runtime = CupyRuntime(stand_in)
    assert runtime.page_size() == 0 and runtime.exchange_capture_mode(0) == 0
    with pytest.raises(RuntimeFailure, match="no virtual memory: cuda-bindings is not installed"):
        runtime.address_reserve(2 << 20, 2 << 20)
    monkeypatch.undo()
    _cupy_runtime._bindings.cache_clear()


def test_missing_packages_are_named(stand_in, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with raises(ImportError, "CudaDriver", "expected CuPy to be installed", "Run pip install 'facula-"):
        CudaDriver()
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=stand_in))
    monkeypatch.setitem(sys.modules, "cupy.cuda", stand_in)
    stand_in.runtime.getDeviceCount = refuse
    with raises(
        RuntimeError, "CudaDriver", "expected a CUDA device", "NVIDIA driver", value="cudaErrorMemoryAllocation"
    ):
        CudaDriver()


def test_importing_the_drivers_imports_no_cupy():
    code = (
        "import sys, facula_allocator.drivers as d; d.FakeRuntime(); print({'cupy', 'cuda', 'numpy'} & {*sys.modules})"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


def test_all_called_names_exist_in_cupy_and_cuda_bindings():
    """With CuPy but no device, each call reaches CUDA, which refuses it: all names and argument types are right."""
    cuda = pytest.importorskip("cupy.cuda", reason="CuPy is not installed")
    pytest.importorskip("cuda.bindings.driver", reason="cuda-bindings is not installed")
    try:
        cupy_runtime("test")
    except RuntimeError as error:
        assert "expected a CUDA device; got cudaError" in str(error)
    else:
        pytest.skip("there is a device, which the calls would change")
    runtime = CupyRuntime(cuda)
    for name, arguments, *_ in CALLS:
        with pytest.raises(RuntimeFailure, match=r"^cudaError"):
            getattr(runtime, name)(*arguments)
    runtime.get_device = lambda: 0
    for name, arguments in PAGES:
        if name != "page_size":
            with pytest.raises(RuntimeFailure, match=r'^cu\w+: .*"cuda" is an NVIDIA driver library'):
                getattr(runtime, name)(*arguments)
    assert runtime.page_size() == 0
    driver = importlib.import_module("cuda.bindings.driver")
    assert driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY.name == "CUDA_ERROR_OUT_OF_MEMORY"
