"""The error raised when memory cannot be allocated."""

from __future__ import annotations

from facula_errors import FaculaError


def format_bytes(nbytes: int) -> str:
    """Format a number of bytes for people: exact below 1 KiB, then about three digits.

    >>> format_bytes(640), format_bytes(1536), format_bytes(3 << 30)
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


class OutOfMemoryError(FaculaError, MemoryError, RuntimeError):
    """Raised when an allocator cannot provide a block. All fields are in bytes.

    The first line of the message is a summary for logs. The caller that requested the memory may set `operation`
    ("matmul") and `purpose` ("float32 (4, 5)"), which that line then includes. An allocator sets `memory`, `remedy`,
    `device_free` (device memory that no other process has allocated either) and `explanation`: further lines that list
    who holds the memory and suggest remedies. The error pickles with all fields. Programs may raise it with a single
    text, which becomes the message; the fields are then 0.

    Arguments:
        requested: size of the requested block, or the message.
        allocated: bytes in blocks that are in use.
        reserved: bytes taken from the system, allocated and cached together.
        cached: idle bytes, kept for reuse.
        limit: upper bound of `reserved`, or None.

    >>> print(OutOfMemoryError(3 << 20, 1 << 20, 2 << 20, 1 << 20, 4 << 20))
    out of memory: 3 MiB of host memory requested; 1 MiB in use, 1 MiB idle, limit 4 MiB. Keep fewer tensors alive \
at once, or raise the limit (FACULA_HOST_LIMIT)
    """

    operation: str | None = None
    purpose: str | None = None
    memory = "host memory"
    remedy = "raise the limit (FACULA_HOST_LIMIT)"
    explanation = ""
    device_free: int | None = None

    def __init__(
        self,
        requested: int | str = "",
        allocated: int = 0,
        reserved: int = 0,
        cached: int = 0,
        limit: int | None = None,
    ):
        self.text = requested if isinstance(requested, str) else None
        if self.text is None:
            super().__init__(requested, allocated, reserved, cached, limit)
        else:
            super().__init__(self.text)
        self.requested = 0 if isinstance(requested, str) else requested
        self.allocated = allocated
        self.reserved = reserved
        self.cached = cached
        self.limit = limit

    def __str__(self) -> str:
        if self.text is not None:
            return self.text
        by = "" if self.operation is None else f" by {self.operation}"
        purpose = "" if self.purpose is None else f" for {self.purpose}"
        held = f"{format_bytes(self.allocated)} in use, {format_bytes(self.cached)} idle"
        if self.device_free is not None:
            held += f", {format_bytes(self.device_free)} of the device free"
        if self.limit is not None:
            held += f", limit {format_bytes(self.limit)}"
        first = f"out of memory: {format_bytes(self.requested)} of {self.memory} requested{by}{purpose}; {held}"
        return f"{first}\n{self.explanation}" if self.explanation else f"{first}. {self._advice()}"

    def _advice(self) -> str:
        if self.limit is None or self.reserved + self.requested <= self.limit:
            return "The system refused: keep fewer tensors alive at once, or close other programs"
        if self.requested > self.limit:
            return f"Ask for less at once, or {self.remedy}"
        return f"Keep fewer tensors alive at once, or {self.remedy}"
