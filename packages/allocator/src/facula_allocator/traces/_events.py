"""The format of traces: all requests of a program to its allocator, in order, as JSON lines.

The first line is an object: the format's version under "facula_trace", the allocator's granularity, capacity (or null),
options, and the page size of its virtual memory (0 without). The other lines are arrays, one for each event, and
objects `{"site": [file, line, function]}`, which number the lines of the program from 0 in order of appearance:

    ["a", id, nbytes, stream, site]   a block is allocated; site is a number, or null
    ["x", nbytes, stream, site]       a request is refused: out of memory
    ["f", id]                         a block is freed; its id may be used for another block
    ["u", id, stream]                 another stream also uses a block
    ["e", stream, n]                  work queued on a stream before request n is complete
    ["s", n]                          work queued on any stream before request n is complete
    ["c"]                             cached memory is released, as by `empty_cache`
    ["l", limit, fraction]            a limit in bytes and a fraction of the capacity apply; each may be null
    ["k", 0 or 1]                     a graph capture ends or begins
    ["d", pool]                       a private pool is destroyed
    ["m", name]                       a mark of the program's progress, such as "step 3"

"a" and "x" may have one more number, the private pool. Requests are the lines "a", "x" and "f", numbered from 0.

Note [Time in a trace]: a trace has no clock and no kernels. A replay must know how an event of the device would answer.
An event recorded while a request is served follows all work queued before that request, so the request's number
represents its time. The event is done once a line "e" or "s" states that this or later work is complete.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from .._reports.call_sites import CallSite

VERSION = 1
#: The marks around the state at the start of a recording. Text after a colon lists the differences from that state.
AT_START, BEGIN = "alive at the start", "the recording begins"
REMEDY = "record the trace again"


class Allocate(NamedTuple):
    """A block is allocated. `site` is the index of its line in `Trace.sites`, or None."""

    id: int
    nbytes: int
    stream: int
    site: int | None
    pool: int = 0


class Refuse(NamedTuple):
    """A request is refused."""

    nbytes: int
    stream: int
    site: int | None
    pool: int = 0


class Free(NamedTuple):
    """A block is freed."""

    id: int


class Use(NamedTuple):
    """Another stream also uses a block."""

    id: int
    stream: int


class Complete(NamedTuple):
    """Work that was queued on a stream before request number `before` is complete."""

    stream: int
    before: int


class Synchronize(NamedTuple):
    """Work that was queued on any stream before request number `before` is complete."""

    before: int


class EmptyCache(NamedTuple):
    """Cached memory is released."""


class Limit(NamedTuple):
    """From here on at most `limit` bytes and a fraction of the capacity may be used; None for no such bound."""

    limit: int | None
    fraction: float | None


class Capture(NamedTuple):
    """A graph capture begins or ends."""

    on: bool


class ClosePool(NamedTuple):
    """A private pool is destroyed."""

    pool: int


class Mark(NamedTuple):
    """A mark of the program's progress."""

    name: str


# An entry of a trace.
Event: TypeAlias = (
    Allocate | Refuse | Free | Use | Complete | Synchronize | EmptyCache | Limit | Capture | ClosePool | Mark
)
REQUESTS = (Allocate, Refuse, Free)


class Trace(NamedTuple):
    """A recorded run. `capacity` is in bytes, None if unknown."""

    granularity: int
    capacity: int | None
    options: dict[str, object]
    sites: list[CallSite]
    events: list[Event]
    page_size: int = 0


def beginning(events: list[Event]) -> int:
    """Return the index of the mark that ends the state at the start of the recording; -1 if that state is empty."""
    if events and events[0] == Mark(AT_START):
        for number, event in enumerate(events):
            if isinstance(event, Mark) and event.name.partition(":")[0] == BEGIN:
                return number
    return -1
