"""Traces written, an event a line."""

from __future__ import annotations

import json
import os
from typing import IO

from facula_errors import FileError, InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary

from ._events import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from .._file_errors import Path


@boundary
class TraceWriter:
    """Write a trace to a file, event by event. A context manager; `close()` otherwise.

    Calls from several threads are the caller's to put in order: an allocator makes them under its lock. What is still
    in memory when a process is killed is lost; `flush()` writes it.

    Arguments:
        path: the file, which is replaced.
        granularity: what the allocator rounds sizes up to, in bytes.
        capacity: the bytes that there are, or None.
        options: the allocator's.

    Raises:
        TypeError, ValueError: the granularity or capacity is no positive integer, or the options cannot be JSON.
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
    _file: IO[str]

    def __init__(
        self, path: Path, *, granularity: int = 64, capacity: int | None = None,
        options: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        for name, number in (("granularity", granularity), ("capacity", 1 if capacity is None else capacity)):
            if type(number) is not int:
                raise InvalidTypeError(f"TraceWriter: expected an integer {name}; got {number!r:.60}")
            if number < 1:
                raise InvalidValueError(f"TraceWriter: expected {name} from 1; got {number}")
        self._sites: dict[tuple[str, int, str], int] = {}
        try:
            header = json.dumps(
                {"facula_trace": VERSION, "granularity": granularity, "capacity": capacity, "options": options or {}},
                allow_nan=False,
            )
        except (TypeError, ValueError) as error:
            problem = f"TraceWriter: expected options of text, numbers, lists and dicts; got {options!r:.60}: {error}"
            raise InvalidTypeError(problem) from None
        self.path = os.fspath(path)
        try:
            self._file = open(self.path, "w", encoding="ascii", newline="\n")
        except OSError as error:
            raise self._failed(error) from None
        self._write(header + "\n")

    def allocate(self, id: int, nbytes: int, stream: int = 0, site: tuple[str, int, str] | None = None) -> None:
        """Note that a block was allocated.

        Arguments:
            id: a number that no other live block has.
            nbytes: what was asked for.
            stream: where it will be used.
            site: file, line and function that asked for it.
        """
        if site is None:
            return self._event('["a",%d,%d,%d,null]\n', id, nbytes, stream)
        number = self._sites.get(site)
        if number is None:
            try:
                filename, line, name = site
                text = json.dumps([str(filename), int(line), str(name)], separators=(",", ":"))
            except (TypeError, ValueError):
                problem = f"TraceWriter: expected a site (file, line, function); got {site!r:.80}"
                raise InvalidTypeError(problem) from None
            number = self._sites[site] = len(self._sites)
            self._write(f'{{"site":{text}}}\n')
        self._event('["a",%d,%d,%d,%d]\n', id, nbytes, stream, number)

    def free(self, id: int) -> None:
        """Note that a block was freed."""
        self._event('["f",%d]\n', id)

    def use(self, id: int, stream: int) -> None:
        """Note that another stream uses a block, too."""
        self._event('["u",%d,%d]\n', id, stream)

    def complete(self, stream: int, kernels: int = 1) -> None:
        """Note that `kernels` queued kernels of a stream completed."""
        self._event('["e",%d,%d]\n', stream, kernels)

    def synchronize(self) -> None:
        """Note that all streams were waited for."""
        self._event('["s"]\n')

    def mark(self, name: str) -> None:
        """Note where the program is, as "step 3"."""
        if not isinstance(name, str):
            raise InvalidTypeError(f"mark: expected text; got {name!r:.60}")
        self._write(f'["m",{json.dumps(name)}]\n')

    def flush(self) -> None:
        """Write what is still in memory."""
        try:
            self._file.flush()
        except (OSError, ValueError) as error:
            raise self._failed(error) from None

    def close(self) -> None:
        """Write what is left, and close the file. Again: nothing."""
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

    def _event(self, layout: str, *numbers: int) -> None:
        try:
            text = layout % numbers
        except TypeError:
            raise InvalidTypeError(f"TraceWriter: expected integers; got {numbers!r:.80}") from None
        self._write(text)

    def _write(self, text: str) -> None:
        try:
            self._file.write(text)
        except (OSError, ValueError) as error:
            raise self._failed(error) from None

    def _failed(self, error: OSError | ValueError) -> FileError | OperationError:
        if isinstance(error, OSError):
            problem = f"TraceWriter: cannot write the file: {error.strerror}; check the folder and the space left"
            return FileError(error.errno, problem, self.path)
        return OperationError(f"TraceWriter: {self.path!r} is closed; open another one")
