"""A library with the names of CUDA's driver, compiled by gcc: each function returns 0 unless a test gives its body."""

import itertools
import subprocess

from facula_cuda._driver import ffi

NAMES = tuple(name for name, _ in ffi.typeof("struct driver").fields)
BODIES = {
    "cuDriverGetVersion": "int *version) { *version = 13000; return 0; }",
    "cuDeviceGetCount": "int *count) { *count = 2; return 0; }",
    "cuGetErrorName": 'int code, const char **name) { *name = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : 0; '
    "return code == 700 ? 0 : 1; }",
    "cuGetErrorString": 'int code, const char **text) { *text = "an illegal memory access"; return 0; }',
}
_numbers = itertools.count()


def build(folder, without=(), **bodies):
    """Compile the library.

    Arguments:
        folder: where to write it.
        without: names that it lacks.
        bodies: for a name, the text after `int NAME(`.
    """
    bodies = {**BODIES, **bodies}
    lines = ["#include <stdint.h>", "#include <stdlib.h>", "int calls;"]
    lines += [f"int {name}({bodies.get(name, ') { return 0; }')}" for name in NAMES if name not in without]
    source = folder / f"driver{next(_numbers)}.c"
    source.write_text("\n".join(lines))
    library = source.with_suffix(".so")
    command = ["gcc", "-w", "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(command, check=True)
    return library
