"""Text to machine code: NVRTC, its errors, and the cache on disk."""

import hashlib
import os
import re
import subprocess
import sys
import warnings

import pytest

from facula_cuda._compile import architectures, cache, nvrtc
from facula_cuda.testing import build
from facula_errors import MissingPackageError, OperationError
from facula_errors.testing import raises

KERNEL = """#include <stdint.h>
#include "twice.h"
struct A { int64_t n; const float *a; float *o; };
KERNEL(f, A)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n)
        p.o[i] = twice(p.a[i]) * 3 + 1;
}
"""
HEADERS = {"twice.h": "static float twice(float x) { return 2 * x; }\n"}


def has_nvrtc():
    try:
        nvrtc.version()
    except MissingPackageError:
        return False
    return True


needs_nvrtc = pytest.mark.skipif(not has_nvrtc(), reason="nvidia-cuda-nvrtc is not installed")


# NVRTC


@needs_nvrtc
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_machine_code_without_a_device(architecture):
    compiled = nvrtc.compile_cubin(KERNEL, HEADERS, architecture, (*nvrtc.OPTIONS, "--ptxas-options=-v"))
    assert compiled.cubin[:4] == b"\x7fELF" and b"f\0" in compiled.cubin
    (found,) = nvrtc.resources(compiled.log).values()
    assert found.registers > 0 and found.spilled == 0


@needs_nvrtc
def test_spills_are_counted():
    body = "".join(f"float v{i} = p.a[t + {i}];" for i in range(200))
    body += (
        "for (int k = 0; k < p.n; k++) {" + "".join(f"v{i} = v{i} * v{(i + 7) % 200} + k;" for i in range(200)) + "}"
    )
    body += "p.o[t] = " + " + ".join(f"v{i}" for i in range(200)) + ";"
    head = KERNEL[: KERNEL.index("{\n")].replace("KERNEL(f", "SYNC_KERNEL_OF(1024, f")
    source = head + "{ const int t = threadIdx.x; " + body + " }"
    compiled = nvrtc.compile_cubin(source, HEADERS, "sm_90", (*nvrtc.OPTIONS, "--ptxas-options=-v"))
    assert nvrtc.resources(compiled.log)["f"].spilled > 0


@needs_nvrtc
def test_no_contraction_to_fused_multiply_add():
    options = [option for option in nvrtc.OPTIONS if "fmad" not in option]
    assert len(options) == len(nvrtc.OPTIONS) - 1
    codes = [nvrtc.compile_cubin(KERNEL, HEADERS, "sm_90", given).cubin for given in (nvrtc.OPTIONS, options)]
    assert codes[0] != codes[1]


@needs_nvrtc
def test_errors_quote_the_line():
    with raises(nvrtc.NvrtcError, "cuda", "compiles for sm_90", value="NVRTC_ERROR_COMPILATION") as caught:
        nvrtc.compile_cubin(KERNEL.replace("twice(p", "thrice(p"), HEADERS, "sm_90")
    assert 'kernel.cu(8): error: identifier "thrice" is undefined' in str(caught.value)
    assert "    p.o[i] = thrice(p.a[i]) * 3 + 1;" in str(caught.value).splitlines()


@needs_nvrtc
def test_undefined_functions_are_found():
    with raises(OperationError, "cuda", "Unresolved extern function", "_Z9elsewheref"):
        nvrtc.compile_cubin(KERNEL.replace("twice(p", "elsewhere(p"), {"twice.h": "float elsewhere(float);"}, "sm_90")


@needs_nvrtc
@pytest.mark.parametrize("architecture", ["sm_20", "sm_999", "gfx942", ""])
def test_unknown_architectures_are_named(architecture):
    with raises(OperationError, "cuda", "an architecture of NVRTC", "sm_90", value=repr(architecture)):
        nvrtc.compile_cubin(KERNEL, HEADERS, architecture)


@needs_nvrtc
def test_unknown_options_are_named():
    with raises(OperationError, "cuda", "options that NVRTC ... knows", "--no-such"):
        nvrtc.compile_cubin(KERNEL, HEADERS, "sm_90", ("--no-such",))


def test_a_missing_compiler_is_named_with_its_remedy():
    program = "from facula_cuda._compile import nvrtc; nvrtc.compile_cubin('', {}, 'sm_90')"
    environment = {**os.environ, "FACULA_CUDA_NVRTC": "/nowhere/libnvrtc.so"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    last = done.stderr.strip().splitlines()[-1]
    assert "expected NVRTC, which compiles kernels; got none of /nowhere/libnvrtc.so" in last
    assert last.endswith('pip install "nvidia-cuda-nvrtc==13.0.*"')


@pytest.mark.parametrize(
    ("capability", "expected"), [((8, 0), "sm_80"), ((8, 9), "sm_86"), ((9, 0), "sm_90"), ((9, 5), "sm_90")]
)
def test_the_newest_architecture_that_a_device_runs(capability, expected):
    assert architectures.architecture_for(capability, (75, 80, 86, 90)) == expected


@pytest.mark.parametrize(("capability", "remedy"), [((7, 0), "an older NVRTC"), ((12, 0), "a newer NVRTC")])
def test_devices_without_an_architecture(capability, remedy):
    with raises(OperationError, "cuda", f"Install {remedy}", value="one of {}.{}".format(*capability)):
        architectures.architecture_for(capability, (75, 80, 86, 90))


# The cache


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FACULA_CUDA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", False)
    monkeypatch.setattr(cache, "_sizes", {})
    return tmp_path / "cache"


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_entries_come_back(folder):
    key = cache.key_of("a")
    assert cache.load(key, ".cubin") is None
    path = cache.store(key, ".cubin", b"code")
    assert path == folder / key[:2] / f"{key}.cubin" and files(folder) == [path]
    assert cache.load(key, ".cubin") == b"code"
    assert cache.load(key, ".so") is None


def test_keys_depend_on_each_part_and_its_place():
    parts = [("a", "b"), ("ab",), ("b", "a"), ("a", "b", ""), (b"a", b"b", b"\0")]
    assert len({cache.key_of(*one) for one in parts}) == len(parts)
    assert cache.key_of("a") == cache.key_of(b"a")
    assert cache.key_of("x") == hashlib.sha256((1).to_bytes(8, "little") + b"x").hexdigest()


@pytest.mark.parametrize("damage", [b"", b"short", None, b"x" * 100])
def test_damaged_entries_are_removed(damage, folder):
    key = cache.key_of("a")
    path = cache.store(key, ".cubin", b"code" * 20)
    path.write_bytes(path.read_bytes()[:-1] if damage is None else damage)
    assert cache.load(key, ".cubin") is None
    assert not files(folder)
    assert cache.store(key, ".cubin", b"code") and cache.load(key, ".cubin") == b"code"


def test_an_empty_name_stores_nothing(folder, monkeypatch):
    monkeypatch.setenv("FACULA_CUDA_CACHE", "")
    assert cache.store(cache.key_of("a"), ".cubin", b"code") is None
    assert cache.load(cache.key_of("a"), ".cubin") is None


def test_the_folder_follows_the_user(monkeypatch, tmp_path):
    monkeypatch.delenv("FACULA_CUDA_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "facula" / "cuda"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "facula" / "cuda"


def test_a_folder_that_cannot_be_written_costs_one_warning(folder):
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("a file is in its place")
    with pytest.warns(UserWarning, match=re.escape(str(folder))) as caught:
        assert cache.store(cache.key_of("a"), ".cubin", b"code") is None
    assert "FACULA_CUDA_CACHE" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.store(cache.key_of("b"), ".cubin", b"code") is None


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_leaves_nothing_behind(folder, monkeypatch):
    real = os.fdopen
    monkeypatch.setattr(cache.os, "fdopen", lambda descriptor, mode: (os.close(descriptor), open("/dev/full", mode))[1])
    with pytest.warns(UserWarning, match="No space left on device"):
        assert cache.store(cache.key_of("a"), ".cubin", b"code" * 10000) is None
    monkeypatch.setattr(cache.os, "fdopen", real)
    assert not files(folder)


def test_the_least_recently_used_entries_are_removed(folder, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 10_000)
    monkeypatch.setattr(cache, "KEPT", 7_500)
    keys = [cache.key_of(str(number)) for number in range(12)]
    for age, key in enumerate(keys[:9]):
        os.utime(cache.store(key, ".cubin", bytes(1000)), (age, age))
    assert cache.load(keys[0], ".cubin") is not None  # long ago: its time of use is now
    for key in keys[9:]:
        cache.store(key, ".cubin", bytes(1000))
    left = [number for number, key in enumerate(keys) if cache.load(key, ".cubin") is not None]
    assert 0 in left and 11 in left and 1 not in left
    assert sum(path.stat().st_size for path in files(folder)) <= 10_000


# Libraries for the CPU

SHIMMED = 'struct A { int *o; };\n#include "seven.h"\nKERNEL(f%s, A) { *p.o = SEVEN; }\n'


def test_libraries_are_compiled_once(folder, monkeypatch):
    headers = {"seven.h": "#define SEVEN 7\n"}
    path = build.library(SHIMMED % "", headers)
    assert path.parent.parent == folder
    monkeypatch.setattr(build, "_compiled", lambda *arguments: pytest.fail("compiled again"))
    assert build.library(SHIMMED % "", dict(headers)) == path
    with pytest.raises(pytest.fail.Exception):
        build.library(SHIMMED % "", {"seven.h": "#define SEVEN 8\n"})


def test_a_changed_header_concerns_what_includes_it(folder, monkeypatch):
    headers = {
        "seven.h": '#include "parts/digits.h"\n',
        "parts/digits.h": '#include "more.h"\n',
        "parts/more.h": "#define SEVEN 7\n",
    }
    path = build.library(SHIMMED % "", headers)
    assert build.library(SHIMMED % "", {**headers, "parts/more.h": "#define SEVEN 8\n"}) != path
    monkeypatch.setattr(build, "_compiled", lambda *arguments: pytest.fail("compiled again"))
    assert build.library(SHIMMED % "", {**headers, "other.h": "#define EIGHT 8\n"}) == path


def test_many_sources_in_one_library(folder, monkeypatch):
    headers = {"seven.h": "#ifndef SEVEN\n#define SEVEN 7\n#endif\n"}
    sources = [
        (SHIMMED % number).replace("struct A", f"struct A{number}").replace(", A)", f", A{number})")
        for number in range(5)
    ]
    assert build.prebuild(sources, headers, together=3) == 5
    assert build.prebuild(sources, headers) == 0
    monkeypatch.setattr(build, "_compiled", lambda *arguments: pytest.fail("compiled again"))
    paths = [build.library(source, headers) for source in sources]
    assert len(set(paths)) == 2 and paths[0] == paths[2] != paths[3] == paths[4]


def test_a_damaged_library_is_compiled_again():
    headers = {"seven.h": "#define SEVEN 7\n"}
    path = build.library(SHIMMED % "", headers)
    whole = path.read_bytes()
    path.write_bytes(whole[:1000])
    assert build.library(SHIMMED % "", headers) == path
    assert len(path.read_bytes()) == len(whole)


def test_libraries_are_private_where_they_cannot_be_stored(monkeypatch):
    monkeypatch.setenv("FACULA_CUDA_CACHE", "")
    assert build.library(SHIMMED % "", {"seven.h": "#define SEVEN 7\n"}).exists()


def test_errors_of_gxx_quote_the_line():
    with raises(OperationError, "facula_cuda.testing", "a kernel that g++ compiles") as caught:
        build.library("struct A { int *o; };\nKERNEL(f, A)\n{\n    *p.o = nothing;\n}\n")
    assert "kernel.cu:4:12: error" in str(caught.value)
    assert "    *p.o = nothing;" in str(caught.value).splitlines()


def test_another_machine_is_named(monkeypatch):
    monkeypatch.setattr(build.platform, "machine", lambda: "aarch64")
    with raises(OperationError, "facula_cuda.testing", "an x86-64 machine", "Run this on", value="'aarch64'"):
        build.library("")


def test_a_missing_gxx_is_named(monkeypatch):
    monkeypatch.setattr(build.shutil, "which", lambda name: None)
    with raises(OperationError, "facula_cuda.testing", "g++", "apt install", value="none on PATH"):
        build.library("")
