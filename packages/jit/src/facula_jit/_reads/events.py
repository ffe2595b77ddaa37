"""The instructions that a program runs in this thread, reported while a function is captured.

Python 3.11 reports them to a tracer. From 3.12 on `sys.monitoring` reports the instructions of code objects that are
the program's, and the others cost next to nothing. `Observer.enter` decides whose code a frame runs.
"""

from __future__ import annotations

import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any

from facula_errors.extend import guarded
from facula_storage.extend import call_filter

from .frames import NAMED_TUPLE, is_of_library

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FrameType
    from typing import Protocol

    class Observer(Protocol):
        incomplete: bool

        def enter(self, frame: FrameType, begins: bool) -> bool: ...
        def executed(self, frame: FrameType, offset: int) -> None: ...
        def raised(self, error: BaseException) -> None: ...


TOOLS = range(5, -1, -1)  # identifiers of sys.monitoring; debuggers, coverage and profilers take the low ones

MAX_IGNORED = 20_000
ignored: dict[int, CodeType] = {}  # code objects of the library by id, whose calls are not traced


def observing(observer: Observer) -> Any:
    """A context in which `observer` is told of the instructions outside the library that this thread runs."""
    monitoring = getattr(sys, "monitoring", None)
    free = [one for one in TOOLS if monitoring.get_tool(one) is None] if monitoring is not None else []
    return _monitored(observer, monitoring, free[0]) if free else _traced(observer)


@guarded
def _traced(observer: Observer) -> Iterator[None]:
    """The same by a tracer; that of a debugger or of coverage is put back afterwards."""
    enter, executed, raised = observer.enter, observer.executed, observer.raised

    def opcode(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            executed(frame, frame.f_lasti)
        elif event == "exception":
            raised(argument[1])
        return opcode

    def call(frame: FrameType, event: str, argument: object) -> Any:
        name = frame.f_globals.get("__name__", "")
        if is_of_library(name, frame.f_code) or name.startswith(NAMED_TUPLE):
            if len(ignored) < MAX_IGNORED:
                ignored[id(frame.f_code)] = frame.f_code
        elif enter(frame, True):
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            return opcode
        return None

    before, tracer = sys.gettrace(), call_filter(ignored, call)
    try:
        sys.settrace(tracer)
        yield
        observer.incomplete = observer.incomplete or sys.gettrace() is not tracer
    finally:
        sys.settrace(before)
        opcode = tracer = enter = executed = raised = observer = None  # type: ignore[assignment]  # they hold each other


@guarded
def _monitored(observer: Observer, monitoring: Any, tool: int) -> Iterator[None]:
    """The same by `sys.monitoring`, whose events are those of all threads."""
    enter, executed, thread = observer.enter, observer.executed, get_ident()
    events, disable = monitoring.events, monitoring.DISABLE
    watched: dict[int, CodeType] = {}  # by id: equal code may run with other global variables

    def start(code: CodeType, offset: int) -> Any:
        frame = sys._getframe(1)
        if is_of_library(frame.f_globals.get("__name__", ""), code):
            return disable
        if get_ident() == thread and enter(frame, True) and id(code) not in watched:
            watched[id(code)] = code
            monitoring.set_local_events(tool, code, events.INSTRUCTION)
        return None

    def instruction(code: CodeType, offset: int) -> Any:
        if get_ident() != thread:
            return None
        frame = sys._getframe(1)
        if enter(frame, False):
            executed(frame, offset)
        return None

    def throw(code: CodeType, offset: int, error: BaseException) -> None:
        if get_ident() == thread and id(code) in watched:
            observer.raised(error)

    monitoring.use_tool_id(tool, "facula_jit")
    try:
        monitoring.register_callback(tool, events.PY_START, start)
        monitoring.register_callback(tool, events.INSTRUCTION, instruction)
        monitoring.register_callback(tool, events.RAISE, throw)
        monitoring.set_events(tool, events.PY_START | events.RAISE)
        yield
    finally:
        try:
            monitoring.set_events(tool, 0)
            for code in watched.values():
                monitoring.set_local_events(tool, code, 0)
            for event in (events.PY_START, events.INSTRUCTION, events.RAISE):
                monitoring.register_callback(tool, event, None)
        finally:
            monitoring.free_tool_id(tool)
