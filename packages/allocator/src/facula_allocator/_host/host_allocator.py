"""The allocator of host memory."""

from __future__ import annotations

import os
from functools import partial
from itertools import repeat
from time import sleep
from typing import TYPE_CHECKING
from weakref import WeakSet

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, trim_traceback

from .._errors import OutOfMemoryError
from .._observers.oom_observers import OomObservers
from .._settings import checked_fraction, default_cache_limit, setting_bytes, usable_memory
from .host_statistics import HostStatistics
from .process import COLLECTION_PAUSE, MAX_RETRIES, collecting, trimming, watch
from .regions import UNLIMITED, address_of, release_region
from .size_classes import ALIGNMENT, MAX_BLOCK_BYTES, MAX_SLAB_BLOCK, SizeClass, block_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from .size_classes import Block

# Up to these sizes a tuple lookup finds the size class: programs whose sizes rarely repeat need one per allocation.
FINE, FINE_STEP = 4096, ALIGNMENT  # bytes; every size class up to FINE is a multiple of FINE_STEP
COARSE, COARSE_STEP = MAX_SLAB_BLOCK, 1024  # and the same up to COARSE
# Bytes. Filling so large a block takes milliseconds, so allocating one is a good moment for `refill` to tidy.
TIDY_FROM_BYTES = 16 << 20

take_empty = repeat((0, int)).__next__  # zero bytes need neither an address nor a release
_never: Callable[[], Block] = [].pop  # always raises IndexError


@boundary
class HostAllocator(HostStatistics):
    """Caching allocator for host memory: 64-byte-aligned blocks from free lists by size, for tensors.

    A block is a pair (address, release); call the release exactly once. Its attribute `nbytes` is the block's size. The
    README shows how to use blocks with NumPy arrays. Safe to use from any thread and after a fork.

    Arguments:
        limit: the most bytes to take from the system, in use and idle together; None for no limit.
        cache_limit: idle bytes to keep (default: a quarter of the memory this process may use). The allocator checks it
            when it takes more memory from the system, at every block of 16 MiB or more, and in `tidy`.
        pools: reuse blocks. If False, each block is a malloc of exactly its size, freed on release. This is for
            AddressSanitizer, which cannot see errors inside a slab.

    >>> allocator = HostAllocator()
    >>> address, release = allocator.refill(1000)
    >>> address % 64, allocator.statistics()["allocated_bytes"]
    (0, 1024)
    >>> _ = release()
    >>> allocator.statistics()["allocated_bytes"]
    0
    >>> allocator.take_for(1000)() == (address, release)
    True
    """

    __slots__ = ("_coarse", "_fine", "_observers")

    def __init__(self, limit: int | None = None, cache_limit: int | None = None, pools: bool = True):
        if limit is not None and not 0 <= _checked_int("HostAllocator: limit", limit) <= UNLIMITED:
            raise InvalidValueError(f"HostAllocator: expected limit >= 0 bytes, below 2**63, or None; got {limit}")
        if cache_limit is not None and _checked_int("HostAllocator: cache_limit", cache_limit) < 0:
            raise InvalidValueError(f"HostAllocator: expected cache_limit >= 0 bytes or None; got {cache_limit}")
        self.cache_limit = default_cache_limit() if cache_limit is None else cache_limit
        super().__init__(limit, pools)
        self._observers: OomObservers[HostAllocator] = OomObservers()
        self._fine = self._table(FINE, FINE_STEP)
        self._coarse = self._table(COARSE, COARSE_STEP)
        watch(releases_regions=not pools)
        _allocators.add(self)

    def _table(self, up_to: int, step: int) -> tuple[Callable[[], Block], ...]:
        """Return the `take` callables for 0, step, 2 * step, ..., up_to bytes. A size class has one callable."""
        table: list[Callable[[], Block]] = [take_empty]
        while (nbytes := len(table) * step) <= up_to:
            served = min(block_size(nbytes), up_to) // step + 1 - len(table)
            table += [self._take_for(nbytes)] * served
        return tuple(table)

    def _size_class(self, nbytes: int) -> SizeClass:
        size = block_size(nbytes)
        found = self._classes.get(size)
        return found if found is not None else self._classes.setdefault(size, SizeClass(size))

    def set_memory_fraction(self, fraction: float | None) -> None:
        """Limit the allocator to a fraction of the process's usable memory, 0 < `fraction` <= 1; None for all of it."""
        limit, fraction = self._limit, checked_fraction("set_memory_fraction", fraction)
        if fraction is not None:
            part = int(fraction * usable_memory())
            limit = part if limit is None else min(limit, part)
        self._account.set_limit(limit)

    def take_for(self, nbytes: int) -> Callable[[], Block]:
        """Return a C callable that takes an idle block of at least `nbytes`, or raises IndexError: then call `refill`.

        For 16 MiB and more it always raises, because `refill` tidies idle memory at these sizes. Filling so large a
        block takes milliseconds, which hides the cost. The callable stays valid as long as the allocator. It must not
        be called while the cyclic garbage collector runs (see `refill`). A caller that cannot know may call it, check
        afterwards whether a collection has begun, and release the block in that case. Raises TypeError or ValueError if
        `nbytes` is not a size.
        """
        try:
            try:
                if 0 <= nbytes <= FINE:
                    return self._fine[(nbytes + FINE_STEP - 1) // FINE_STEP]
                if 0 <= nbytes <= COARSE:
                    return self._coarse[(nbytes + COARSE_STEP - 1) // COARSE_STEP]
                if type(nbytes) is int and nbytes > 0:
                    return self._take_for(nbytes)
            except TypeError:
                pass
            return self._take_for(checked_size("take_for", nbytes))
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _take_for(self, nbytes: int) -> Callable[[], Block]:
        if not nbytes:
            return take_empty
        return self._size_class(nbytes).free.pop if self._pools and nbytes < TIDY_FROM_BYTES else _never

    def refill(self, nbytes: int) -> Block:
        """Return a block of at least `nbytes`, idle or new. Raises OutOfMemoryError if there is none even after `trim`.

        Sufficient on its own to allocate, but about ten times slower than the callable that `take_for` returns. It may
        be called while the cyclic garbage collector runs: it then returns no memory that this collection has released.
        Raises TypeError or ValueError if `nbytes` is not a size.
        """
        try:
            if type(nbytes) is not int or nbytes < 0:
                nbytes = checked_size("refill", nbytes)
            if not nbytes:
                return take_empty()
            if nbytes > MAX_BLOCK_BYTES:
                return self._refuse(nbytes)
            if not self._pools:
                return self._exact_block(nbytes)
            size_class = self._size_class(nbytes)
            block = size_class.take()
            if block is None or nbytes >= TIDY_FROM_BYTES:
                self._tidy_after_take(block)
            if block is None:
                block = size_class.grow(self._account)
                if block is None:
                    block = self._last_resort(size_class)
                    if block is None:
                        return self._refuse(nbytes)
            return block
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _tidy_after_take(self, block: Block | None) -> None:
        """Tidy after taking a block, which must not be trimmed. After a Ctrl-C the block is released again."""
        try:
            self.tidy()
        except BaseException:
            if block is not None:
                block[1]()
            raise

    def _last_resort(self, size_class: SizeClass) -> Block | None:
        """Return a block after releasing all idle memory to the system, or None.

        It tries again if another thread takes the memory that a trim released; only trims that release nothing count
        as failures. During a collection idle memory must stay, so only memory below the limit is available; another
        thread's collection may end during a pause.
        """
        block = size_class.grow(self._account, sparing=True) if collecting else None
        if block is not None:
            return block
        self._counts["num_alloc_retries"] += 1
        failures = 0
        try:
            while block is None and failures < MAX_RETRIES:
                if collecting:
                    sleep(COLLECTION_PAUSE)
                with trimming:
                    while block is None and failures < MAX_RETRIES:
                        failures += not self.trim()
                        block = size_class.take() or size_class.grow(self._account, sparing=True)
                        if collecting:
                            break
        except BaseException:
            if block is not None:
                block[1]()
            raise
        return block

    def _exact_block(self, nbytes: int) -> Block:
        region = self._account.region(nbytes, pages=False)
        if region is None and self.trim():  # idle memory left over from following blocks
            region = self._account.region(nbytes, pages=False)
        if region is None:
            return self._refuse(nbytes)
        release = partial(release_region, region)
        release.nbytes = nbytes  # type: ignore[attr-defined]
        return address_of(region), release

    def _refuse(self, nbytes: int) -> Block:
        """Return a block if an out-of-memory observer freed memory; otherwise raise OutOfMemoryError."""
        self._counts["num_ooms"] += 1
        now = self.statistics()
        error = OutOfMemoryError(
            nbytes, now["allocated_bytes"], now["reserved_bytes"], now["cached_bytes"], self._account.limit
        )
        if self is not _default.get("host"):
            error.remedy = "raise the allocator's limit"
        if self._account.limit != self._limit:
            error.remedy = "raise the memory fraction (set_memory_fraction, set_per_process_memory_fraction)"
        error.explanation = self._explanation(nbytes)
        return self._observers.retry_after_observers(error, self, lambda: self.refill(nbytes))

    def _explanation(self, nbytes: int) -> str:
        """Return the lines of the error after its first: who holds the memory. Empty while blocks are not followed."""
        return ""

    def add_oom_observer(self, observer: Callable[[OutOfMemoryError, HostAllocator], object]) -> None:
        """Call `observer(error, allocator)` before an OutOfMemoryError is raised.

        The observer may log the error or free memory. If it returns True, the allocation is tried once more. An
        exception that it raises is added to the error as a note.
        """
        self._observers.add(observer)

    def remove_oom_observer(self, observer: Callable[[OutOfMemoryError, HostAllocator], object]) -> None:
        """Stop calling `observer`."""
        self._observers.remove(observer)

    def trim(self, keep: int = 0) -> int:
        """Release idle memory to the system until at most `keep` bytes are idle, large blocks first.

        Returns the number of bytes released. A slab is only released as a whole, so some idle bytes may stay. While the
        cyclic garbage collector runs, no memory is released.
        """
        given = 0
        if collecting:
            return given
        with trimming:
            for size_class in list(self._classes.values()):
                size_class.finish_trim()
            enough = self._idle_bytes() - checked_size("trim", keep, "keep")
            for _, size_class in sorted(self._classes.copy().items(), reverse=True):
                if given >= enough:
                    break
                if size_class.idle_blocks():
                    given += size_class.trim(enough - given)
            if given < enough and self._follower is not None:
                given += self._follower.trim()
        return given

    def empty_cache(self) -> int:
        """Release all idle memory to the system, as `trim()` does, and return the number of bytes."""
        return self.trim()

    def _idle_bytes(self) -> int:
        idle = sum([size_class.nbytes * size_class.idle_blocks() for size_class in list(self._classes.values())])
        return idle if self._follower is None else idle + self._follower.idle_bytes()

    def tidy(self) -> int:
        """Trim to `cache_limit` if more is idle; return the number of bytes released.

        `refill` does this before it takes more memory from the system, and for blocks of 16 MiB and more. Call it when
        the program is idle too, such as between two training steps. Mostly it only reads a counter.
        """
        if self._account.reserved() <= self.cache_limit:
            return 0
        return self.trim(self.cache_limit)

    def __repr__(self) -> str:
        return f"<HostAllocator, {self.statistics()['allocated_blocks']} blocks in use, limit={self.limit}>"


def _checked_int(what: str, value: object) -> int:
    """Return `value` as an int, or raise TypeError. bool is rejected: passing one here is a mistake."""
    if type(value) is int:
        return value
    try:
        if not isinstance(value, bool):
            return value.__index__()  # type: ignore[attr-defined,no-any-return]  # AttributeError is handled below
    except AttributeError:
        pass
    raise InvalidTypeError(f"{what}: expected an int (bytes); got {value!r} of type {type(value).__name__}")


def checked_size(operation: str, nbytes: object, name: str = "nbytes") -> int:
    nbytes = _checked_int(f"{operation}: {name}", nbytes)
    if nbytes < 0:
        raise InvalidValueError(f"{operation}: expected {name} >= 0; got {nbytes}")
    return nbytes


_allocators: WeakSet[HostAllocator] = WeakSet()
_default: dict[str, HostAllocator] = {}


def known_host_allocators() -> list[HostAllocator]:
    """Return all live host allocators."""
    return list(_allocators)


def reserved_bytes() -> int:
    """Return the bytes that all host allocators have taken from the system."""
    return sum([allocator._account.reserved() for allocator in known_host_allocators()])


def default_host_allocator() -> HostAllocator:
    """Return the allocator that the whole process shares, created on first use.

    It then reads these environment variables: `FACULA_HOST_LIMIT` and `FACULA_HOST_CACHE_LIMIT` (bytes, or with a unit:
    `4GiB`), and `FACULA_ALLOCATOR=malloc` for one malloc per block. Raises ValueError with the name of a variable whose
    value is invalid.

    >>> default_host_allocator() is default_host_allocator()
    True
    """
    found = _default.get("host")
    if found is None:
        kind = os.environ.get("FACULA_ALLOCATOR", "pools")
        if kind not in ("pools", "malloc"):
            raise InvalidValueError(f"FACULA_ALLOCATOR: expected pools or malloc; got {kind!r}")
        limit, cache_limit = setting_bytes("FACULA_HOST_LIMIT"), setting_bytes("FACULA_HOST_CACHE_LIMIT")
        found = _default.setdefault("host", HostAllocator(limit, cache_limit, kind == "pools"))
    return found
