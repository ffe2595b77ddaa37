"""The kernel table in Python: lookup of kernels by name and dtypes, at the current instruction level."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import InvalidValueError, MissingKeyError

from .._kernels import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Iterator

LEVELS = ("baseline", "avx2", "avx512", "avx512_bf16")


class Kernel(NamedTuple):
    """An entry of the kernel table: the C function's address, and picoseconds per element."""

    address: int
    cost: int


@lru_cache(maxsize=1)
def level() -> str:
    """Return the instruction level of kernels: "baseline", "avx2", "avx512" or "avx512_bf16".

    It is the best level of this processor, or the value of the environment variable FACULA_CPU_LEVEL when the first
    plan is created. ValueError if that is unknown or not supported by the processor.

    >>> level() in ("baseline", "avx2", "avx512", "avx512_bf16")
    True
    """
    best = lib.facula_best_level()
    wish = os.environ.get("FACULA_CPU_LEVEL")
    if not wish:
        return LEVELS[best]
    if wish not in LEVELS[: best + 1]:
        known = ", ".join(LEVELS[: best + 1])
        raise InvalidValueError(
            f"level: expected the environment variable FACULA_CPU_LEVEL to be one of {known} on this processor; got "
            f"{wish!r:.60}"
        )
    return wish


own_loops: dict[tuple[str, tuple[int, ...]], Kernel] = {}  # that programs registered: see `_own.py`


@lru_cache(maxsize=4096)
def find_kernel(name: str, *dtypes: int) -> Kernel | None:
    """Return the kernel of that name for these dtype codes (inputs, then outputs); None if there is none.

    >>> find_kernel("add", 9, 9, 9).cost > 0, find_kernel("no such kernel")
    (True, None)
    """
    own = own_loops.get((name, dtypes))
    if own is not None:
        return own
    entry = lib.facula_find_kernel(name.encode(), bytes(dtypes), LEVELS.index(level()))
    return Kernel(int(ffi.cast("intptr_t", entry.function)), entry.cost) if entry else None


def kernel_for(name: str, *dtypes: int) -> Kernel:
    """Return the result of `find_kernel`; LookupError if there is none."""
    kernel = find_kernel(name, *dtypes)
    if kernel is None:
        raise MissingKeyError(
            f"the kernel table has no {name!r} for dtype codes {dtypes}; was the package built whole?"
        )
    return kernel


def all_kernels() -> Iterator[tuple[str, tuple[int, ...], str]]:
    """Return every entry of the table: name, signature, level."""
    index = 0
    while entry := lib.facula_kernel_at(index):
        signature = tuple(code for byte in entry.signature for code in byte if code)
        yield ffi.string(entry.name).decode(), signature, LEVELS[entry.level]
        index += 1


@lru_cache(maxsize=1)
def kernel_names() -> frozenset[str]:
    """Return the names in the table that the package was built with."""
    return frozenset(name for name, _, _ in all_kernels())


def is_loop(name: str) -> bool:
    """Return whether a loop of this name exists, built in or registered."""
    return name in kernel_names() or any([own == name for own, _ in own_loops])
