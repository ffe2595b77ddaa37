"""Traces of what a program asked of its allocator: written, read, added up.

May import: what the package may. Where next: `_events.py`, the format; `_reader.py`, its checks.
"""

from facula_errors.extend import published as _published

from .._reports.call_sites import CallSite, Holder
from ._events import (
    Allocate,
    Capture,
    ClosePool,
    Complete,
    EmptyCache,
    Event,
    Free,
    Limit,
    Mark,
    Refuse,
    Synchronize,
    Trace,
    Use,
)
from ._reader import read_trace
from ._render import render_html
from ._summary import StepSummary, TraceSummary, summarize
from ._writer import TraceWriter

__all__ = [
    "Allocate",
    "CallSite",
    "Capture",
    "ClosePool",
    "Complete",
    "EmptyCache",
    "Event",
    "Free",
    "Holder",
    "Limit",
    "Mark",
    "Refuse",
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


__dir__ = _published(__name__)
