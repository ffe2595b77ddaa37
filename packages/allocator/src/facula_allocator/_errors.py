"""The error for memory that cannot be had."""

from __future__ import annotations

from facula_errors import FaculaError


def readable(nbytes: int) -> str:
    """Bytes for people: exact below 1 KiB, then three digits or so.

    >>> readable(640), readable(1536), readable(3 << 30)
    ('640 B', '1.5 KiB', '3 GiB')
    """
    if nbytes < 1024:
        return f"{nbytes} B"
    size = float(nbytes)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        size /= 1024
        if size < 1000 or unit == "TiB":
            break
    return f"{size:.4g} {unit}"


class OutOfMemoryError(FaculaError, MemoryError):
    """An allocator could not give a block. All fields are in bytes.

    Who asked for the memory may set `operation` ("matmul") and `purpose` ("float32 (4, 5)"), which the message then
    names; an allocator of other memory sets `memory` and `remedy`. Pickles whole.

    Arguments:
        requested: the block that was asked for.
        allocated: in blocks that are in use.
        reserved: taken from the system, allocated and cached together.
        cached: idle, kept for reuse.
        limit: the most that `reserved` may be, or None.

    >>> print(OutOfMemoryError(3 << 20, 1 << 20, 2 << 20, 1 << 20, 4 << 20))
    refill: expected 3 MiB more host memory within limit=4 MiB; 1 MiB are in use and 1 MiB idle. Keep \
fewer tensors alive at once or raise the limit (FACULA_HOST_LIMIT)
    """

    operation = "refill"
    purpose: str | None = None
    memory = "host memory"
    remedy = "raise the limit (FACULA_HOST_LIMIT)"

    def __init__(self, requested: int, allocated: int, reserved: int, cached: int, limit: int | None = None):
        super().__init__(requested, allocated, reserved, cached, limit)
        self.requested = requested
        self.allocated = allocated
        self.reserved = reserved
        self.cached = cached
        self.limit = limit

    def __str__(self) -> str:
        held = f"{readable(self.allocated)} are in use and {readable(self.cached)} idle"
        want = f"{self.operation}: expected {readable(self.requested)} more {self.memory}"
        if self.purpose is not None:
            want += f" for {self.purpose}"
        if self.limit is not None and self.reserved + self.requested > self.limit:
            return (
                f"{want} within limit={readable(self.limit)}; {held}. Keep fewer tensors alive at once or {self.remedy}"
            )
        return f"{want}; the system refused ({held}). Keep fewer tensors alive at once, or close other programs"
