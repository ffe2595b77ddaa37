"""Expandable segments: memory mapped page by page into reserved address ranges, and unmapped from them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import NoMemoryError

from ..drivers.protocol import DriverError, as_refusal, check_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import Block, Core
    from .._observers.listeners import Listeners
    from ..drivers.protocol import VirtualMemory
    from .budget import Budget


class ReservedRange(NamedTuple):
    """A reserved address range, and the addresses of its mapped pages."""

    start: int
    nbytes: int
    pages: set[int]


class ReservedRanges:
    """The reserved ranges of an allocator: one for each stream, private pool and kind, and more when that one is full.

    A request that no idle block serves gets the missing pages, placed where the fewest are missing. Pages entirely
    inside idle blocks serve any other request, at any address: no memory is lost between blocks.

    Arguments:
        core: the allocator's core.
        driver: the source of pages.
        budget: the limit on the allocator's memory.
        listeners: receive the events.
        counts: receives `num_device_alloc` and `num_device_free`.
    """

    __slots__ = ("_budget", "_by_user", "_core", "_counts", "_driver", "_listeners", "held", "refusal", "usable")

    def __init__(self, core: Core, driver: VirtualMemory, budget: Budget, listeners: Listeners, counts: dict[str, int]):
        self._core = core
        self._driver = driver
        self._budget = budget
        self._listeners = listeners
        self._counts = counts
        self._by_user: dict[tuple[int, int, int], list[ReservedRange]] = {}
        self.held: dict[int, ReservedRange] = {}
        self.usable = True  # until the driver refuses addresses
        self.refusal: DriverError | None = None

    def grow(self, nbytes: int, stream: int, pool: int) -> Block | None:
        """Return a block that uses newly mapped pages; None if the limit or the driver refuses."""
        size, _, kind = self._core.round(nbytes)
        mine = self._by_user.setdefault((stream, pool, kind), [])
        for held in mine:
            found = self._place(held, size)
            if found is not None:
                break
        else:
            reserved = self._reserve(size)
            if reserved is None:
                return None
            mine.append(reserved)
            held, found = reserved, (reserved.start, self._whole_pages(size))
        address, wanted = found
        if not self._budget.allows(self._core, self._driver, wanted):
            return None
        mapped = False
        try:
            held.pages.update(range(address, address + wanted, self._driver.page_size))
            self._driver.map(address, wanted)
            mapped = True
            block = self._core.map(address, wanted, held.start, nbytes, stream, pool)
        except BaseException as error:
            if isinstance(error, DriverError) or (isinstance(error, MemoryError) and not mapped):
                held.pages.difference_update(range(address, address + wanted, self._driver.page_size))
                self.refusal = as_refusal(error)
                return None
            self._unmap_unknown(held, address, wanted)
            if isinstance(error, MemoryError):
                raise NoMemoryError("allocate: no memory for the allocator's own books") from None
            raise
        self._counts["num_device_alloc"] += 1
        self._listeners.notify("segment_map", address, wanted, wanted, stream)
        return block

    def release(self, epoch: int, open_pools: set[int], step: int) -> Iterator[int]:
        """Release pages idle since before the epoch, in pieces of up to about `step` bytes; yield their sizes."""
        step = self._whole_pages(step)
        for size, address, stream, pool, kind, start in sorted(
            self._core.free_pages(self._driver.page_size, epoch), reverse=True
        ):
            if pool in open_pools:
                continue
            for end in range(address + size, address, -step):
                first = max(address, end - step)
                try:
                    if not self._core.unmap(first, end - first, epoch):
                        break
                    self._driver.unmap(first, end - first)
                    self.held[start].pages.difference_update(range(first, end, self._driver.page_size))
                except BaseException as error:
                    if not isinstance(error, DriverError):
                        self._unmap_unknown(self.held[start], first, end - first)
                        raise
                    again = end - first if kind else self._driver.granularity
                    self._core.map(first, end - first, start, again, stream, pool).free()
                    break
                self._counts["num_device_free"] += 1
                self._listeners.notify("segment_unmap", first, end - first, end - first, stream)
                yield end - first

    def _unmap_unknown(self, held: ReservedRange, address: int, nbytes: int) -> None:
        """Unmap pages that are not in the core and that an interrupted call may have mapped."""
        if any([at <= address < at + length for at, length, *_ in self._core.runs(held.start)]):
            return  # in the core: the call was complete
        try:
            self._driver.unmap(address, nbytes)
        except DriverError:
            pass  # they were not mapped
        held.pages.difference_update(range(address, address + nbytes, self._driver.page_size))

    def _whole_pages(self, nbytes: int) -> int:
        page = self._driver.page_size
        return max(page, -(-nbytes // page) * page)

    def _reserve(self, size: int) -> ReservedRange | None:
        """Reserve a range as large as the device's memory; None if the driver has no addresses."""
        nbytes = self._whole_pages(max(size, self._driver.memory_info()[1] * 9 // 8))
        try:
            address = self._driver.reserve_addresses(nbytes)
        except (DriverError, MemoryError) as refusal:
            self.refusal, self.usable = as_refusal(refusal), False
            return None
        check_address(address, self._driver.page_size)
        made = self.held[address] = ReservedRange(address, nbytes, set())
        return made

    def _place(self, held: ReservedRange, size: int) -> tuple[int, int] | None:
        """Return the (address, bytes) where the fewest pages make `size` contiguous idle bytes; None if full."""
        runs = self._core.runs(held.start)
        edges = [(held.start, 0, 0, 0), *runs, (held.start + held.nbytes, 0, 0, 0)]
        best: tuple[int, int] | None = None
        for (before, length, _, idle_before), (after, _, idle_after, _) in pairwise(edges):
            start = before + length
            gap = after - start
            behind, ahead = self._whole_pages(size - idle_before), self._whole_pages(size - idle_after)
            if behind <= gap:
                found = start, behind
            elif gap and idle_before + gap + idle_after >= size:
                found = start, gap
            else:
                continue
            if ahead < found[1]:
                found = after - ahead, ahead
            if best is None or found[1] < best[1]:
                best = found
        return best


def release_ranges(driver: VirtualMemory, held: dict[int, ReservedRange]) -> None:
    """Unmap all pages of these ranges, and release their addresses."""
    while held:
        start, nbytes, pages = held[next(iter(held))]
        while pages:
            first = end = min(pages)
            while end in pages:
                end += driver.page_size
            driver.unmap(first, end - first)
            pages.difference_update(range(first, end, driver.page_size))
        driver.free_addresses(start, nbytes)
        del held[start]
