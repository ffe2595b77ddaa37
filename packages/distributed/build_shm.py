"""Declares csrc/shm.h to cffi; setup.py builds the module from it."""

import re
from pathlib import Path

from cffi import FFI

header = Path("csrc/shm.h").read_text(encoding="utf-8")

ffi = FFI()
# cffi reads declarations, not directives: the header's own text without its preprocessor lines.
ffi.cdef(re.sub(r"^\s*#.*$", "", header, flags=re.MULTILINE))
ffi.set_source(
    "facula_distributed._shm",
    '#include "shm.h"',
    sources=[f"csrc/{name}.c" for name in ("board", "collectives", "life", "reduce")],
    depends=["csrc/shm.h", "csrc/internal.h"],
    include_dirs=["csrc"],
    extra_compile_args=["-std=gnu11", "-O3", "-fwrapv", "-fvisibility=hidden", "-Wall", "-Wextra"],
    py_limited_api=True,
)
