"""Declares the headers of csrc/ to cffi; setup.py builds the module from them."""

import re
from pathlib import Path

from cffi import FFI

CSRC = Path("csrc")
#: Headers that consist of declarations, which Python calls. Headers with code for C alone are not in this list.
HEADERS = ("driver.h", "thread.h", "launch.h", "graph.h", "draws.h", "lt.h", "queues.h", "observe.h",
           "simulated/control.h")  # fmt: skip
OPTIONS = (
    "-std=gnu11", "-O2", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-unused-parameter",
    "-Werror=incompatible-pointer-types",
)  # fmt: skip


def declarations(text: str) -> str:
    """Return a header without its preprocessor lines, which cffi does not read, and with the table's members."""
    lines = re.sub(r"/\*.*?\*/", "", re.sub(r"\\\n\s*", "", text), flags=re.DOTALL)
    rows = re.findall(r"\bX\((\w+), (\([^()]*\))\)", lines)
    members = "".join(f"int (*{name}){parameters};" for name, parameters in rows)
    plain = re.sub(r"^\s*#.*$", "", lines, flags=re.MULTILINE)
    return re.sub(r"\b\w+_FUNCTIONS\(\w+_MEMBER\)", members, plain)


ffi = FFI()
for name in HEADERS:
    ffi.cdef(declarations((CSRC / name).read_text(encoding="utf-8")))
ffi.set_source(
    "facula_cuda._driver",
    "".join(f'#include "{name}"\n' for name in HEADERS),
    sources=sorted(path.as_posix() for path in CSRC.rglob("*.c")),
    depends=sorted(path.as_posix() for path in CSRC.rglob("*.[hi]*")),
    include_dirs=[CSRC.as_posix()],
    extra_compile_args=list(OPTIONS),
    libraries=["dl", "pthread"],
    py_limited_api=True,
)
