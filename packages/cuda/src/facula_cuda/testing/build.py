"""The text of kernels, compiled for the CPU by g++, as libraries that the simulated driver launches.

See Note [Kernels on the CPU] in shim.h. Libraries are stored beside compiled kernels in facula_cuda's cache, or, if
they cannot be stored, in a folder of the process.
"""

from __future__ import annotations

import atexit
import os
import platform
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from facula_errors import OperationError

from .._compile import cache as disk
from .._compile import modules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SHIM = Path(__file__).with_name("shim.h")
#: As on a device: no contraction to fused multiply-add, and each use of a pointer checked for its type's alignment.
FLAGS = (
    "-std=c++17", "-O1", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti",
    "-fno-math-errno", "-fsanitize=alignment", "-w",
)  # fmt: skip
VECTORS = ("-mavx2", "-mfma", "-mf16c")  # where the processor has them: fma() is then an instruction, not a call
MAGIC = "facula-library:"  # before the path, in an image for the simulated driver
_SOURCE = "kernel.cu"

#: Libraries that a process compiles before it precompiles the shim, which takes as long as it saves for four of them.
UNPRECOMPILED = 3

_lock = Lock()
_libraries = 0  # how many this process has compiled


def require_compiler() -> str:
    """Return the path of g++.

    Raises:
        OperationError: it is missing, or this is not an x86-64 machine.
    """
    machine = platform.machine()
    if machine not in ("x86_64", "AMD64"):
        raise OperationError(
            f"facula_cuda.testing: expected an x86-64 machine, on which kernels can be simulated; got {machine!r}. Run "
            "this on x86-64, or on a GPU"
        )
    found = shutil.which("g++")
    if found is None:
        raise OperationError(
            "facula_cuda.testing: expected g++, which compiles kernels for the simulated device; got none on PATH. "
            "Install it, as by: apt install g++"
        )
    return found


@cache
def _compiler_version(path: str) -> str:
    return subprocess.run([path, "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()


@cache
def _flags() -> tuple[str, ...]:
    """Return the flags for this processor."""
    try:
        features = set(Path("/proc/cpuinfo").read_text().split())
    except OSError:
        features = set()
    return FLAGS + (VECTORS if {"avx2", "fma", "f16c"} <= features else ())


@cache
def _shim_digest() -> str:
    return disk.key_of(*[path.read_bytes() for path in sorted(SHIM.parent.glob("shim*.h"))])


def _key(compiler: str, source: str, headers: Mapping[str, str]) -> str:
    version = _compiler_version(compiler)
    return disk.key_of("g++", version, *_flags(), _shim_digest(), disk.digest_for(source, headers), source)


def library(source: str, headers: Mapping[str, str] | None = None) -> Path:
    """Return the path of the library of some kernels, compiled if the cache does not contain it.

    Arguments:
        source: CUDA C++ with kernels by KERNEL and SYNC_KERNEL.
        headers: the text of each header by the name that `#include` gives.

    Raises:
        OperationError: the source does not compile (the message quotes the lines), or g++ is missing.
    """
    headers = headers or {}
    compiler = require_compiler()
    key = _key(compiler, source, headers)
    member = disk.load(key, ".in")
    for candidate in (key, member.decode()) if member else (key,):
        if disk.load(candidate, ".so") is not None:
            path = disk.place(candidate, ".so")
            assert path is not None
            return path
    return _compiled(compiler, key, source, headers)


def prebuild(sources: Iterable[str], headers: Mapping[str, str] | None = None, together: int = 100) -> int:
    """Compile many sources, up to `together` as one library, so that `library` finds each; return how many were new.

    Headers and the shim are read once for each library, which takes most of the time of a small source.
    """
    headers = headers or {}
    compiler = require_compiler()
    wanted = {_key(compiler, source, headers): source for source in sources}
    missing = {
        key: source for key, source in wanted.items() if disk.load(key, ".so") is None and disk.load(key, ".in") is None
    }
    for keys in _batches(list(missing), together):
        unit = "\n".join(missing[key] for key in keys)
        unit_key = _key(compiler, unit, headers)
        _compiled(compiler, unit_key, unit, headers)
        for key in keys:
            disk.store(key, ".in", unit_key.encode())
    return len(missing)


def _batches(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


def _compiled(compiler: str, key: str, source: str, headers: Mapping[str, str]) -> Path:
    """Compile a library and store it."""
    folder = _folder()
    includes = _includes(compiler, disk.digest_of(headers), headers)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        work = Path(name)
        (work / _SOURCE).write_text(source)
        flags = (*_flags(), f"-I{includes}", f"-I{folder}", "-include", SHIM.name, "-shared", "-x", "c++")
        done = _run([compiler, *flags, _SOURCE, "-o", "kernel.so"], work)
        if done.returncode:
            from .._compile.nvrtc import quote_errors

            text = done.stderr.replace(f"{work}{os.sep}", "").replace(f"{includes}{os.sep}", "")
            raise OperationError(
                f"facula_cuda.testing: expected a kernel that g++ compiles; got\n{quote_errors(text, source)}"
            )
        content = (work / "kernel.so").read_bytes()
    stored = disk.store(key, ".so", content)
    if stored is None:
        stored = folder / f"{key}.so"
        stored.write_bytes(content)
    return stored


def _run(command: list[str], work: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=work, capture_output=True, text=True, errors="replace", check=False)


@cache
def _folder_of(process: int) -> Path:
    path = Path(tempfile.mkdtemp(prefix="facula-cuda-"))
    atexit.register(_remove, path, process)
    for header in SHIM.parent.glob("shim*.h"):
        shutil.copy(header, path)
    return path


def _remove(path: Path, process: int) -> None:
    if os.getpid() == process:  # not a fork of it
        shutil.rmtree(path, ignore_errors=True)


def _folder() -> Path:
    """Return the folder of this process, with the shim; it is removed when the process ends."""
    with _lock:
        return _folder_of(os.getpid())


def _includes(compiler: str, digest: str, headers: Mapping[str, str]) -> Path:
    """Return the folder of some headers. From the fourth library on, its parent folder has a precompiled shim."""
    global _libraries
    folder = _folder()
    path = folder / digest
    with _lock:
        _libraries += 1
        if _libraries == UNPRECOMPILED + 1:
            _run([compiler, *_flags(), "-x", "c++-header", SHIM.name, "-o", f"{SHIM.name}.gch"], folder)
        if not path.exists():
            for header, text in headers.items():
                place = path / header
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text)
    return path


def image(source: str, headers: Mapping[str, str]) -> bytes:
    """Return an image that the simulated driver loads as a module: the path of a library after a magic word."""
    return f"{MAGIC}{library(source, headers)}\0".encode()


modules.simulated_image = image
