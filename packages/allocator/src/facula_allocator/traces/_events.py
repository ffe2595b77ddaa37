"""What a trace consists of: all that a program asked of an allocator, in order, as JSON lines.

The first line is an object: the format's version under "facula_trace", the allocator's granularity, capacity (or null),
options, and the page size of its virtual memory (0 for none). Then come arrays, one an event, and objects
`{"site": [file, line, function]}`, which number the lines of the program from 0 as they appear:

    ["a", id, nbytes, stream, site]   a block is allocated; site is a number, or null
    ["x", nbytes, stream, site]       a block is asked for, and refused: out of memory
    ["f", id]                         it is freed; its id may be given to another block
    ["u", id, stream]                 another stream uses it, too
    ["e", stream, n]                  what was queued on a stream before request n is over
    ["s", n]                          what was queued on any stream before request n is over
    ["c"]                             cached memory was given back, as by `empty_cache`
    ["l", limit, fraction]            from here on this limit in bytes and this part of the capacity; each may be null
    ["k", 0 or 1]                     a graph is being captured, or not any more
    ["d", pool]                       a private pool is gone
    ["m", name]                       the program says where it is, as "step 3"

"a" and "x" may have one more number, the private pool. Requests are the lines "a", "x" and "f", numbered from 0.

Note [Time in a trace]: a trace has no clock and no kernels. What a replay must know is how an event of the device would
answer; an event that is recorded while a request is served comes after all work queued before that request, so the
request's number says where in time it is. It is done once a line "e" or "s" has said that this, or later, work is over.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from .._reports.call_sites import CallSite

VERSION = 1
#: The marks before and after what a run held when its recording began. What follows a colon was not as it is here.
AT_START, BEGIN = "alive at the start", "the recording begins"
REMEDY = "record the trace again"


class Allocate(NamedTuple):
    """A block is allocated. `site` is its line's place in `Trace.sites`, or None."""

    id: int
    nbytes: int
    stream: int
    site: int | None
    pool: int = 0


class Refuse(NamedTuple):
    """A block is asked for, and refused."""

    nbytes: int
    stream: int
    site: int | None
    pool: int = 0


class Free(NamedTuple):
    """A block is freed."""

    id: int


class Use(NamedTuple):
    """Another stream uses a block, too."""

    id: int
    stream: int


class Complete(NamedTuple):
    """Work that was queued on a stream before request number `before` is over."""

    stream: int
    before: int


class Synchronize(NamedTuple):
    """Work that was queued on any stream before request number `before` is over."""

    before: int


class EmptyCache(NamedTuple):
    """Cached memory is given back."""


class Limit(NamedTuple):
    """From here on at most `limit` bytes, and this part of the capacity; None where there is no such bound."""

    limit: int | None
    fraction: float | None


class Capture(NamedTuple):
    """A graph is being captured from here on, or not any more."""

    on: bool


class ClosePool(NamedTuple):
    """A private pool is gone."""

    pool: int


class Mark(NamedTuple):
    """The program says where it is."""

    name: str


Event: TypeAlias = (
    Allocate | Refuse | Free | Use | Complete | Synchronize | EmptyCache | Limit | Capture | ClosePool | Mark
)
REQUESTS = (Allocate, Refuse, Free)


class Trace(NamedTuple):
    """A recorded run. `capacity` is in bytes, None where it is not known."""

    granularity: int
    capacity: int | None
    options: dict[str, object]
    sites: list[CallSite]
    events: list[Event]
    page_size: int = 0


def beginning(events: list[Event]) -> int:
    """The place of the mark that ends what was held when the recording began; -1 where nothing was."""
    if events and events[0] == Mark(AT_START):
        for number, event in enumerate(events):
            if isinstance(event, Mark) and event.name.partition(":")[0] == BEGIN:
                return number
    return -1
