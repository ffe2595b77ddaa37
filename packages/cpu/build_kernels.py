"""The cffi module `facula_cpu._kernels`: what Python sees of the C code.

The headers csrc/*/*.cdef.h hold the structs that Python fills and C reads, and the few functions
that Python calls. They are plain declarations, so cffi reads the same files as the compiler.
"""

from pathlib import Path

from cffi import FFI

ROOT = Path(__file__).resolve().parent
HEADERS = sorted((ROOT / "csrc").glob("*/*.cdef.h"), key=lambda path: path.name)


def declarations(header: Path) -> str:
    """The header without its preprocessor lines, which cffi does not read."""
    lines = header.read_text().replace("\\\n", " ").splitlines()
    return "\n".join(line for line in lines if not line.startswith("#"))


ffi = FFI()
# Functions of other headers, on which files do not depend: csrc/reach/reach.h, csrc/runtime/observer.h.
OTHERS = """
int facula_is_checked(const char *kernel);
void *facula_observe_jobs(void *observer);
"""
ffi.cdef("\n".join([*(declarations(header) for header in HEADERS), OTHERS]))
ffi.set_source(
    "facula_cpu._kernels",
    "\n".join([*(f'#include "{header.parent.name}/{header.name}"' for header in HEADERS), OTHERS]),
    include_dirs=["csrc"],
    libraries=["m", "pthread"],
)
