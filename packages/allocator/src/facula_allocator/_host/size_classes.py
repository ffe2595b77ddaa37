"""Blocks of one size: their capacity, their slabs, and the list of idle blocks."""

from __future__ import annotations

from functools import partial
from itertools import count as count_from
from typing import TYPE_CHECKING

from .process import collecting
from .regions import Account, address_of, release_region

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._host_memory import Region

    Block = tuple[int, Callable[[], object]]

ALIGNMENT = 64
MAX_SLAB_BLOCK = 1 << 20  # bytes; larger blocks are mapped one by one
MAX_BLOCK_BYTES = 1 << 56  # bytes; more than any machine has, and sums of sizes still fit into 64 bits
MIN_SLAB, MAX_SLAB, BLOCKS_PER_SLAB = 16 << 10, 256 << 10, 512

_LAST = (-1,)
_NO_KEYWORDS: dict[str, object] = {}
_DISCARDED = (int, (), _NO_KEYWORDS, None)  # the state of a release that does nothing
_next_serial = count_from().__next__


def block_size(nbytes: int) -> int:
    """Return the capacity of the block that serves `nbytes` (at least 1): four sizes per power of two.

    Capacities are multiples of 64 bytes, and of 2 MiB from 8 MiB on.

    >>> [block_size(n) for n in (1, 64, 65, 257, 1000, (1 << 20) + 1, 9 << 20)]
    [64, 64, 128, 320, 1024, 1310720, 10485760]
    """
    step = max(ALIGNMENT, 1 << max(0, (nbytes - 1).bit_length() - 3))
    return -(-nbytes // step) * step


class SizeClass:
    """Blocks of equal size, cut from slabs or mapped one by one, and the lists of idle ones.

    A block is an entry (address, release). The release is a C callable that appends the entry to `free`, so releasing
    runs no Python code, and taking is `free.pop`; both are atomic. Neither updates a counter: all blocks that are not
    idle count as in use. `spare` contains blocks that were never handed out; see Note [Blocks released during a
    collection]. `held` contains idle blocks that `trim` is examining.
    """

    __slots__ = ("free", "held", "nbytes", "regions", "slabs", "spare")

    def __init__(self, nbytes: int):
        self.nbytes = nbytes
        self.free: list[Block] = []
        self.spare: list[Block] = []
        self.held: list[Block] = []
        self.slabs: dict[int, int] = {}  # serial number: number of blocks
        # Regions by serial number. Blocks refer to their region too. But when all blocks of a slab die in one cycle,
        # the collector would also finalise the region, although the blocks' releases make them idle, not freed.
        self.regions: dict[int, Region] = {}

    def blocks(self) -> int:
        """Return the number of all blocks, in use and idle."""
        return sum(self.slabs.values())

    def idle_blocks(self) -> int:
        """Return the number of idle blocks."""
        return len(self.free) + len(self.spare) + len(self.held)

    def take(self) -> Block | None:
        """Return an idle block that may be handed out now, or None."""
        free, spare = self.free, self.spare
        taken: list[Block] = []
        try:
            if not collecting:
                if spare:
                    _move(spare, free)
                taken.extend(map(free.pop, _LAST))
                if not collecting:
                    return taken[0]
                _move(taken, free)  # a collection has begun, and may have released the block
            taken.extend(map(spare.pop, _LAST))
            return taken[0]
        except IndexError:
            return None
        except BaseException:
            _move(taken, free)
            raise

    def grow(self, account: Account, sparing: bool = False) -> Block | None:
        """Return a block from a new slab, whose other blocks become idle; None if the system refuses.

        Slab sizes double, so that a process with few tensors uses little memory and one with many rarely asks the
        system; `sparing` requests a single block.
        """
        size = self.nbytes
        if sparing or size > MAX_SLAB_BLOCK:
            count = 1
        else:
            wanted = max(self.blocks(), MIN_SLAB // size)
            count = max(1, min(wanted, MAX_SLAB // size, BLOCKS_PER_SLAB))
        region = account.region(count * size, pages=True)
        if region is None:
            return None
        serial = _next_serial()
        mine: Block | None = None
        try:
            entries = self._cut(region, serial, count)
            mine = entries.pop()  # taken before the others become idle, where another thread could take it
            # No call before the last of these three statements, so that all or none take effect.
            self.slabs[serial] = count
            self.regions[serial] = region
            (self.spare if collecting else self.free).extend(entries)
        except BaseException:
            if serial not in self.slabs:
                release_region(region)
            elif mine is not None:
                mine[1]()
            raise
        return mine

    def _cut(self, region: Region, serial: int, count: int) -> list[Block]:
        """Return the blocks of a new slab."""
        size, base, append = self.nbytes, address_of(region), self.free.append
        slab = {"region": region, "serial": serial, "nbytes": size}  # the __dict__ that the slab's releases share
        entries: list[Block] = []
        for address in range(base, base + count * size, size):
            release = partial(append)
            entry = (address, release)
            # An entry and its release refer to each other, so the release is completed last.
            release.__setstate__((append, (entry,), _NO_KEYWORDS, slab))  # type: ignore[attr-defined]
            entries.append(entry)
        return entries

    def trim(self, enough: int) -> int:
        """Release idle slabs to the system until `enough` bytes are released; return the number of bytes.

        One thread at a time. Other threads may take and release blocks concurrently; they find fewer idle blocks. When
        Ctrl-C interrupts it, blocks stay in `held`, where the next call finds them, and `finish_trim` releases the
        slabs.
        """
        held = self.held
        _move(self.spare, held)
        _move(self.free, held)
        if collecting:  # checked after taking, as everywhere
            _move(held, self.free)
            return 0
        by_slab: dict[int, list[Block]] = {}
        for entry in held:
            by_slab.setdefault(entry[1].__dict__["serial"], []).append(entry)
        leaving, staying, given = [], [], 0
        for serial, entries in by_slab.items():
            if given < enough and len(entries) == self.slabs[serial]:
                leaving.append(serial)
                given += len(entries) * self.nbytes
            else:
                staying += entries
        removing = map(self.slabs.pop, leaving)
        # No call between these two, so no signal handler or other thread runs: the counts stay right.
        held[:] = staying
        sum(removing)
        _move(held, self.free)
        for serial in leaving:
            region = by_slab[serial][0][1].__dict__["region"]
            for entry in by_slab[serial]:
                entry[1].__setstate__(_DISCARDED)  # type: ignore[attr-defined]
            release_region(region)
            self.regions.pop(serial, None)
        return given

    def finish_trim(self) -> None:
        """Release slabs that an interrupted `trim` had already removed from the counts."""
        if len(self.regions) > len(self.slabs):
            for serial in self.regions.keys() - self.slabs.keys():
                release_region(self.regions[serial])
                self.regions.pop(serial, None)


def _move(source: list[Block], target: list[Block]) -> None:
    """Move all blocks in one C call: no thread and no Ctrl-C sees a block in neither list or in both."""
    try:
        target.extend(iter(source.pop, None))
    except IndexError:  # ends the iteration: `source` is empty
        pass
