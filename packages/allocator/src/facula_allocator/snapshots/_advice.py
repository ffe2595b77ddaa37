"""What to do when memory has run out, as the state says: each function is one family of causes.

Each gets the `Case` and gives a sentence, or None where it is not the cause. Those that come first say most.
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
    """A request that could not be served, and what is known of the state that it met."""

    nbytes: int
    figures: SnapshotFigures
    own: PoolFigures  # the pool that would have served it
    settings: Mapping[str, object]
    device_free: int | None
    device_total: int | None
    limit: int | None

    def over_limit(self) -> bool:
        return self.limit is not None and self.figures.reserved + self.nbytes > self.limit

    def fits_none(self) -> bool:
        return self.own.largest_free < self.nbytes


def too_large(case: Case) -> str | None:
    most = [one for one in (case.device_total, case.limit) if one is not None]
    if not most or case.nbytes <= min(most):
        return None
    what = "the limit" if min(most) == case.limit else "the whole device"
    size = format_bytes(min(most))
    return f"The request alone is larger than {what} ({size}): ask for less at once, as in smaller batches"


def limited(case: Case) -> str | None:
    if not case.over_limit() or case.limit is None or case.nbytes > case.limit:
        return None
    rest = ""
    if case.device_free is not None and case.device_free >= case.nbytes:
        rest = f", although the device has {format_bytes(case.device_free)} free"
    return f"The limit of {format_bytes(case.limit)} stops this{rest}: raise the limit or the memory fraction"


def fragmented(case: Case) -> str | None:
    if not case.fits_none() or case.own.free < case.nbytes:
        return None
    largest = format_bytes(case.own.largest_free)
    free = f"{format_bytes(case.own.free)} are free in this pool, but in pieces of at most {largest}"
    unrelated = "allocate what stays alive long before what does not"
    if case.settings.get("expandable_segments", False) is None:  # there are none here
        return f"{free}: {unrelated}, or free some of the blocks between them"
    if case.settings.get("expandable_segments"):
        return f"{free}, and expandable segments are on: {unrelated}, or free some of the blocks between them"
    if "expandable_segments" in case.settings:
        return f"{free}: turn on expandable_segments, which serve a request from any free pages"
    return f"{free}: an allocator with expandable segments serves a request from any free pages"


def split_too_far(case: Case) -> str | None:
    """Free pieces lie beside blocks that are alive, so that no segment can go back."""
    split = case.figures.free - case.figures.idle
    if case.own.free >= case.nbytes or not case.fits_none() or split < case.nbytes:
        return None
    bound = case.settings.get("max_split_size")
    remedy = "a lower" if isinstance(bound, int) and bound > 0 else "setting"
    return (
        f"{format_bytes(split)} are free in segments that hold live blocks, too, and cannot go back to the device: "
        f"{remedy} max_split_size keeps large blocks from being cut for small requests"
    )


def in_another_pool(case: Case) -> str | None:
    others = [one for one in case.figures.pools if one[:3] != case.own[:3] and one.idle]
    idle = sum(one.idle for one in others)
    if not others or idle < max(case.nbytes // 4, 1):
        return None
    most = max(others, key=lambda one: one.idle)
    private = most.pool != (0, 0)
    remedy = (
        "drop the graphs or memory pools that are no longer used, or let them share one pool"
        if private
        else "empty_cache() gives them back; run what needs them on the same stream"
    )
    return f"{format_bytes(idle)} are idle in other pools, most of it in {most}: {remedy}"


def awaited(case: Case) -> str | None:
    if case.figures.waiting < max(case.nbytes // 4, 1):
        return None
    return (
        f"{format_bytes(case.figures.waiting)} are freed, but other streams may still use them: synchronize these "
        "streams, or free what they use only when they have ended"
    )


def captured(case: Case) -> str | None:
    if not case.settings.get("capturing") or not case.figures.free + case.figures.waiting:
        return None
    return "A graph is being captured, so that nothing is waited for or given back: free memory before the capture"


def by_others(case: Case) -> str | None:
    if case.device_total is None or case.device_free is None or case.device_free >= case.nbytes:
        return None
    others = case.device_total - case.device_free - case.figures.reserved
    if others * 10 < case.device_total:
        return None
    return (
        f"{format_bytes(others)} of the device are in use outside this allocator: look for other allocators and "
        "processes, and for libraries in this one with a pool of their own"
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
        return f"{share} of about one size: is one kept each time, as by a list of results that hold their graph?"
    return f"{share}: begin there"


def rounded(case: Case) -> str | None:
    lost = case.figures.allocated - case.figures.requested
    if lost < case.nbytes // 4 or lost * 10 < case.figures.allocated or not lost:
        return None
    divisions = case.settings.get("roundup_power2_divisions")
    chosen = any(divisions.values()) if isinstance(divisions, dict) else bool(divisions)
    remedy = "raise roundup_power2_divisions, or set it to 0" if chosen else "allocate many small blocks as one"
    return f"{format_bytes(lost)} of the memory in use are rounding: {remedy}"


def unrecorded(case: Case) -> str | None:
    if not case.figures.lines or case.figures.lines[0].name != str(UNKNOWN):
        return None
    if case.settings.get("history") is False:  # one of our own allocators
        return "Call record_history() on the allocator, and this says which lines hold the memory"
    if case.settings.get("history"):
        return "Most of this was allocated before record_history(): call it earlier to see which lines hold the memory"
    return "No lines were recorded for the most part: with history on, this says which lines hold the memory"


def really_full(case: Case) -> str | None:
    if not case.figures.allocated or case.figures.allocated * 10 < case.figures.reserved * 9:
        return None
    share = percent(case.figures.allocated, case.figures.reserved)
    return (
        f"{share} of the reserved memory is really in use: use smaller batches with gradient accumulation, "
        "checkpointing, or a smaller dtype"
    )


FAMILIES = (
    too_large, limited, fragmented, in_another_pool, split_too_far, awaited, captured, by_others, held_by_one_line,
    rounded, really_full, unrecorded,
)  # fmt: skip


def advice(case: Case) -> list[str]:
    """What would help, most important first; one sentence at least."""
    found = [said for family in FAMILIES if (said := family(case)) is not None]
    return found or ["Free what is not needed any more, or ask for less at once"]


def percent(part: int, whole: int) -> str:
    """A share for people.

    >>> percent(1, 3), percent(0, 0)
    ('33%', '0%')
    """
    return f"{100 * part / whole if whole else 0:.0f}%"


def counted(number: int, noun: str = "block") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
