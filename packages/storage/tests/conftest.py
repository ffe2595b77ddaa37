"""Hypothesis profiles, the compiled kernels, and a clean interpreter to run programs in."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from storage_helpers import Noting

settings.register_profile("ci", derandomize=True, max_examples=25, deadline=None, database=None)
settings.register_profile("default", deadline=None)
settings.register_profile("dev", max_examples=100, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def kernels(tmp_path_factory) -> ctypes.CDLL:
    """The library built from launch_kernels.c."""
    source = Path(__file__).with_name("launch_kernels.c")
    library = tmp_path_factory.mktemp("kernels") / "kernels.so"
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return ctypes.CDLL(str(library))


@pytest.fixture(scope="session")
def address_of(kernels):
    """Return the address of a kernel by name."""
    return lambda name: ctypes.cast(getattr(kernels, name), ctypes.c_void_p).value


@pytest.fixture
def noting(address_of):
    """Return a launch of the kernel `note`, which counts its launches."""
    return lambda *args, **keywords: Noting(address_of, *args, **keywords)


@pytest.fixture
def run_python():
    """Run a program in a new interpreter; return its standard output, and fail on any error."""

    def run(program: str, *arguments: str, timeout: float = 600) -> str:
        command = [sys.executable, "-c", program, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    return run


@pytest.fixture
def no_collector():
    """Disable the cyclic collector, so that objects are freed only by their last reference."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def often_switching():
    """Let threads switch as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
