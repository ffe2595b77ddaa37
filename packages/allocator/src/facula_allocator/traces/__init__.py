"""Traces of what a program asked of its allocator: written, read, added up.

May import: what the package may. Where next: `_events.py`, the format; `_reader.py`, its checks.
"""

from .._call_sites import CallSite, Holder
from ._events import Allocate, Complete, Event, Free, Mark, Synchronize, Trace, Use
from ._reader import read_trace
from ._render import render_html
from ._summary import StepSummary, TraceSummary, summarize
from ._writer import TraceWriter

__all__ = [
    "Allocate",
    "CallSite",
    "Complete",
    "Event",
    "Free",
    "Holder",
    "Mark",
    "StepSummary",
    "Synchronize",
    "Trace",
    "TraceSummary",
    "TraceWriter",
    "Use",
    "read_trace",
    "render_html",
    "summarize",
]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
