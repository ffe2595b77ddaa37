"""Reading traces, with checks of each line."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from facula_errors import CorruptFileError, FaculaError
from facula_errors.extend import boundary

from .._reports.call_sites import CallSite
from .._reports.whole_files import read_whole
from ._events import (
    REMEDY,
    REQUESTS,
    VERSION,
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._reports.whole_files import Path

MAX_INT = 1 << 62
FORMS = {
    "a": '["a", id, nbytes, stream, site]',
    "x": '["x", nbytes, stream, site]',
    "f": '["f", id]',
    "u": '["u", id, stream]',
    "e": '["e", stream, n]',
    "s": '["s", n]',
    "c": '["c"]',
    "l": '["l", limit, fraction]',
    "k": '["k", 0 or 1]',
    "d": '["d", pool]',
    "m": '["m", name]',
}


class BadLine(FaculaError, ValueError):  # never leaves this module
    """An error in a line."""


@boundary
def read_trace(path: Path, *, partial: bool = False) -> Trace:
    """Read a trace, and check that it is consistent: blocks are freed once, and used only while they live.

    Arguments:
        path: the file.
        partial: ignore an incomplete last line, as left by a process that was killed. By default it is an error.

    Returns:
        The whole trace, in memory.

    Raises:
        CorruptFileError: a line is malformed, cut off, or inconsistent with earlier lines; the message has its number.
        OSError: the file cannot be read.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "run.trace")
    >>> with open(path, "w") as file:
    ...     _ = file.write('{"facula_trace": 1, "granularity": 64}\\n["a",0,1000,0,null]\\n["f",0]\\n')
    >>> read_trace(path).events
    [Allocate(id=0, nbytes=1000, stream=0, site=None, pool=0), Free(id=0)]
    """
    return parse_trace("read_trace", path, read_whole("read_trace", path), partial)


def is_trace(data: bytes) -> bool:
    """Whether the contents of a file begin like a trace."""
    return b'"facula_trace"' in data[:4096].partition(b"\n")[0]


def parse_trace(operation: str, path: Path, data: bytes, partial: bool = False) -> Trace:
    """Parse the trace in the contents of a file."""
    lines = data.split(b"\n")
    cut = lines.pop()  # empty if the last line is complete
    reader = _Reader()
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            reader.line(line, number)
        number = len(lines) + 1
        if cut and not partial:
            remedy = "pass partial=True (or --partial) to leave it out"
            raise CorruptFileError(
                operation, path, f"line {number}", "expected the end of the line; the file ends within it", remedy
            )
        if reader.trace is None:
            raise BadLine("expected a trace; got an empty file")
    except BadLine as error:
        raise CorruptFileError(operation, path, f"line {number}", str(error), REMEDY) from None
    return reader.trace


class _Reader:
    def __init__(self) -> None:
        self.trace: Trace | None = None
        self.live: set[int] = set()
        self.requests = 0

    def line(self, text: bytes, number: int) -> None:
        try:
            value = json.loads(text.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            said = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
            raise BadLine(
                f"expected one line of JSON; got {_excerpt(text.decode('utf-8', 'replace'))} ({said})"
            ) from None
        if self.trace is None:
            self.trace = self.header(value)
        elif isinstance(value, list):
            self.trace.events.append(self.event(value))
        elif isinstance(value, dict) and value.keys() == {"site"}:
            self.trace.sites.append(self.site(value["site"]))
        else:
            _fail('an event or {"site": [file, line, function]}', value)

    def header(self, value: Any) -> Trace:
        if not isinstance(value, dict) or "facula_trace" not in value:
            _fail('the line {"facula_trace": 1, …} that begins a trace', value)
        if value["facula_trace"] != VERSION:
            raise BadLine(f"expected version {VERSION} of the format; got {_excerpt(value['facula_trace'])}")
        granularity, capacity = value.get("granularity"), value.get("capacity")
        if type(granularity) is not int or granularity < 1:
            _fail('a "granularity" from 1', granularity)
        if capacity is not None and (type(capacity) is not int or capacity < 1):
            _fail('a "capacity" from 1, or null', capacity)
        options = value.get("options", {})
        if not isinstance(options, dict):
            _fail('a dict of "options"', options)
        page_size = value.get("page_size", 0)
        if type(page_size) is not int or page_size < 0:
            _fail('a "page_size" from 0', page_size)
        return Trace(granularity, capacity, options, [], [], page_size)

    def site(self, value: Any) -> CallSite:
        match value:
            case [str(filename), int(line), str(name)] if type(line) is int and line >= 0:
                # JSON may escape lone surrogates, which no other file could contain.
                filename, name = (text.encode("utf-8", "backslashreplace").decode() for text in (filename, name))
                return CallSite(filename, line, name)
        _fail("[file, line, function]", value)

    def event(self, value: list[Any]) -> Event:
        code = value[0] if value else None
        make = _CONSTRUCTORS.get(code) if isinstance(code, str) else None
        if make is None:
            _fail(f"an event, one of {', '.join(FORMS)}", value)
        event = make(self, value)
        if event is None:
            _fail(f"{FORMS[value[0]]}, integers from 0", value)
        self.requests += isinstance(event, REQUESTS)
        return event

    # Events: None if the form is invalid ------------------------------------------------------------------------------

    def allocate(self, value: list[Any]) -> Event | None:
        if len(value) not in (5, 6) or not _integers(value[1:3]) or not self.placed(value[3:]):
            return None
        if value[1] in self.live:
            raise BadLine(f"expected the id of no live block; {value[1]} was allocated before and not freed")
        self.live.add(value[1])
        return Allocate(*value[1:])

    def refuse(self, value: list[Any]) -> Event | None:
        if len(value) not in (4, 5) or not _integers(value[1:2]) or not self.placed(value[2:]):
            return None
        return Refuse(*value[1:])

    def placed(self, value: list[Any]) -> bool:
        """Whether this is a stream, a site or null, and optionally a private pool."""
        stream, site, *pool = value
        if not _is_stream(stream) or not _integers(pool) or not (site is None or _integers([site])):
            return False
        if site is not None and self.trace is not None and site >= len(self.trace.sites):
            raise BadLine(f"expected the number of a site above; got {site} of {len(self.trace.sites)}")
        return True

    def free(self, value: list[Any]) -> Event | None:
        if len(value) != 2 or not _integers(value[1:]):
            return None
        self.alive(value[1])
        self.live.remove(value[1])
        return Free(value[1])

    def use(self, value: list[Any]) -> Event | None:
        if len(value) != 3 or not _integers(value[1:2]) or not _is_stream(value[2]):
            return None
        self.alive(value[1])
        return Use(value[1], value[2])

    def complete(self, value: list[Any]) -> Event | None:
        if len(value) != 3 or not _is_stream(value[1]) or not self.known(value[2]):
            return None
        return Complete(value[1], value[2])

    def synchronize(self, value: list[Any]) -> Event | None:
        return Synchronize(value[1]) if len(value) == 2 and self.known(value[1]) else None

    def empty_cache(self, value: list[Any]) -> Event | None:
        return EmptyCache() if len(value) == 1 else None

    def limit(self, value: list[Any]) -> Event | None:
        match value[1:]:
            case [limit, fraction] if (limit is None or _integers([limit])) and (
                fraction is None or (type(fraction) in (int, float) and 0 < fraction <= 1)
            ):
                return Limit(limit, fraction)
        return None

    def capture(self, value: list[Any]) -> Event | None:
        return Capture(value[1] == 1) if len(value) == 2 and _integers(value[1:]) and value[1] < 2 else None

    def close_pool(self, value: list[Any]) -> Event | None:
        return ClosePool(value[1]) if len(value) == 2 and _integers(value[1:]) else None

    def mark(self, value: list[Any]) -> Event | None:
        if len(value) != 2 or not isinstance(value[1], str):
            return None
        return Mark(value[1].encode("utf-8", "backslashreplace").decode())

    def known(self, number: Any) -> bool:
        """Whether this is the number of an earlier request, or of the next one."""
        if not _integers([number]):
            return False
        if number > self.requests:
            raise BadLine(f"expected the number of a request above or of the next; got {number} of {self.requests}")
        return True

    def alive(self, id: int) -> None:
        if id not in self.live:
            raise BadLine(f"expected the id of a live block; {id} was not allocated, or is freed")


_CONSTRUCTORS: dict[str, Callable[[_Reader, list[Any]], Event | None]] = {
    "a": _Reader.allocate,
    "x": _Reader.refuse,
    "f": _Reader.free,
    "u": _Reader.use,
    "e": _Reader.complete,
    "s": _Reader.synchronize,
    "c": _Reader.empty_cache,
    "l": _Reader.limit,
    "k": _Reader.capture,
    "d": _Reader.close_pool,
    "m": _Reader.mark,
}


def _integers(values: list[Any]) -> bool:
    return all(type(value) is int and 0 <= value < MAX_INT for value in values)


def _is_stream(value: Any) -> bool:
    return type(value) is int and -(1 << 63) <= value < 1 << 63


def _excerpt(value: object) -> str:
    try:
        shown = repr(value)
    except RecursionError:
        shown = f"a {type(value).__name__} nested too deeply"
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _fail(expected: str, value: object) -> NoReturn:
    raise BadLine(f"expected {expected}; got {_excerpt(value)}")
