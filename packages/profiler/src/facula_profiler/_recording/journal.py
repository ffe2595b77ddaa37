"""The descriptions of records, written to a file as they are first used, for the trace of a killed program."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any

import numpy as np

from facula_errors import CorruptFileError, FileError
from facula_errors.extend import warn

from .._files import checked_path, read_file
from .._trace.records import Frame, Lane, Signature
from .._trace.trace import Trace
from .assembling import Described, assemble
from .raw import FIRST_OWN_LANE, HEADER, HEADER_BYTES, RAW

SUFFIX = ".names"  # of the file beside that of the records


class Journal:
    """A file of lines in JSON: a kind, a number, and what the number means."""

    def __init__(self, path: str):
        self._path = checked_path("profile", path) + SUFFIX
        try:
            with suppress(FileNotFoundError):
                os.unlink(self._path)  # another recording may still write to the file of this name
            self._file = open(self._path, "xb", buffering=0)
        except OSError as error:
            raise FileError(error.errno, f"profile: {error.strerror}; choose another path", self._path) from None

    def write(self, kind: str, number: int, *values: Any) -> None:
        """Write a line; the system has it when this returns. Does nothing after `close`.

        A full disk ends the journal with a warning: the launch of an operator, which calls this, must not fail.
        """
        if self._file.closed:
            return
        line = (json.dumps([kind, number, *values]) + "\n").encode()
        try:
            while line:
                line = line[self._file.write(line) :]
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
        with suppress(OSError):
            self._file.close()


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
    header = np.frombuffer(data, HEADER, 1)[0] if len(data) >= HEADER_BYTES else None
    if header is None or header["magic"] != b"facula-trace 1\n" or len(data) < HEADER_BYTES + 64 * header["capacity"]:
        problem = f"expected the records of a profile; got {data[:16]!r}"
        raise CorruptFileError("recover", path, "byte 0", problem, "pass the path that `profile` was given")
    ring = np.frombuffer(data, RAW, int(header["capacity"]), HEADER_BYTES)
    first = max(0, int(header["count"]) - len(ring))
    records = np.roll(ring, -(first % len(ring)))[: int(header["count"]) - first]
    return assemble(records, first, _described(path, int(header["began"]), int(header["began_utc"])))


def _described(path: str, began: int, began_utc: int) -> Described:
    tables: dict[str, dict[int, Any]] = {"name": {}, "lane": {}, "thread": {}, "plan": {}, "stack": {}}
    for line in read_file("recover", path + SUFFIX).decode(errors="replace").splitlines():
        try:
            kind, number, *values = json.loads(line)
            tables[kind][number] = values
        except (ValueError, KeyError, TypeError):
            break  # the last line of a killed program may be cut

    def listed(kind: str, missing: Any) -> list[Any]:
        table = tables[kind]
        return [table.get(i, missing) for i in range(1 + max(table, default=-1))]

    signatures = [
        Signature(
            signature[0], None if signature[1] is None else tuple(map(tuple, signature[1])), tuple(signature[2]),
            tuple(signature[3]), *signature[4:],
        )
        for (signature,) in listed("plan", [["", None, [], [], 0, 0]])
    ]  # fmt: skip
    lanes = {number - FIRST_OWN_LANE: Lane(*values) for number, values in tables["lane"].items()}
    return Described(
        began, [text for (text,) in listed("name", [""])], signatures,
        [Lane("python", name, thread) for name, thread in listed("thread", ["", 0])],
        [lanes.get(i, Lane("", "")) for i in range(1 + max(lanes, default=-1))],
        [(Frame(*frame), caller) for frame, caller in listed("stack", [["", 0, "", False], -1])],
        metadata={"began_utc_ns": began_utc, "recovered": True},
    )  # fmt: skip
