"""The allocator for code in C: a table of functions, and the header that describes it."""

from __future__ import annotations

from pathlib import Path

from facula_errors import InvalidTypeError
from facula_errors.extend import published

from ._caching.caching_allocator import CachingAllocator

__all__ = ["c_functions", "get_include"]


def c_functions(allocator: CachingAllocator) -> object:
    """A capsule of C functions that allocate and free without a call of Python; see `facula_allocator.h`.

    The capsule keeps the allocator, and must live as long as any block that was taken through it. Blocks count in the
    statistics as others do; a history, a trace and private pools see them too, through the slower way.

    >>> from facula_allocator.drivers import HostDriver
    >>> c_functions(CachingAllocator(HostDriver()))  # doctest: +ELLIPSIS
    <capsule object "facula_allocator.functions" at ...>
    """
    if not isinstance(allocator, CachingAllocator):
        raise InvalidTypeError(f"c_functions: expected allocator, a CachingAllocator; got {allocator!r}")
    return allocator._c_functions()


def get_include() -> str:
    """The folder of `facula_allocator.h`, for a C compiler."""
    return str(Path(__file__).with_name("include"))


__dir__ = published(__name__)
