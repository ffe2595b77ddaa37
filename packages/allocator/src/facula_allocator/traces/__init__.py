"""Traces of a program's requests to its allocator: writing, reading and summaries.

May import: the same modules as the package. Start with `_events.py`, the format, and `_reader.py`, its checks.
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
