"""NVRTC, CUDA's compiler as a library: text and headers to machine code. No device and no toolkit is needed."""

from __future__ import annotations

import ctypes
import glob
import importlib.util
import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import MissingPackageError, OperationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEVICE_HEADER = "facula_device.h"
#: Headers of C that kernels may include. NVRTC has the functions of <math.h> without one, and no integer types.
STANDARD_HEADERS = {
    "stdint.h": """#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807ll - 1)
#define INT64_MAX 9223372036854775807ll
#define UINT64_MAX 18446744073709551615ull
#define NAN __int_as_float(0x7fc00000)
#define INFINITY __int_as_float(0x7f800000)
""",
    **dict.fromkeys(("float.h", "math.h", "stdbool.h", "stddef.h", "string.h"), "#pragma once\n#include <stdint.h>\n"),
}
#: Results are those of the CPU, bit for bit: no contraction to fused multiply-add, no flushing of subnormal numbers,
#: rounded quotients and roots. `-default-device` lets plain functions be device functions.
OPTIONS = (
    "--std=c++17", "-default-device", "-fmad=false", "-ftz=false", "-prec-div=true", "-prec-sqrt=true", "-w",
    "-device-int128",
    f"--pre-include={DEVICE_HEADER}",
)  # fmt: skip
FILE = "kernel.cu"
PACKAGE = "nvidia-cuda-nvrtc==13.0.*"
_SYSTEM = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")
_INVALID_OPTION = 5  # NVRTC_ERROR_INVALID_OPTION


@cache
def own_headers() -> dict[str, str]:
    """Return the headers that all kernels have: those of C, and the words with which kernels are written."""
    text = Path(__file__).with_name("device.h").read_text(encoding="utf-8")
    return {**STANDARD_HEADERS, DEVICE_HEADER: text}


class Compiled(NamedTuple):
    """Machine code for one architecture, and the compiler's messages."""

    cubin: bytes
    log: str


class NvrtcError(OperationError):
    """NVRTC did not compile a kernel.

    Arguments:
        message: the architecture, the compiler's errors and the lines of the source that they are about.
        log: all messages of the compiler.
    """

    def __init__(self, message: str, log: str = ""):
        super().__init__(message, log)
        self.log = log

    def __str__(self) -> str:
        return str(self.args[0])


def wheel_folders(name: str) -> list[str]:
    """Return the folders of NVIDIA's wheels that contain a library, whose wheel has a folder `name` before CUDA 13."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return []
    parents = spec.submodule_search_locations if spec else None
    return [os.path.join(parent, folder, "lib") for parent in parents or () for folder in ("cu13", name)]


def candidates() -> list[str]:
    """Return the paths and names of libraries to try, in order.

    FACULA_CUDA_NVRTC names the library, if it is set. Otherwise the wheel comes first, then the system's libraries and
    those of the toolkit.
    """
    wanted = os.environ.get("FACULA_CUDA_NVRTC")
    if wanted:
        return [wanted]
    found: list[str] = []
    for folder in wheel_folders("cuda_nvrtc"):
        found += sorted(glob.glob(os.path.join(folder, "libnvrtc.so.*")), reverse=True)
    found += _SYSTEM
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if home:
            found.append(os.path.join(home, "lib64", "libnvrtc.so"))
    return found


@cache
def _library() -> ctypes.CDLL:
    """Return NVRTC, opened."""
    tried = candidates()
    for path in tried:
        try:
            # The compiler opens its builtins by name: those in its folder must be loaded before.
            folder = os.path.dirname(path)
            for builtins in sorted(glob.glob(os.path.join(folder, "libnvrtc-builtins.so.*"))) if folder else ():
                ctypes.CDLL(builtins, mode=ctypes.RTLD_GLOBAL)
            library = ctypes.CDLL(path)
        except OSError:
            continue
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        return library
    raise MissingPackageError(
        f"cuda: expected NVRTC, which compiles kernels; got none of {', '.join(tried)}. Install it by: "
        f'pip install "{PACKAGE}"'
    )


def _check(operation: str, code: int) -> None:
    if code:
        raise OperationError(f"{operation}: expected NVRTC to succeed; got {_describe(code)}")


def _describe(code: int) -> str:
    return f"{_library().nvrtcGetErrorString(code).decode()} ({code})"


@cache
def version() -> tuple[int, int]:
    """Return NVRTC's version, such as (13, 0)."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check("nvrtcVersion", _library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return major.value, minor.value


@cache
def supported_architectures() -> tuple[int, ...]:
    """Return the architectures that NVRTC compiles for, in ascending order: 90 for compute capability 9.0."""
    count = ctypes.c_int()
    _check("nvrtcGetNumSupportedArchs", _library().nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    found = (ctypes.c_int * count.value)()
    _check("nvrtcGetSupportedArchs", _library().nvrtcGetSupportedArchs(found))
    return tuple(sorted(found))


def compile_cubin(
    source: str, headers: Mapping[str, str], architecture: str, options: Sequence[str] = OPTIONS
) -> Compiled:
    """Compile the text of kernels to machine code. May be called from any thread; releases the GIL.

    Arguments:
        source: CUDA C++.
        headers: the text of each header by the name that `#include` gives, in addition to `own_headers`.
        architecture: "sm_90", say.
        options: further options of NVRTC.

    Raises:
        NvrtcError: the text does not compile; the message quotes the lines.
        OperationError: NVRTC does not support the architecture or an option.
        MissingPackageError: NVRTC is not installed.
    """
    library = _library()
    number = architecture.removeprefix("sm_").rstrip("af")
    if not number.isdigit() or int(number) not in supported_architectures():
        known = ", ".join(f"sm_{one}" for one in supported_architectures())
        raise OperationError(f"cuda: expected an architecture of NVRTC {version()} ({known}); got {architecture!r}")
    program = ctypes.c_void_p()
    headers = {**own_headers(), **headers}
    count = len(headers)
    texts = (ctypes.c_char_p * count)(*[text.encode() for text in headers.values()])
    names = (ctypes.c_char_p * count)(*[name.encode() for name in headers])
    created = library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), FILE.encode(), count, texts, names)
    _check("nvrtcCreateProgram", created)
    try:
        given = [f"--gpu-architecture={architecture}", *options]
        code = library.nvrtcCompileProgram(
            program, len(given), (ctypes.c_char_p * len(given))(*[option.encode() for option in given])
        )
        log = _read(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").rstrip(b"\0").decode(errors="replace")
        if code == _INVALID_OPTION:
            raise OperationError(f"cuda: expected options that NVRTC {version()} knows; got {given} ({log.strip()})")
        if code:
            raise NvrtcError(
                f"cuda: expected a kernel that compiles for {architecture}; got {_describe(code)}\n"
                f"{quote_errors(log, source)}",
                log,
            )
        return Compiled(_read(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN"), log)
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _read(program: ctypes.c_void_p, size_function: str, function: str) -> bytes:
    """Return a result of a program: its log or its machine code."""
    library, size = _library(), ctypes.c_size_t()
    _check(size_function, getattr(library, size_function)(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(max(size.value, 1))
    _check(function, getattr(library, function)(program, buffer))
    return buffer.raw[: size.value]


def quote_errors(log: str, source: str) -> str:
    """Return the errors of a compiler's log, each with its line of the source.

    >>> print(quote_errors('kernel.cu(2): error: identifier "y" is undefined', "int x;\\nx = y;"))
    kernel.cu(2): error: identifier "y" is undefined
        x = y;
    """
    lines, quoted = source.splitlines(), []
    for message in log.splitlines():
        place = re.match(rf"{re.escape(FILE)}\((\d+)\)|\S*{re.escape(FILE)}:(\d+):", message)
        if "error" not in message:
            continue
        quoted.append(message)
        number = int(place[1] or place[2]) if place else 0
        if 0 < number <= len(lines):
            quoted.append("    " + lines[number - 1].strip())
    return "\n".join(quoted or [log.strip()])


class Resources(NamedTuple):
    """The resources of a kernel by ptxas: registers of a thread, bytes that it spills, shared bytes of a block."""

    registers: int
    spilled: int
    shared: int


def resources(log: str) -> dict[str, Resources]:
    """Return the resources of each kernel from the log of a compilation with `--ptxas-options=-v`.

    >>> resources('''ptxas info    : Compiling entry function 'f' for 'sm_90'
    ... ptxas info    : Function properties for f
    ...     0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
    ... ptxas info    : Used 32 registers, used 1 barriers, 260 bytes smem''')
    {'f': Resources(registers=32, spilled=12, shared=260)}
    """
    found: dict[str, Resources] = {}
    name, spilled = "", 0
    for line in log.splitlines():
        if started := re.search(r"Compiling entry function '(\w+)'", line):
            name, spilled = started[1], 0
        elif spills := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            spilled += int(spills[1]) + int(spills[2])
        elif used := re.search(r"Used (\d+) registers", line):
            shared = re.search(r"(\d+) bytes smem", line)
            found[name] = Resources(int(used[1]), spilled, int(shared[1]) if shared else 0)
    return found
