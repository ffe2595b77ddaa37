"""Memory from the system as Python objects: the façade over csrc/host.c.

Note [Who frees a region]: a region is a cffi object whose destructor is the C function that releases the memory. Every
block of the region refers to it, so the memory lives as long as any block is reachable, even after the allocator is
gone and at interpreter exit. No Python finaliser is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import NoMemoryError

from .._host_memory import ffi, lib

if TYPE_CHECKING:
    from .._host_memory import Figures, Region

UNLIMITED = (1 << 63) - 1


class Account:
    """Counters of the system memory that one allocator holds, kept in C, and its limit in bytes."""

    __slots__ = ("_account", "limit")

    def __init__(self, limit: int | None = None):
        account = lib.facula_account_new(UNLIMITED if limit is None else limit)
        if not account:
            raise NoMemoryError("no memory for an allocator's account")
        self._account = ffi.gc(account, lib.facula_account_drop)
        self.limit = limit

    def region(self, nbytes: int, pages: bool) -> Region | None:
        """Return a region of `nbytes`, in whole pages or from malloc; None if the system or the limit refuses.

        It is freed when its last reference is dropped, or immediately by `ffi.release`.
        """
        kind = lib.FACULA_REGION_PAGES if pages else lib.FACULA_REGION_MALLOC
        # Filled by a single C call, so that no Ctrl-C arrives before the region has its destructor.
        taken: list[Region] = []
        regions = map(lib.facula_region_new, (self._account,), (nbytes,), (kind,))
        taken.extend(map(ffi.gc, regions, (lib.facula_region_release,)))
        return taken[0] or None  # NULL is false

    def read(self) -> Figures:
        """Return the current counters: a struct with the fields declared in csrc/host.h."""
        figures = ffi.new("facula_account_figures *")
        lib.facula_account_read(self._account, figures)
        return figures

    def reserved(self) -> int:
        """Bytes taken from the system and not yet returned."""
        return lib.facula_account_reserved(self._account)

    def set_limit(self, limit: int | None) -> None:
        """Set the limit for further regions; existing regions stay."""
        self.limit = limit
        lib.facula_account_set_limit(self._account, UNLIMITED if limit is None else limit)

    def reset_peak(self) -> None:
        """Restart the peak at the bytes reserved now."""
        lib.facula_account_reset_peak(self._account)


address_of = lib.facula_region_address
release_region = ffi.release  # a C callable; a second call does nothing
hold_releases = lib.facula_hold_releases


def observe_regions(
    report: int, lane: int = 0, taken: int = 0, returned: int = 0
) -> tuple[int, int, int, int]:  # fmt: skip
    """Report memory taken from the system, and returned, to a C function; return the arguments for the former one.

    The function is `void (int64_t label, int64_t lane, int64_t start, int64_t end, int64_t nbytes)`. It is called
    after each change, by any host allocator and possibly without the GIL. Bytes returned are negative. Times are
    those of CLOCK_MONOTONIC in ns.

    Arguments:
        report: the address of the function; 0 for none.
        lane: a number for the function.
        taken: the label of memory that was taken.
        returned: the label of memory that was returned.

    >>> observe_regions(*observe_regions(0))
    (0, 0, 0, 0)
    """
    former = lib.facula_observe_regions((report, lane, taken, returned))
    return former.report, former.lane, former.taken, former.returned


def refuse_next(count: int) -> None:
    """Make the next `count` requests to the system fail, in every allocator of the process. For tests."""
    lib.facula_refuse_next(count)
