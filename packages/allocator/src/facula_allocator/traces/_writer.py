"""Writing traces, one event per line."""

from __future__ import annotations

import json
import os
from weakref import finalize

from facula_errors import FileError, InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary

from ._events import VERSION
from ._line_file import LineFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from .._reports.whole_files import Path


@boundary
class TraceWriter:
    """Write a trace to a file, event by event. Use it as a context manager, or call `close()`.

    Callers must order calls from several threads: an allocator makes them under its lock. A process that is killed
    loses the buffered lines; `flush()` writes them.

    Arguments:
        path: the file to replace.
        granularity: the allocator rounds sizes up to multiples of it, in bytes.
        capacity: the bytes of the device, or None.
        options: the allocator's options.
        page_size: the bytes of a page of virtual memory; 0 without virtual memory.

    Raises:
        TypeError, ValueError: the granularity or capacity is not a positive integer, or the options are not JSON.
        OSError: the file cannot be written.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "run.trace")
    >>> with TraceWriter(path, granularity=512) as trace:
    ...     trace.mark("step 0")
    ...     trace.allocate(0, 1000, site=("train.py", 40, "step"))
    ...     trace.free(0)
    >>> print(open(path).read(), end="")
    {"facula_trace": 1, "granularity": 512, "capacity": null, "options": {}}
    ["m","step 0"]
    {"site":["train.py",40,"step"]}
    ["a",0,1000,0,0]
    ["f",0]
    """

    path: str
    #: The number of requests written: allocations, including refused ones, and frees.
    requests: int
    _file: LineFile

    def __init__(
        self, path: Path, *, granularity: int = 64, capacity: int | None = None,
        options: Mapping[str, object] | None = None, page_size: int = 0,
    ) -> None:  # fmt: skip
        given = [("granularity", granularity, 1), ("page_size", page_size, 0)]
        for name, number, least in given if capacity is None else [*given, ("capacity", capacity, 1)]:
            if type(number) is not int:
                raise InvalidTypeError(f"TraceWriter: expected an integer {name}; got {number!r:.60}")
            if number < least:
                raise InvalidValueError(f"TraceWriter: expected {name} from {least}; got {number}")
        self.requests = 0
        self._sites: dict[tuple[str, int, str], int] = {}
        try:
            fields: dict[str, object] = {"facula_trace": VERSION, "granularity": granularity, "capacity": capacity}
            fields |= {"options": options or {}} | ({"page_size": page_size} if page_size else {})
            header = json.dumps(fields, allow_nan=False)
        except (TypeError, ValueError) as error:
            problem = f"TraceWriter: expected options of text, numbers, lists and dicts; got {options!r:.60}: {error}"
            raise InvalidTypeError(problem) from None
        self.path = os.fspath(path)
        try:
            self._file = LineFile(self.path)
        except OSError as error:
            raise self._failed(error) from None
        self._end = finalize(self, self._file.give_up)
        self._write(header + "\n")

    def allocate(
        self, id: int, nbytes: int, stream: int = 0, site: tuple[str, int, str] | None = None, pool: int = 0
    ) -> None:
        """Record that a block was allocated.

        Arguments:
            id: a number that no other live block has.
            nbytes: the requested bytes.
            stream: the stream that will use it.
            site: the file, line and function that requested it.
            pool: the private pool that it comes from, 0 for none.
        """
        self._write(self._allocation(id, nbytes, stream, site, pool))
        self.requests += 1

    def refuse(
        self, nbytes: int, stream: int = 0, site: tuple[str, int, str] | None = None, pool: int = 0
    ) -> None:  # fmt: skip
        """Record a request that was refused.

        Arguments:
            nbytes: the requested bytes.
            stream: the stream that would have used it.
            site: the file, line and function that requested it.
            pool: the private pool, 0 for none.
        """
        text = self._site(site)
        if pool:
            self._event('["x",%d,%d,' + text + ",%d]\n", nbytes, stream, pool)
        else:
            self._event('["x",%d,%d,' + text + "]\n", nbytes, stream)
        self.requests += 1

    def free(self, id: int) -> None:
        """Record that a block was freed."""
        self._event('["f",%d]\n', id)
        self.requests += 1

    def use(self, id: int, stream: int) -> None:
        """Record that another stream also uses a block."""
        self._event('["u",%d,%d]\n', id, stream)

    def complete(self, stream: int, before: int | None = None) -> None:
        """Record that work queued on a stream before request number `before` is complete; by default all of it."""
        self._event('["e",%d,%d]\n', stream, self.requests if before is None else before)

    def synchronize(self, before: int | None = None) -> None:
        """Record that work queued on any stream before request number `before` is complete; by default all of it."""
        self._event('["s",%d]\n', self.requests if before is None else before)

    def empty_cache(self) -> None:
        """Record that cached memory was released."""
        self._event('["c"]\n')

    def limit(self, nbytes: int | None, fraction: float | None = None) -> None:
        """Record a limit in bytes, and a limit as a fraction of the capacity, that apply from here on."""
        try:
            self._write(f'["l",{json.dumps(nbytes)},{json.dumps(fraction, allow_nan=False)}]\n')
        except (TypeError, ValueError):
            raise InvalidTypeError(f"limit: expected numbers or None; got {nbytes!r:.60}, {fraction!r:.60}") from None

    def capture(self, on: bool) -> None:
        """Record that a graph capture begins or ends."""
        self._event('["k",%d]\n', on)

    def close_pool(self, pool: int) -> None:
        """Record that a private pool is destroyed."""
        self._event('["d",%d]\n', pool)

    def mark(self, name: str) -> None:
        """Record a mark of the program's progress, such as "step 3"."""
        if not isinstance(name, str):
            raise InvalidTypeError(f"mark: expected text; got {name!r:.60}")
        self._write(f'["m",{json.dumps(name)}]\n')

    def flush(self) -> None:
        """Write the buffered lines."""
        if self._file.closed:
            raise OperationError(f"TraceWriter: {self.path!r} is closed; open another one")
        try:
            self._file.flush()
        except OSError as error:
            raise self._failed(error) from None

    def close(self) -> None:
        """Write the buffered lines, and close the file. A second call does nothing."""
        self._end.detach()
        try:
            self._file.close()
        except OSError as error:
            raise self._failed(error) from None

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _site(self, site: tuple[str, int, str] | None) -> str:
        """Return the number of a site; write the site if it is new."""
        if site is None:
            return "null"
        number = self._sites.get(site)
        if number is None:
            try:
                filename, line, name = site
                text = json.dumps([str(filename), int(line), str(name)], separators=(",", ":"))
            except (TypeError, ValueError):
                problem = f"TraceWriter: expected a site (file, line, function); got {site!r:.80}"
                raise InvalidTypeError(problem) from None
            shown, number = f'{{"site":{text}}}\n', len(self._sites)
            add = self._file.lines.append
            self._sites[site] = number  # no call between these two: a Ctrl-C arrives before both or after
            add(shown)
        return str(number)

    def _allocation(self, id: int, nbytes: int, stream: int, site: tuple[str, int, str] | None, pool: int) -> str:
        """Return the line of an allocation; write its site if it is new."""
        text = self._site(site)
        if pool:
            return self._line('["a",%d,%d,%d,' + text + ",%d]\n", id, nbytes, stream, pool)
        return self._line('["a",%d,%d,%d,' + text + "]\n", id, nbytes, stream)

    def _event(self, layout: str, *numbers: int) -> None:
        self._write(self._line(layout, *numbers))

    def _line(self, layout: str, *numbers: int) -> str:
        try:
            return layout % numbers
        except TypeError:
            raise InvalidTypeError(f"TraceWriter: expected integers; got {numbers!r:.80}") from None

    def _write(self, text: str) -> None:
        if self._file.closed:
            raise OperationError(f"TraceWriter: {self.path!r} is closed; open another one")
        try:
            self._file.lines.append(text)
            self._file.flush_some()
        except OSError as error:
            raise self._failed(error) from None

    def _failed(self, error: OSError) -> FileError:
        problem = f"TraceWriter: cannot write the file: {error.strerror}; check the folder and the space left"
        return FileError(error.errno, problem, self.path)
