"""Blocks of one size: how large, from where, and the list of idle ones."""

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
MAX_BLOCK_BYTES = 1 << 56  # bytes; no machine has more, and sums of sizes still fit 64 bits
MIN_SLAB, MAX_SLAB, BLOCKS_PER_SLAB = 16 << 10, 256 << 10, 512

_LAST = (-1,)
_NO_KEYWORDS: dict[str, object] = {}
_DISCARDED = (int, (), _NO_KEYWORDS, None)  # the state of a release that does nothing
_next_serial = count_from().__next__


def block_size(nbytes: int) -> int:
    """The capacity of the block that serves `nbytes` (at least 1): four sizes per power of two.

    Multiples of 64 bytes, and from 8 MiB on of 2 MiB.

    >>> [block_size(n) for n in (1, 64, 65, 257, 1000, (1 << 20) + 1, 9 << 20)]
    [64, 64, 128, 320, 1024, 1310720, 10485760]
    """
    step = max(ALIGNMENT, 1 << max(0, (nbytes - 1).bit_length() - 3))
    return -(-nbytes // step) * step


class SizeClass:
    """Equal blocks, cut from slabs or mapped one by one, and the lists of those that are idle.

    A block is an entry (address, release). The release is a C callable that appends the entry to
    `free` again, so releasing runs no Python code, and taking is `free.pop`: both atomic. Nothing
    is counted on the way: in use are all blocks but the idle ones. `spare` holds blocks that were
    never handed out; see Note [Blocks released during a collection]. `held` are idle blocks that
    `trim` is looking at.
    """

    __slots__ = ("free", "held", "nbytes", "regions", "slabs", "spare")

    def __init__(self, nbytes: int):
        self.nbytes = nbytes
        self.free: list[Block] = []
        self.spare: list[Block] = []
        self.held: list[Block] = []
        self.slabs: dict[int, int] = {}  # serial number: number of blocks
        # Regions by serial number. Blocks refer to theirs too, but when all blocks of a slab die in one cycle the
        # collector would finalise the region with them, although their release makes them idle, not gone.
        self.regions: dict[int, Region] = {}

    def blocks(self) -> int:
        """All blocks, in use and idle."""
        return sum(self.slabs.values())

    def idle_blocks(self) -> int:
        """Blocks that nobody uses."""
        return len(self.free) + len(self.spare) + len(self.held)

    def take(self) -> Block | None:
        """An idle block that may be handed out now, or None."""
        free, spare = self.free, self.spare
        taken: list[Block] = []
        try:
            if not collecting:
                if spare:
                    _move(spare, free)
                taken.extend(map(free.pop, _LAST))
                if not collecting:
                    return taken[0]
                _move(taken, free)  # a collection began meanwhile, and may have released it
            taken.extend(map(spare.pop, _LAST))
            return taken[0]
        except IndexError:
            return None
        except BaseException:
            _move(taken, free)
            raise

    def grow(self, account: Account, sparing: bool = False) -> Block | None:
        """A block from a new slab, whose others become idle; None when the system refuses.

        Slabs double, so that a process with few tensors takes little and one with many asks
        seldom; `sparing` asks for one block.
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
            mine = entries.pop()  # not through a list, where another thread could take it
            # No call before the last of these three, so that all or none are done.
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
        """The blocks of a new slab."""
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
        """Give idle slabs back to the system until `enough` bytes are; returns the bytes given back.

        One thread at a time. Others may take and release meanwhile; they find fewer idle blocks.
        Interrupted by Ctrl-C, it leaves blocks in `held`, where the next call finds them, and slabs to `finish_trim`.
        """
        held = self.held
        _move(self.spare, held)
        _move(self.free, held)
        if collecting:  # looked at after taking, as everywhere
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
        # No call between these two, so no signal handler and no other thread: the counts stay right.
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
        """Give back slabs that an interrupted `trim` had taken out of the books."""
        if len(self.regions) > len(self.slabs):
            for serial in self.regions.keys() - self.slabs.keys():
                release_region(self.regions[serial])
                self.regions.pop(serial, None)


def _move(source: list[Block], target: list[Block]) -> None:
    """Move all blocks, in one call into C: no thread and no Ctrl-C sees one in neither list or in both."""
    try:
        target.extend(iter(source.pop, None))
    except IndexError:  # how the iteration ends: `source` is empty
        pass
