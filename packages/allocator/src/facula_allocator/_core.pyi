"""The C module: the block core of a caching allocator, and its blocks."""

from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NoReturn, TypeAlias

class Block:
    """Memory in use, from `CachingAllocator.allocate`. Freed by `free` or with its last reference."""

    def __new__(cls, *args: NoReturn) -> Block: ...
    @property
    def ptr(self) -> int:
        """The address; 0 for a block of zero bytes."""
    @property
    def nbytes(self) -> int:
        """The requested bytes."""
    @property
    def capacity(self) -> int:
        """The usable bytes: the request, rounded up; 0 once freed."""
    @property
    def stream(self) -> int:
        """The stream on which the block can be reused immediately."""
    @property
    def freed(self) -> bool:
        """Whether the block has been freed."""
    def __call__(self) -> None:
        """Free the block. A block is its own release."""
    def free(self) -> None:
        """Return the block to its allocator. Raises InvalidValueError if it was already freed."""
    def record_use(self, stream: int, /) -> None:
        """Record that work on `stream` uses the block."""

class Core:
    """The block core of one allocator; see csrc/core.h."""

    listening: bool
    telling: bool
    abandoned: bool

    def __init__(
        self,
        collecting: set[str],
        granularity: int,
        small_size: int,
        small_segment: int,
        large_segment: int,
        huge_size: int,
        huge_step: int,
        max_split_size: int,
        roundup_power2_divisions: int,
        /,
    ) -> None: ...
    def take(self, nbytes: int, stream: int, pool: int, /) -> Block | None: ...
    def take_now(self, nbytes: int, stream: int, pool: int, /) -> Block | None: ...
    def take_any(self, nbytes: int, stream: int, pool: int, epoch: int, /) -> Block | None: ...
    def taker(self, nbytes: int, detours: list[Any], current: int, /) -> Callable[[], tuple[int, Block]]: ...
    def take_nothing(self, stream: int, /) -> Block: ...
    def borrow(self, nbytes: int, stream: int, pool: int, /) -> tuple[Block, int] | None: ...
    def undo_borrow(self, block: Block, lender: int, /) -> None: ...
    def drain(self) -> list[tuple[int, int, int, int, tuple[int, ...]]]: ...
    def take_waiting(self) -> list[tuple[int, int, int, int, int, int, tuple[int, ...]]]: ...
    def reclaim(self, id: int, epoch: int, /) -> None: ...
    def begin_epoch(self) -> int: ...
    def consolidate(self, epoch: int, /) -> None: ...
    def grow(self, address: int, size: int, nbytes: int, stream: int, pool: int, /) -> Block: ...
    def map(self, address: int, size: int, range: int, nbytes: int, stream: int, pool: int, /) -> Block: ...
    def unmap(self, address: int, size: int, epoch: int, /) -> bool: ...
    def free_pages(self, page: int, epoch: int, /) -> list[tuple[int, int, int, int, int, int]]: ...
    def runs(self, range: int, /) -> list[tuple[int, int, int, int]]: ...
    def idle_segments(self, epoch: int, /) -> list[tuple[int, int, int, int, int]]: ...
    def lent(self, pool: int, /) -> list[tuple[int, int]]: ...
    def recall(self, pool: int, borrower: int, home: int, epoch: int, /) -> None: ...
    def drop_segment(self, address: int, epoch: int, /) -> bool: ...
    def functions(self, allocate: Callable[[int, int], Block], detours: list[object], /) -> object: ...
    def round(self, nbytes: int, /) -> tuple[int, int, int]: ...
    def statistics(self) -> dict[str, int]: ...
    def reserved(self) -> int: ...
    def reset(self, totals: bool, /) -> None: ...
    def snapshot(self) -> list[tuple[int, int, int, int, int, bool, list[tuple[int, int, int, int, int]]]]: ...

def call_stack(depth: int, most: int, is_skipped: Callable[[FrameType], bool], /) -> tuple[CodeType | int, ...]:
    """Return the alternating code objects and instruction offsets of up to 64 frames, innermost first.

    Arguments:
        depth: number of frames to skip; 0 starts at the caller.
        most: the most frames.
        is_skipped: whether to omit a frame; usually called once per code object.
    """

def call_current(address: int, /) -> int:
    """Return the stream that the C function `int64_t current_stream(void)` at this address returns; 0 for none."""

_Freed: TypeAlias = tuple[int, int, int, int, tuple[int, ...]]
_Noted: TypeAlias = tuple[str, int, int, int, int, tuple[CodeType | int, ...]]

def take_noted(
    core: Core,
    append: Callable[[_Freed | _Noted], None],
    live: dict[int, tuple[CodeType | int, ...]],
    frames: int,
    is_skipped: Callable[[FrameType], bool],
    nbytes: int,
    stream: int,
    pool: int,
    /,
) -> Block | None:
    """Take a block as `core.take` does; record the blocks freed before and the block taken.

    Arguments:
        core: the allocator's core.
        append: receives the rows of `core.drain`, and (action, time, address, bytes, stream, stack).
        live: the stacks of live blocks, by address.
        frames: the most frames of a stack.
        is_skipped: as in `call_stack`.
        nbytes, stream, pool: as in `core.take`.
    """
