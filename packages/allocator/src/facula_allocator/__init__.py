"""facula_allocator: memory that is reused instead of given back, and counted exactly.

What it is: `HostAllocator` gives aligned blocks of host memory from free lists by size.
May import: cffi and the standard library; of the siblings, facula_errors.
Where next: `_host.py` (the allocator), `_size_classes.py` (blocks and their lists), `_regions.py`
and csrc/host.c (memory from the system), `_process.py` (why garbage collections matter here).
"""

from facula_errors.extend import register as _register

from ._errors import OutOfMemoryError
from ._host import HostAllocator, SizeClassRow, default_host_allocator
from ._report import memory_summary

_register("facula_allocator")

__all__ = ["HostAllocator", "OutOfMemoryError", "SizeClassRow", "default_host_allocator", "memory_summary"]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
