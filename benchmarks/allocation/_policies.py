"""Published algorithms of other allocators as policies over addresses, for comparing peaks: unvalidated.

They are written from documentation, not from source, and no snapshot of a real run has checked them yet. All handle a
block's uses on other streams as PyTorch documents it: freeing the block records an event on each of those streams,
and each allocation polls the events. CuPy and the binning policies have no such mechanism; they would have to wait
for the device.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable

from facula_allocator.extend import block_size
from facula_allocator.traces import (
    Allocate,
    Complete,
    EmptyCache,
    Free,
    Refuse,
    Synchronize,
    Trace,
    Use,
)

KIB, MIB = 1 << 10, 1 << 20


def up(nbytes: int, step: int) -> int:
    """Round a size up to a multiple."""
    return -(-nbytes // step) * step


class Full(Exception):
    """A device has no memory left, even after the policy released idle memory."""


class Policy:
    """An allocator that replays a trace: memory reserved, its peak, and blocks that wait for events.

    A policy defines `place` and `put_back`; handles are opaque. `capacity` is the size of the device in bytes.
    """

    def __init__(self) -> None:
        self.capacity = 1 << 62
        self.reserved = self.peak = 0
        self._handles: dict[int, tuple[object, set[int], int]] = {}
        self._waiting: list[tuple[object, set[int], int]] = []
        self._over: dict[int, int] = {}
        self._all_over = -1
        self._requests = 0
        self._news = False

    def place(self, nbytes: int, stream: int, pool: int) -> object:
        """Allocate a block."""
        raise NotImplementedError

    def put_back(self, handle: object) -> None:
        """Free a block whose work is complete, or ordered on its stream."""
        raise NotImplementedError

    def give_back(self, nbytes: int, key: object) -> None:
        """Release idle memory to the device, as far as the policy does so, after a request of `nbytes` failed."""

    def reserve(self, nbytes: int, key: object = None) -> None:
        """Reserve memory of the device."""
        if self.reserved + nbytes > self.capacity:
            self._all_over, self._news = self._requests, True
            self._poll()
            self.give_back(nbytes, key)
            if self.reserved + nbytes > self.capacity:
                raise Full
        self.reserved += nbytes
        self.peak = max(self.peak, self.reserved)

    def play(self, trace: Trace) -> int:
        """Return the peak of reserved bytes over a trace."""
        for event in trace.events:
            match event:
                case Allocate(id, nbytes, stream, _, pool):
                    self._poll()
                    self._handles[id] = self.place(nbytes, stream, pool), set(), stream
                case Free(id):
                    handle, uses, stream = self._handles.pop(id)
                    uses.discard(stream)
                    if uses:
                        self._waiting.append((handle, uses, self._requests))
                        self._news = True
                    else:
                        self.put_back(handle)
                case Use(id, stream):
                    self._handles[id][1].add(stream)
                case Complete(stream, before):
                    self._over[stream] = max(before, self._over.get(stream, -1))
                    self._news = True
                case Synchronize(before):
                    self._all_over = max(before, self._all_over)
                    self._news = True
                case EmptyCache():
                    self._all_over, self._news = self._requests, True
                    self._poll()
            self._requests += isinstance(event, Allocate | Refuse | Free)
        return self.peak

    def _poll(self) -> None:
        if not self._news:
            return
        left = []
        for entry in self._waiting:
            handle, uses, requests = entry
            if all(requests <= max(self._all_over, self._over.get(stream, -1)) for stream in uses):
                self.put_back(handle)
            else:
                left.append(entry)
        self._waiting, self._news = left, False


class Chunk:
    """Bytes of a segment, with its neighbours."""

    __slots__ = ("address", "free", "key", "left", "right", "size")

    def __init__(self, address: int, size: int, key: object):
        self.address, self.size, self.key = address, size, key
        self.free = True
        self.left: Chunk | None = None
        self.right: Chunk | None = None

    @property
    def whole(self) -> bool:
        """Whether this is all of its segment."""
        return self.left is None and self.right is None


class BestFit(Policy):
    """Free chunks by size for each key (a stream, a pool, a kind); split at allocation, merged when freed.

    Arguments:
        granularity: sizes are multiples of it.
        segment: the bytes to reserve on the device for a size.
        kind: small or large, by size.
        splits: whether a remainder of this size is split off, by (kind, bytes).
    """

    def __init__(
        self, granularity: int, segment: Callable[[int], int], kind: Callable[[int], int],
        splits: Callable[[int, int], bool],
    ) -> None:  # fmt: skip
        super().__init__()
        self._granularity, self._segment, self._kind, self._splits = granularity, segment, kind, splits
        self._free: defaultdict[object, list[tuple[int, int, Chunk]]] = defaultdict(list)
        self._next = 0

    def place(self, nbytes: int, stream: int, pool: int) -> object:
        """Return the smallest free chunk that fits, or a new segment."""
        size = max(self._granularity, up(nbytes, self._granularity))
        kind = self._kind(size)
        key = stream, pool, kind
        free = self._free[key]
        at = bisect_left(free, (size,))
        if at < len(free):
            chunk = free.pop(at)[2]
        else:
            chunk = self._grow(size, key)
        rest = chunk.size - size
        if rest and self._splits(kind, rest):
            other = Chunk(chunk.address + size, rest, key)
            other.left, other.right, chunk.right, chunk.size = chunk, chunk.right, other, size
            if other.right is not None:
                other.right.left = other
            insort(free, (rest, other.address, other))
        chunk.free = False
        return chunk

    def put_back(self, handle: object) -> None:
        """Merge with free neighbours."""
        assert isinstance(handle, Chunk)
        chunk, free = handle, self._free[handle.key]
        chunk.free = True
        for other in (chunk.left, chunk.right):
            if other is not None and other.free:
                free.pop(bisect_left(free, (other.size, other.address)))
                first, second = (other, chunk) if other is chunk.left else (chunk, other)
                first.size += second.size
                first.right = second.right
                if first.right is not None:
                    first.right.left = first
                chunk = first
        insort(free, (chunk.size, chunk.address, chunk))

    def give_back(self, nbytes: int, key: object) -> None:
        """Release the smallest idle segment that is large enough, or else all idle segments."""
        over = self.reserved + nbytes - self.capacity
        enough = [entry for entry in self._free[key] if entry[2].whole and entry[0] >= max(over, nbytes)]
        idle = [entry for free in self._free.values() for entry in free if entry[2].whole]
        for entry in enough[:1] or idle:
            self._free[entry[2].key].remove(entry)
            self.reserved -= entry[0]

    def _grow(self, size: int, key: object) -> Chunk:
        nbytes = self._segment(size)
        self.reserve(nbytes, key)
        self._next += nbytes + self._granularity  # segments never touch
        return Chunk(self._next - nbytes, nbytes, key)


def pytorch() -> BestFit:
    """Return PyTorch's policy: 512 bytes, segments of 2 and 20 MiB, then multiples of 2 MiB; splits above 1 MiB."""

    def segment(size: int) -> int:
        return 2 * MIB if size <= MIB else 20 * MIB if size < 10 * MIB else up(size, 2 * MIB)

    return BestFit(512, segment, lambda size: size > MIB, lambda large, rest: rest > MIB if large else rest >= 512)


def cupy() -> BestFit:
    """Return CuPy's policy: 512 bytes, a segment for each request without a free chunk, all remainders split off."""
    return BestFit(512, lambda size: size, lambda size: 0, lambda kind, rest: rest >= 512)


class Expandable(BestFit):
    """PyTorch's expandable segments: one range for each key, which grows by pages of 2 or 20 MiB."""

    def __init__(self) -> None:
        base = pytorch()
        super().__init__(512, base._segment, base._kind, base._splits)
        self._last: dict[object, Chunk] = {}

    def _grow(self, size: int, key: object) -> Chunk:
        page = 20 * MIB if isinstance(key, tuple) and key[2] else 2 * MIB
        last = self._last.get(key)
        while last is not None and last.right is not None:
            last = last.right
        tail = last if last is not None and last.free else None
        more = up(size - (0 if tail is None else tail.size), page)
        self.reserve(more)
        if tail is not None:
            free = self._free[key]
            free.pop(bisect_left(free, (tail.size, tail.address)))
            tail.size += more
            return tail
        start = last.address + last.size if last is not None else len(self._last) << 45
        made = Chunk(start, more, key)
        if last is None:
            self._last[key] = made
        else:
            last.right, made.left = made, last
        return made


class Bins(Policy):
    """Blocks of fixed sizes, reused for their own size and stream.

    Arguments:
        size_of: the size of the block that serves a request.
        slab_of: the bytes to reserve on the device at once, for a size.
    """

    def __init__(self, size_of: Callable[[int], int], slab_of: Callable[[int], int]):
        super().__init__()
        self._size_of, self._slab_of = size_of, slab_of
        self._idle: defaultdict[object, int] = defaultdict(int)

    def place(self, nbytes: int, stream: int, pool: int) -> object:
        """Return an idle block of its size, or a slab of them."""
        size = self._size_of(max(1, nbytes))
        key = stream, pool, size
        if not self._idle[key]:
            slab = self._slab_of(size)
            self.reserve(slab)
            self._idle[key] = slab // size
        self._idle[key] -= 1
        return key

    def put_back(self, handle: object) -> None:
        """Mark the block as idle."""
        self._idle[handle] += 1


def powers_of_two() -> Bins:
    """Return a policy of powers of two, from 512 bytes, with one reservation for each block."""
    return Bins(lambda nbytes: max(512, 1 << (nbytes - 1).bit_length()), lambda size: size)


def size_classes() -> Bins:
    """Return HostAllocator's policy: four sizes for each power of two, small ones in slabs."""

    def slab(size: int) -> int:
        return size if size > MIB else size * max(1, min(256 * KIB, max(16 * KIB, 512 * size)) // size)

    return Bins(block_size, slab)


def smallest_device(policy: Callable[[], Policy], trace: Trace, step: int = 2 * MIB) -> int:
    """Return the least multiple of `step` in which a policy can play a trace, found by bisection."""

    def fits(steps: int) -> bool:
        made = policy()
        made.capacity = steps * step
        try:
            made.play(trace)
        except Full:
            return False
        return True

    low, high = 0, -(-policy().play(trace) // step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high * step


POLICIES: dict[str, Callable[[], Policy]] = {
    "PyTorch": pytorch,
    "PyTorch, expandable": Expandable,
    "CuPy": cupy,
    "powers of two": powers_of_two,
    "size classes": size_classes,
}
NEED_PAGES = ("PyTorch, expandable",)
