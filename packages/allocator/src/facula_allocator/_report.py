"""Memory in words and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from ._errors import readable
from ._host import default_host_allocator

if TYPE_CHECKING:
    from ._host import HostAllocator


@boundary
def memory_summary(allocator: HostAllocator | None = None) -> str:
    """A table of what `allocator` (by default the shared one) holds, for people: totals, then each size class.

    >>> from facula_allocator import HostAllocator
    >>> allocator = HostAllocator(limit=1 << 20)
    >>> address, release = allocator.refill(1 << 16)
    >>> print(memory_summary(allocator))
    host memory
      in use            64 KiB  in 1 block
      idle                 0 B
      from the system   64 KiB  (peak 64 KiB, limit 1 MiB)
      asked the system  1 time, gave back 0 times
    <BLANKLINE>
      block       in use    idle
      64 KiB           1       0
    """
    allocator = default_host_allocator() if allocator is None else allocator
    now = allocator.statistics()
    limit = "no limit" if allocator.limit is None else f"limit {readable(allocator.limit)}"
    lines = [
        "host memory",
        f"  in use           {readable(now['allocated_bytes']):>7}  in {_count(now['allocated_blocks'], 'block')}",
        f"  idle             {readable(now['cached_bytes']):>7}",
        f"  from the system  {readable(now['reserved_bytes']):>7}  "
        f"(peak {readable(now['peak_reserved_bytes'])}, {limit})",
        f"  asked the system  {_count(now['system_allocations'], 'time')}, "
        f"gave back {_count(now['system_releases'], 'time')}",
    ]
    rows = allocator.size_classes()
    if rows:
        lines += ["", "  block       in use    idle"]
    for row in rows:
        lines.append(f"  {readable(row.block_bytes):<9}{row.allocated_blocks:>9}{row.cached_blocks:>8}")
    return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
