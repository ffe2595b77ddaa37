"""Kernels as functions of a device: compiled once on a machine, loaded once in a process, by any thread."""

import threading
from types import SimpleNamespace

import pytest
from recording_driver import RecordingDriver

from facula_cuda import CudaError
from facula_cuda._compile import modules, nvrtc
from facula_cuda._driver import ffi, lib
from facula_cuda._port.driver import opened
from facula_cuda.testing import build
from facula_errors import OperationError
from facula_errors.testing import raises

SOURCE = "struct A { int *o; };\nKERNEL(f, A) { *p.o = 1; }\nKERNEL(g, A) { *p.o = 2; }\n"


class LoadingDriver(RecordingDriver):
    """Also writes down the images of modules. `refused` images are rejected with code 200."""

    def __init__(self):
        super().__init__()
        self.images: list[bytes] = []
        self.refused: list[bytes] = []

    def cuModuleLoadData(self, module, image):
        content = bytes(ffi.buffer(ffi.cast("char *", image), 8))
        if content[:7] == b"refused":
            self.refused.append(content)
            return 200
        self.images.append(content)
        module[0] = len(self.images)
        return 0

    def cuModuleGetFunction(self, function, module, name):
        text = ffi.string(name).decode()
        if text not in ("f", "g"):
            return 500
        function[0] = 100 * module + ord(text)
        return 0


@pytest.fixture
def driver(monkeypatch, tmp_path):
    monkeypatch.setenv("FACULA_CUDA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(modules, "properties", lambda index: SimpleNamespace(major=9, minor=index))
    monkeypatch.setattr(modules, "context", lambda index: None)
    monkeypatch.setattr(nvrtc, "version", lambda: (13, 0))
    monkeypatch.setattr(nvrtc, "supported_architectures", lambda: (80, 90))
    modules._forget(True)
    made = LoadingDriver()
    yield made
    made.close()
    modules._forget(True)


@pytest.fixture
def compiled(monkeypatch):
    """Return the list of what was compiled, in place of NVRTC."""
    found = []

    def compile_cubin(source, headers, architecture):
        found.append((source, dict(headers), architecture))
        return nvrtc.Compiled(b"code %d, long enough" % len(found), "")

    monkeypatch.setattr(nvrtc, "compile_cubin", compile_cubin)
    return found


def test_functions_are_compiled_and_loaded_once(driver, compiled):
    assert modules.functions(SOURCE, ("f", "g"), 0) == (100 + ord("f"), 100 + ord("g"))
    assert modules.functions(SOURCE, ("g",), 0) == (100 + ord("g"),)
    assert compiled == [(SOURCE, {}, "sm_90")] and len(driver.images) == 1
    assert driver.calls.count("cuModuleGetFunction") == 2


def test_each_device_has_its_own_module(driver, compiled):
    first, second = (modules.functions(SOURCE, ("f",), index) for index in (0, 1))
    assert first != second
    assert len(driver.images) == 2 and len(compiled) == 1  # of the same architecture


def test_included_headers_are_a_part_of_the_text(driver, compiled):
    for number, other in ((1, 1), (2, 1), (1, 2)):
        headers = {"a.h": '#include "b.h"', "b.h": f"#define B {number}", "c.h": f"#define C {other}"}
        modules.functions(f'#include "a.h"\n{SOURCE}', ("f",), 0, headers)
    assert [headers["b.h"] for _, headers, _ in compiled] == ["#define B 1", "#define B 2"]


def test_another_process_finds_the_machine_code(driver, compiled):
    before = modules.functions(SOURCE, ("f",), 0)
    modules._forget(True)
    assert modules.functions(SOURCE, ("f",), 0) != before  # another handle
    assert len(compiled) == 1 and len(driver.images) == 2


def test_machine_code_that_the_driver_rejects_is_compiled_again(driver, compiled, monkeypatch):
    modules.functions(SOURCE, ("f",), 0)
    modules._forget(True)
    monkeypatch.setattr(modules.cache, "load", lambda key, suffix: b"refused by the driver")
    modules.functions(SOURCE, ("f",), 0)
    assert len(compiled) == 2 and len(driver.refused) == 1 and len(driver.images) == 2


def test_new_machine_code_that_the_driver_rejects_is_an_error(driver, monkeypatch):
    monkeypatch.setattr(nvrtc, "compile_cubin", lambda *arguments: nvrtc.Compiled(b"refused as well", ""))
    with pytest.raises(CudaError) as caught:
        modules.functions(SOURCE, ("f",), 0)
    assert caught.value.code == 200 and len(driver.refused) == 1


def test_a_missing_kernel_is_named(driver, compiled):
    with raises(CudaError, "load of kernel h") as caught:
        modules.functions(SOURCE, ("f", "h"), 0)
    assert caught.value.code == 500


def test_threads_compile_a_text_once_and_different_texts_together(driver, compiled, monkeypatch):
    sources = [f"{SOURCE}// {number}\n" for number in range(4)]
    found, start, together = {}, threading.Barrier(12), threading.Barrier(4)
    compile_one = nvrtc.compile_cubin

    def compile_cubin(*arguments):
        together.wait(30)  # raises unless four threads compile at the same time
        return compile_one(*arguments)

    monkeypatch.setattr(nvrtc, "compile_cubin", compile_cubin)

    def ask(number):
        start.wait()
        found[number] = modules.functions(sources[number % 4], ("f",), 0)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(source for source, _, _ in compiled) == sorted(sources)
    assert len(set(found.values())) == 4
    assert all(found[number] == found[number % 4] for number in range(12))


def test_a_failed_compilation_is_tried_again(driver, compiled, monkeypatch):
    working = nvrtc.compile_cubin

    def failing(*arguments):
        raise OperationError("cuda: expected memory; got none")

    monkeypatch.setattr(nvrtc, "compile_cubin", failing)
    with raises(OperationError, "cuda"):
        modules.functions(SOURCE, ("f",), 0)
    monkeypatch.setattr(nvrtc, "compile_cubin", working)
    assert modules.functions(SOURCE, ("f",), 0)


def test_simulated_devices_load_libraries_of_gxx(driver, monkeypatch):
    monkeypatch.setattr(opened, "simulated", True)
    modules.functions(SOURCE, ("f",), 0)
    assert driver.images == [b"facula-l"]
    assert build.image(SOURCE, {}).startswith(b"facula-library:/")


def test_closing_the_driver_forgets_queues(driver, compiled):
    lib.facula_cuda_lose(0, 701)
    modules._forget(False)
    assert lib.facula_cuda_lost(0) == 0
