"""Observation of the instructions that a program runs in one thread during a capture.

Python 3.11 reports instructions to a tracer. From 3.12 on, `sys.monitoring` reports them for code objects of the
program; other code runs at almost full speed. `Observer.enter` decides whether a frame runs code of the program.
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import chain, compress
from operator import call, itemgetter
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any

from facula_errors.extend import exhaust, guarded
from facula_storage.extend.replay import call_filter

from .frames import NAMED_TUPLE, is_of_library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType
    from typing import Protocol

    class Observer(Protocol):
        incomplete: bool

        def enter(self, frame: FrameType, begins: bool) -> bool: ...
        def executed(self, frame: FrameType, offset: int) -> None: ...
        def raised(self, error: BaseException) -> None: ...
        def is_late(self) -> None: ...


TOOLS = range(5, -1, -1)  # tool ids of sys.monitoring; debuggers, coverage and profilers use the low ones

MAX_WAIT = 1.0  # seconds that a thread waits for another one to finish capturing
_one_at_a_time = Lock()

MAX_IGNORED = 20_000
ignored: dict[int, CodeType] = {}  # library code objects by id, whose calls are not traced


def observing(observer: Observer) -> Any:
    """Return a context manager in which `observer` receives the instructions that this thread runs outside the
    library.
    """
    monitoring = getattr(sys, "monitoring", None)
    return _traced(observer) if monitoring is None else _monitored(observer, monitoring)


@guarded
def _traced(observer: Observer) -> Iterator[None]:
    """Observe with a tracer, and restore the previous one of a debugger or coverage afterwards."""
    enter, executed, raised = observer.enter, observer.executed, observer.raised

    def opcode(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            executed(frame, frame.f_lasti)
        elif event == "exception":
            raised(argument[1])
        return opcode

    def entering(frame: FrameType, event: str, argument: object) -> Any:
        name = frame.f_globals.get("__name__", "")
        if is_of_library(name, frame.f_code) or name.startswith(NAMED_TUPLE):
            if len(ignored) < MAX_IGNORED:
                ignored[id(frame.f_code)] = frame.f_code
        elif enter(frame, True):
            frame.f_trace = opcode  # set first: otherwise Python 3.13 reports no instructions of this call
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            return opcode
        return None

    before, tracer = sys.gettrace(), call_filter(ignored, entering)
    try:
        # Python 3.12 reports instructions only if a frame has requested them before
        sys._getframe().f_trace_opcodes = True
        sys.settrace(tracer)
        yield
        observer.incomplete = observer.incomplete or sys.gettrace() is not tracer
    finally:
        sys.settrace(before)
        opcode = tracer = enter = executed = raised = observer = None  # type: ignore[assignment]  # they hold each other


@guarded
def _monitored(observer: Observer, monitoring: Any) -> Iterator[None]:
    """Observe with `sys.monitoring`, which reports all threads, or with a tracer if no tool id is free.

    Only one thread observes at a time, because Python 3.12 crashes if several trace. A thread that waits too long
    reports nothing. The cleanup is a single C call that Ctrl-C cannot interrupt. It consumes an iterator that exists
    before the first resource is acquired. The calls that acquire the lock and the tool id also register them for the
    cleanup.
    """
    enter, executed, thread = observer.enter, observer.executed, get_ident()
    events, disable = monitoring.events, monitoring.DISABLE
    watched: dict[int, CodeType] = {}  # by id: equal code objects may run with different globals
    taken: list[tuple[int, None]] = []
    undo: list[Callable[[], object]] = []
    held: list[Callable[[], None]] = []
    ending = chain(map(call, undo), map(monitoring.free_tool_id, map(itemgetter(0), taken)), map(call, held))

    def start(code: CodeType, offset: int) -> Any:
        frame = sys._getframe(1)
        if is_of_library(frame.f_globals.get("__name__", ""), code):
            return disable
        if get_ident() == thread and enter(frame, True) and id(code) not in watched:
            watched[id(code)] = code
            undo.append(partial(monitoring.set_local_events, tool, code, 0))
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

    try:
        held.extend(compress((_one_at_a_time.release,), map(_one_at_a_time.acquire, (True,), (MAX_WAIT,))))
        if not held:
            observer.is_late()
            yield
            return
        for tool in TOOLS:
            try:
                taken.extend(zip((tool,), map(monitoring.use_tool_id, (tool,), ("facula_jit",)), strict=True))
            except ValueError:
                continue
            break
        if not taken:
            with _traced(observer):
                yield
            return
        callbacks = ((events.PY_START, start), (events.INSTRUCTION, instruction), (events.RAISE, throw))
        undo += [partial(monitoring.set_events, tool, 0)]
        undo += [partial(monitoring.register_callback, tool, event, None) for event, _ in callbacks]
        for event, function in callbacks:
            monitoring.register_callback(tool, event, function)
        monitoring.set_events(tool, events.PY_START | events.RAISE)
        yield
    finally:
        exhaust(ending)
