"""The descriptions of records, written to a file as they are first used, for the trace of a killed program."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import CorruptFileError, FileError
from facula_errors.extend import warn

from .._files import checked_path, read_file
from .._trace.files import frame_of_values, lane_of_values, signature_of_values
from .._trace.records import Frame, Kind, Lane, Signature
from .._trace.trace import Trace
from .assembling import Described, assemble
from .raw import ALLOCATION, FIRST_OWN_LANE, HEADER, HEADER_BYTES, IN_PLACE, RAW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SUFFIX = ".names"  # of the file next to that of the records
MAGIC = b"facula-trace 1\n"
KINDS = [*Kind, Kind.LAUNCH | IN_PLACE, ALLOCATION]
SLACK = 1 << 16  # numbers follow each other; a damaged one must not ask for a table of any size

#: For each kind of line, a function that returns the described value from the values after the number.
PARSERS: dict[str, Callable[..., Any]] = {
    "name": lambda text: str(text),
    "lane": lane_of_values,
    "thread": lambda name, thread: lane_of_values("python", name, thread),
    "plan": lambda values: signature_of_values(*values),
    "stack": lambda frame, caller: (frame_of_values(*frame), int(caller)),  # the number of a caller is the lower one
}


class Journal:
    """A file of lines in JSON: a kind, a number, and its description. Lines of names that no record has are removed."""

    def __init__(self, path: str):
        self._path = checked_path("profile", path) + SUFFIX
        self._lock = RLock()  # the collector may run code that names a range
        try:
            with suppress(FileNotFoundError):
                os.unlink(self._path)  # another recording may still write to the file of this name
            self._file = open(self._path, "xb", buffering=0)
        except OSError as error:
            raise FileError(error.errno, f"profile: {error.strerror}; choose another path", self._path) from None

    def write(self, kind: str, number: int, *values: Any) -> None:
        """Write a line; the system has it when this returns. It has no effect after `close`.

        A full disk ends the journal with a warning: the launch of an operator, which calls this, must not fail.
        """
        line = (json.dumps([kind, number, *values]) + "\n").encode()
        with self._lock, self._watched():
            while line and not self._file.closed:
                line = line[self._file.write(line) :]

    def keep_names(self, numbers: set[int]) -> None:
        """Remove the lines of all other names. A killed program leaves the whole file, with or without them."""
        with self._lock, self._watched():
            if self._file.closed:
                return
            with open(self._path, "rb") as file:
                lines = [line for line in file if (number := _number_of_name(line)) is None or number in numbers]
            new = f"{self._path}.new"
            with open(new, "wb") as file:
                file.writelines(lines)
            os.replace(new, self._path)
            self._file.close()
            self._file = open(self._path, "ab", buffering=0)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Close the file with a warning if the disk is full."""
        try:
            yield
        except ValueError:  # another thread closed the file
            return
        except OSError as error:
            self.close()
            warn(
                f"profile: cannot write {self._path}: {error.strerror}; after a crash, `recover` will not know further "
                "names; free space on the disk"
            )

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):  # without the lock, which another thread may have held when a child was forked
            self._file.close()


def _number_of_name(line: bytes) -> int | None:
    """Return the number of a name's line, None for others."""
    if not line.startswith(b'["name", '):
        return None
    return int(line[len(b'["name", ') : line.index(b",", len(b'["name", '))])


def recover(path: str | os.PathLike[str]) -> Trace:
    """Return the trace of a program that ended before its profile did, from the file given to `profile`.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not one of `profile`.

    >>> import tempfile, os
    >>> from facula_profiler import profile, record_function
    >>> path = os.path.join(tempfile.mkdtemp(), "run.events")
    >>> with profile(path=path), record_function("load"):
    ...     pass
    >>> recover(path).names
    ['load']
    """
    path = checked_path("recover", path)
    data = read_file("recover", path)
    if len(data) < HEADER_BYTES or not data.startswith(MAGIC):
        problem = f"expected the records of a profile; got {data[:16]!r}"
        raise CorruptFileError("recover", path, "byte 0", problem, "pass the path that `profile` was given")
    _, capacity, began, began_utc, count = np.frombuffer(data, HEADER, 1)[0].tolist()
    if not 1 <= capacity <= (len(data) - HEADER_BYTES) // RAW.itemsize or not 0 <= count < 1 << 63:
        problem = f"expected the records of a profile; got a header with {capacity} records, of which {count} are used"
        raise CorruptFileError("recover", path, f"byte {len(MAGIC)}", problem, "the file is damaged: use another copy")
    ring = np.frombuffer(data, RAW, capacity, HEADER_BYTES)
    first = max(0, count - capacity)
    records = np.roll(ring, -(first % capacity))[: count - first]
    described, numbers = _described(path, began, began_utc)
    places = np.searchsorted(numbers, records["name"])  # of names, of which most may have been dropped
    records["name"] = np.where(np.append(numbers, -2)[places] == records["name"], places, -1)
    tables = described._asdict()
    for field, table in (("plan", "signatures"), ("stack", "stacks")):
        records[field][records[field] >= len(tables[table])] = -1  # the line that describes it is lost
    records["stamp"][~np.isin(records["kind"], KINDS)] = 0  # not a whole record
    return assemble(records, first, described)


def _described(path: str, began: int, began_utc: int) -> tuple[Described, np.ndarray[Any, np.dtype[np.int64]]]:
    """Return the descriptions of records, and the rising numbers of names."""
    tables: dict[str, dict[int, Any]] = {kind: {} for kind in PARSERS}
    lines = read_file("recover", path + SUFFIX).decode(errors="replace").split("\n")
    for line in lines:
        try:
            kind, number, *values = json.loads(line)
            value = PARSERS[kind](*values)
        except (ValueError, LookupError, TypeError, OverflowError, RecursionError):
            continue  # the last line of a killed program may be cut, others damaged
        place = number - FIRST_OWN_LANE if kind == "lane" else number
        limit = 1 << 31 if kind == "name" else len(lines) + SLACK
        if type(number) is int and 0 <= place < limit and not (kind == "stack" and value[1] >= place):
            tables[kind][place] = value

    def listed(kind: str, missing: Any) -> list[Any]:
        table = tables[kind]
        return [table.get(i, missing) for i in range(1 + max(table, default=-1))]

    names = tables["name"]
    numbers = np.array(sorted(names), np.int64)
    described = Described(
        began, [names[number] for number in numbers.tolist()], listed("plan", Signature("", None, ())),
        listed("thread", Lane("python", "")), listed("lane", Lane("", "")), listed("stack", (Frame("", 0, ""), -1)),
        metadata={"began_utc_ns": began_utc, "recovered": True},
    )  # fmt: skip
    return described, numbers
