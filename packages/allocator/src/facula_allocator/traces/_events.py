"""What a trace consists of: all that a program asked of an allocator, in order, as JSON lines.

The first line is an object: the format's version under "facula_trace", the allocator's granularity, capacity (or null)
and options. Then come arrays, one an event, and objects `{"site": [file, line, function]}`, which number the lines of
the program from 0 as they appear:

    ["a", id, nbytes, stream, site]   a block is allocated; site is a number, or null
    ["f", id]                         it is freed; its id may be given to another block
    ["u", id, stream]                 another stream uses it, too
    ["e", stream, n]                  n queued kernels of a stream completed
    ["s"]                             all streams were waited for
    ["m", name]                       the program says where it is, as "step 3"
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from .._call_sites import CallSite

VERSION = 1
REMEDY = "record the trace again"


class Allocate(NamedTuple):
    """A block is allocated. `site` is its line's place in `Trace.sites`, or None."""

    id: int
    nbytes: int
    stream: int
    site: int | None


class Free(NamedTuple):
    """A block is freed."""

    id: int


class Use(NamedTuple):
    """Another stream uses a block, too."""

    id: int
    stream: int


class Complete(NamedTuple):
    """Kernels that were queued on a stream completed: `kernels` of them."""

    stream: int
    kernels: int


class Synchronize(NamedTuple):
    """All streams were waited for."""


class Mark(NamedTuple):
    """The program says where it is."""

    name: str


Event: TypeAlias = Allocate | Free | Use | Complete | Synchronize | Mark


class Trace(NamedTuple):
    """A recorded run. `capacity` is in bytes, None where it is not known."""

    granularity: int
    capacity: int | None
    options: dict[str, object]
    sites: list[CallSite]
    events: list[Event]
