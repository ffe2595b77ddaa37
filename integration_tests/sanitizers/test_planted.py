"""The sanitizers detect planted faults in a kernel, which is launched like every kernel."""

import ctypes
import os
import shlex
import subprocess
import sys

import pytest

PLANTED = r"""
#include <stdint.h>
#include <limits.h>

int64_t fill(const void *plan, int64_t *args)
{
    float *out = (float *)args[1];
    for (int64_t i = 0; i < args[0]; i++)
        out[i] = 1.0f;
    return 0;
}

int64_t overflow(const void *plan, int64_t *args)
{
    volatile int sum = INT_MAX;
    sum = sum + (int)args[0];
    return 0;
}
"""

PROGRAM = """
import ctypes, sys
from facula_storage import MallocAllocator, bind
from facula_allocator import default_host_allocator

kind, name, count = sys.argv[2], sys.argv[3], int(sys.argv[4])
kernel = ctypes.cast(ctypes.CDLL(sys.argv[1])[name], ctypes.c_void_p).value
launch = bind(kernel, 0, 2**62, 0, None)
allocator = default_host_allocator() if kind == "facula_allocator" else MallocAllocator()
try:
    address, release = allocator.take_for(64)()
except IndexError:
    address, release = allocator.refill(64)
launch(count, address)
print("survived")
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    if "FACULA_SANITIZE" not in os.environ:
        pytest.fail("these tests need a sanitized build: nox -s asan")
    folder = tmp_path_factory.mktemp("planted")
    (folder / "planted.c").write_text(PLANTED)
    target = folder / "planted.so"
    flags = shlex.split(os.environ["FACULA_SANITIZE"])
    command = ["gcc", "-shared", "-fPIC", "-O1", *flags, "planted.c", "-o", str(target)]
    env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    subprocess.run(command, cwd=folder, env=env, check=True)
    return target


def launch(library, kind, name, count):
    command = [sys.executable, "-c", PROGRAM, str(library), kind, name, str(count)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("kind", ["facula_storage", "facula_allocator"])
def test_an_overrun_is_caught(library, kind):
    """A block of 64 bytes holds 16 floats; the seventeenth is outside."""
    within = launch(library, kind, "fill", 16)
    assert "survived" in within.stdout, within.stderr
    beyond = launch(library, kind, "fill", 17)
    assert "heap-buffer-overflow" in beyond.stderr
    assert beyond.returncode != 0
    assert "survived" not in beyond.stdout


def test_undefined_behaviour_is_caught(library):
    assert "survived" in launch(library, "facula_storage", "overflow", 0).stdout
    beyond = launch(library, "facula_storage", "overflow", 1)
    assert "signed integer overflow" in beyond.stderr
    assert beyond.returncode != 0


def test_the_packages_are_sanitized_builds():
    """Check that the libraries in use call the sanitizers; otherwise tests under them would check no accesses."""
    import facula_cpu
    import facula_storage

    for module in (facula_storage, facula_cpu):
        folder = os.path.dirname(module.__file__)
        libraries = [name for name in os.listdir(folder) if name.endswith(".so")]
        assert libraries
        for library in libraries:
            with open(os.path.join(folder, library), "rb") as file:
                assert b"__asan_" in file.read(), library
    assert ctypes.CDLL(None).__asan_init
