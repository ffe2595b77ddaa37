"""Remedies for out-of-memory errors, derived from the allocator's state: one function for each family of causes.

Each function takes the `Case` and returns a sentence, or None if its cause does not apply. The most informative come
first.
"""

from __future__ import annotations

from typing import NamedTuple

from .._errors import format_bytes
from .._reports.call_sites import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._figures import PoolFigures, SnapshotFigures


class Case(NamedTuple):
    """A request that could not be served, and the known state at that moment."""

    nbytes: int
    figures: SnapshotFigures
    own: PoolFigures  # the pool that should have served it
    settings: Mapping[str, object]
    device_free: int | None
    device_total: int | None
    limit: int | None

    def over_limit(self) -> bool:
        return self.limit is not None and self.figures.reserved + self.nbytes > self.limit

    def has_no_fit(self) -> bool:
        return self.own.largest_free < self.nbytes


def request_too_large(case: Case) -> str | None:
    most = [limit for limit in (case.device_total, case.limit) if limit is not None]
    if not most or case.nbytes <= min(most):
        return None
    what = "the limit" if min(most) == case.limit else "the whole device"
    size = format_bytes(min(most))
    return f"The request alone is larger than {what} ({size}): request less at once, for example with smaller batches"


def limit_reached(case: Case) -> str | None:
    if not case.over_limit() or case.limit is None or case.nbytes > case.limit:
        return None
    rest = ""
    if case.device_free is not None and case.device_free >= case.nbytes:
        rest = f", although the device has {format_bytes(case.device_free)} free"
    return f"The limit of {format_bytes(case.limit)} stops this{rest}: raise the limit or the memory fraction"


def pool_fragmented(case: Case) -> str | None:
    if not case.has_no_fit() or case.own.free < case.nbytes:
        return None
    largest = format_bytes(case.own.largest_free)
    free = f"{format_bytes(case.own.free)} are free in this pool, but in pieces of at most {largest}"
    remedy = "allocate long-lived memory before short-lived memory"
    if case.settings.get("expandable_segments", False) is None:  # the driver does not support them
        return f"{free}: {remedy}, or free some of the blocks between them"
    if case.settings.get("expandable_segments"):
        return f"{free}, and expandable segments are on: {remedy}, or free some of the blocks between them"
    if "expandable_segments" in case.settings:
        return f"{free}: turn on expandable_segments, which serve a request from any free pages"
    return f"{free}: an allocator with expandable segments serves a request from any free pages"


def split_too_far(case: Case) -> str | None:
    """Free pieces share segments with live blocks, so these segments cannot be released."""
    split = case.figures.free - case.figures.idle
    if case.own.free >= case.nbytes or not case.has_no_fit() or split < case.nbytes:
        return None
    bound = case.settings.get("max_split_size")
    remedy = "a lower" if isinstance(bound, int) and bound > 0 else "setting"
    return (
        f"{format_bytes(split)} are free in segments that also contain live blocks, and cannot be released: "
        f"{remedy} max_split_size keeps large blocks from being cut for small requests"
    )


def idle_in_other_pools(case: Case) -> str | None:
    others = [pool for pool in case.figures.pools if pool[:3] != case.own[:3] and pool.idle]
    idle = sum(other.idle for other in others)
    if not others or idle < max(case.nbytes // 4, 1):
        return None
    most = max(others, key=lambda pool: pool.idle)
    private = most.pool != (0, 0)
    remedy = (
        "drop the graphs or memory pools that are no longer used, or let them share one pool"
        if private
        else "empty_cache() releases them; run the work that needs them on the same stream"
    )
    return f"{format_bytes(idle)} are idle in other pools, most of it in {most}: {remedy}"


def awaited_by_streams(case: Case) -> str | None:
    if case.figures.waiting < max(case.nbytes // 4, 1):
        return None
    return (
        f"{format_bytes(case.figures.waiting)} are freed, but other streams may still use them: synchronize these "
        "streams, or free memory only after their work has ended"
    )


def capture_in_progress(case: Case) -> str | None:
    if not case.settings.get("capturing") or not case.figures.free + case.figures.waiting:
        return None
    return "A graph is being captured, so no memory can be awaited or released: free memory before the capture"


def used_outside_allocator(case: Case) -> str | None:
    if case.device_total is None or case.device_free is None or case.device_free >= case.nbytes:
        return None
    others = case.device_total - case.device_free - case.figures.reserved
    if others * 10 < case.device_total:
        return None
    return (
        f"{format_bytes(others)} of the device are in use outside this allocator: check for other allocators and "
        "processes, and for libraries in this process with their own pools"
    )


def held_by_one_line(case: Case) -> str | None:
    figures = case.figures
    if not figures.lines or figures.lines[0].name == str(UNKNOWN):
        return None
    most = figures.lines[0]
    if most.nbytes * 2 < figures.allocated:
        return None
    share = f"{most.name} holds {percent(most.nbytes, figures.allocated)} of the live bytes in {counted(most.blocks)}"
    if most.blocks >= 16 and most.largest * most.blocks < 2 * most.nbytes:
        return f"{share} of similar sizes: does each step keep one, for example in a list of results with their graphs?"
    return f"{share}: start there"


def lost_to_rounding(case: Case) -> str | None:
    lost = case.figures.allocated - case.figures.requested
    if lost < case.nbytes // 4 or lost * 10 < case.figures.allocated or not lost:
        return None
    divisions = case.settings.get("roundup_power2_divisions")
    chosen = any(divisions.values()) if isinstance(divisions, dict) else bool(divisions)
    remedy = "raise roundup_power2_divisions, or set it to 0" if chosen else "allocate many small blocks as one"
    return f"{format_bytes(lost)} of the memory in use are rounding: {remedy}"


def lines_not_recorded(case: Case) -> str | None:
    if not case.figures.lines or case.figures.lines[0].name != str(UNKNOWN):
        return None
    if case.settings.get("history") is False:  # an allocator of this package
        return "Call record_history() on the allocator to see which lines hold the memory"
    if case.settings.get("history"):
        return "Most of this was allocated before record_history(): call it earlier to see which lines hold the memory"
    return "Most lines were not recorded: record a history to see which lines hold the memory"


def memory_in_use(case: Case) -> str | None:
    if not case.figures.allocated or case.figures.allocated * 10 < case.figures.reserved * 9:
        return None
    share = percent(case.figures.allocated, case.figures.reserved)
    return (
        f"{share} of the reserved memory is really in use: use smaller batches with gradient accumulation, "
        "checkpointing, or a smaller dtype"
    )


CAUSES = (
    request_too_large,
    limit_reached,
    pool_fragmented,
    idle_in_other_pools,
    split_too_far,
    awaited_by_streams,
    capture_in_progress,
    used_outside_allocator,
    held_by_one_line,
    lost_to_rounding,
    memory_in_use,
    lines_not_recorded,
)


def advice(case: Case) -> list[str]:
    """Return the applicable remedies, most important first; at least one sentence."""
    found = [said for cause in CAUSES if (said := cause(case)) is not None]
    return found or ["Free memory that is no longer needed, or request less at once"]


def percent(part: int, whole: int) -> str:
    """Format a share for people.

    >>> percent(1, 3), percent(0, 0)
    ('33%', '0%')
    """
    return f"{100 * part / whole if whole else 0:.0f}%"


def counted(number: int, noun: str = "block") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
