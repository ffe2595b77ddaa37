"""HTML pages of traces."""

from __future__ import annotations

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._errors import format_bytes
from .._reports.page import Table, View, page
from .._reports.timeline import Change, timeline_of
from ._events import Allocate, Free, Mark, Trace, beginning
from ._summary import site_name, summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


@boundary
def render_html(
    trace: Trace, title: str = "Memory trace", *, reserved: Sequence[tuple[int, int]] | None = None
) -> str:  # fmt: skip
    """Draw a trace as a page: the curve of live bytes, and the holders of memory at the peak and at the end.

    The page is one file that opens in any browser and needs no network.

    Arguments:
        trace: the trace to draw.
        title: the title of the page.
        reserved: the reserved bytes after some events, (event, bytes), as a replay computes them; None to omit them.

    Returns:
        The HTML, to be written to a file in UTF-8.

    Raises:
        TypeError: `trace` is not a Trace, or `title` is not a str.

    >>> render_html(Trace(64, None, {}, [], [])).startswith("<!DOCTYPE html>")
    True
    """
    if not isinstance(title, str):
        raise InvalidTypeError(f"render_html: expected a title that is text; got {title!r:.60}")
    if not isinstance(trace, Trace):
        raise InvalidTypeError(f"render_html: expected a Trace, as read_trace gives it; got {type(trace).__name__}")
    found, begin = summarize(trace), beginning(trace.events)
    live: dict[int, Allocate] = {}
    changes: list[Change] = []
    levels = dict(reserved or ())
    level = 0
    marks: list[tuple[int, str]] = []
    for number, event in enumerate(trace.events):
        more, level = levels.get(number, level) - level, levels.get(number, level)
        if isinstance(event, Allocate):
            live[event.id] = event
            changes.append(Change(number, site_name(trace, event.site), event.nbytes, more))
        elif isinstance(event, Free):
            block = live.pop(event.id)
            changes.append(Change(number, site_name(trace, block.site), -block.nbytes, more))
        elif number == begin:  # the initial state counts from here on
            changes = [Change(number, site_name(trace, None), sum([block.nbytes for block in live.values()]), level)]
        elif more:
            changes.append(Change(number, reserved=more))
        elif isinstance(event, Mark):
            marks.append((number, event.name))
    totals = [
        ("peak", format_bytes(found.peak_bytes)),
        ("at", found.peak_step),
        ("at the end", format_bytes(found.end_bytes)),
        ("allocations", str(found.allocations)),
        ("of together", format_bytes(found.total_bytes)),
        ("streams", str(found.streams)),
    ]
    if trace.capacity is not None:
        totals.insert(1, ("capacity", format_bytes(trace.capacity)))
    tables = [Table("Who holds what at the peak", found.at_peak, found.peak_bytes)]
    if found.at_end:
        tables.append(Table("Who holds what at the end", found.at_end, found.end_bytes))
    line = None
    if changes:
        at_first = None if reserved is None else 0
        line = timeline_of(changes, {}, reserved=at_first, marks=marks, capacity=trace.capacity)
    options = ", ".join(f"{name}={value}" for name, value in trace.options.items())
    note = f"{found.events} events, sizes rounded up to {trace.granularity} bytes by the allocator"
    return page(title, f"{note}; options: {options}" if options else note, [View("Run", totals, line, [], tables)])
