"""The allocator's C interface: a table of functions, and the header that declares it."""

from __future__ import annotations

from pathlib import Path

from facula_errors import InvalidTypeError
from facula_errors.extend import published

from ._caching.caching_allocator import CachingAllocator

__all__ = ["c_functions", "get_include"]


def c_functions(allocator: CachingAllocator) -> object:
    """Return a capsule of C functions that allocate and free without calling Python; see `facula_allocator.h`.

    The capsule keeps the allocator alive, and must outlive every block that was allocated through it. The statistics
    count these blocks like any others. A history, a trace and private pools also see them, through the slower path.

    >>> from facula_allocator.drivers import HostDriver
    >>> c_functions(CachingAllocator(HostDriver()))  # doctest: +ELLIPSIS
    <capsule object "facula_allocator.functions" at ...>
    """
    if not isinstance(allocator, CachingAllocator):
        raise InvalidTypeError(f"c_functions: expected allocator, a CachingAllocator; got {allocator!r}")
    return allocator._c_functions()


def get_include() -> str:
    """Return the folder that contains `facula_allocator.h`, for a C compiler."""
    return str(Path(__file__).with_name("include"))


__dir__ = published(__name__)
