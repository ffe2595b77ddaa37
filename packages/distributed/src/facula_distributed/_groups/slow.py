"""Programs that say that they will be slow."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._shm import ffi
from .groups import default_group

if TYPE_CHECKING:
    from collections.abc import Iterator


@boundary
@contextmanager
def expect_slow(reason: str) -> Iterator[None]:
    """Return a context in which other processes may wait long for this one, for example during an evaluation.

    Instead of a warning with the stack of this process, one line states the reason. The timeout remains.

    Arguments:
        reason: a few words, of which 111 bytes are kept.

    Raises:
        ValueError: there is no default process group.

    >>> from facula_distributed import HashStore, destroy_process_group, init_process_group
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> with expect_slow("evaluation"):
    ...     sum(range(10))
    45
    >>> destroy_process_group()
    """
    if not isinstance(reason, str) or not reason:
        raise InvalidTypeError(f"expect_slow: expected reason to be a few words; got {reason!r}")
    world = default_group()._member.world
    field = world.board.place(world.rank).reason
    former = bytes(ffi.buffer(field))
    ffi.memmove(field, reason.encode(errors="replace")[: len(former) - 1].ljust(len(former), b"\0"), len(former))
    try:
        yield
    finally:
        ffi.memmove(field, former, len(former))
