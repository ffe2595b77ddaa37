"""Declares csrc/host.h to cffi; setup.py builds the module from it."""

import re
from pathlib import Path

from cffi import FFI

header = Path("csrc/host.h").read_text(encoding="utf-8")

ffi = FFI()
# cffi reads declarations, not directives: the header's own text without its preprocessor lines.
ffi.cdef(re.sub(r"^\s*#.*$", "", header, flags=re.MULTILINE))
ffi.set_source(
    "facula_allocator._host_memory",
    '#include "host.h"',
    sources=["csrc/host.c"],
    include_dirs=["csrc"],
    extra_compile_args=["-std=gnu11", "-O2", "-fvisibility=hidden", "-Wall", "-Wextra"],
    py_limited_api=True,
)
