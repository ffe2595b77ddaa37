"""Snapshots in files: JSON, and the pickles that PyTorch's memory viewer reads."""

from __future__ import annotations

import json
import os
import pickle
from math import isfinite
from typing import Any, NoReturn

from facula_errors import CorruptFileError, InvalidValueError
from facula_errors.extend import boundary

from .._reports.snapshot_types import PENDING, WAITING
from .._reports.whole_files import read_whole, write_whole
from ._check import Checker, Malformed, checked_argument
from ._unpickle import BadPickle, unpickle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._reports.snapshot_types import Snapshot
    from .._reports.whole_files import Path

SUFFIXES = {".json": "json", ".pickle": "pickle", ".pkl": "pickle"}
#: The viewer's own pickle reader supports protocols 2 to 4.
PROTOCOL = 4
REMEDY = "write the snapshot again, or read the file with the program that wrote it"


@boundary
def write_snapshot(snapshot: Mapping[str, object], path: Path, format: str | None = None) -> None:
    """Write a snapshot to a file, as JSON or as the pickle that PyTorch's memory viewer reads.

    The file is replaced atomically: concurrent readers find the former or the new one. In the pickle, blocks that await
    their events are called "active_pending_free", as in PyTorch's allocator and viewer.

    Arguments:
        snapshot: a dict from `memory_snapshot()` or `read_snapshot()`, or from PyTorch.
        path: the file.
        format: "json" or "pickle"; by default chosen by the name: `.json`, `.pickle` or `.pkl`.

    Raises:
        TypeError: `snapshot` is not a dict.
        ValueError: a part of it is invalid, or the format is unknown.
        OSError: the file cannot be written.
    """
    kind = SUFFIXES.get(os.path.splitext(os.fspath(path))[1]) if format is None else format
    if kind not in ("json", "pickle"):
        given = f"the file {os.fspath(path)!r}" if format is None else f"format={format!r}"
        remedy = 'name the file .json or .pickle, or pass format="json" or "pickle"'
        raise InvalidValueError(f"write_snapshot: expected JSON or a pickle; got {given}; {remedy}")
    checked = checked_argument("write_snapshot", snapshot)
    if kind == "json":
        data = json.dumps(checked, separators=(",", ":"), allow_nan=False).encode("ascii")
    else:
        for segment in checked["segments"]:
            for block in segment["blocks"]:
                if block["state"] == WAITING:
                    block["state"] = PENDING
        data = pickle.dumps(checked, protocol=PROTOCOL)
    write_whole("write_snapshot", path, data)


@boundary
def read_snapshot(path: Path) -> Snapshot:
    """Read a snapshot, JSON or pickle, from this package or from PyTorch.

    A pickle is read without executing it. It may contain text, numbers, lists and dicts, but nothing that must be
    imported or called.

    Returns:
        The snapshot with all keys that this package's snapshots have, regardless of its source.

    Raises:
        CorruptFileError: the file is damaged, is not a snapshot, or contains more than plain data; the message names
            the place.
        OSError: the file cannot be read.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "empty.json")
    >>> write_snapshot({"segments": [], "device_traces": []}, path)
    >>> read_snapshot(path)
    {'segments': [], 'device_traces': [], 'allocator_settings': {}}
    """
    return parse_snapshot("read_snapshot", path, read_whole("read_snapshot", path))


def parse_snapshot(operation: str, path: Path, data: bytes) -> Snapshot:
    """Parse the snapshot in the contents of a file."""
    try:
        return Checker().snapshot(unpickle(data) if data[:1] == b"\x80" else parse_json(data))
    except Malformed as error:
        place, problem = error.place, error.problem
    except BadPickle as error:
        place, problem = f"byte {error.byte}", error.problem
    raise CorruptFileError(operation, path, place, problem, REMEDY)


def parse_json(data: bytes) -> object:
    """Parse JSON.

    Raises:
        Malformed: the text is not JSON; the error has the line and column.
    """
    if not data.strip():
        raise Malformed("byte 0", f"expected a snapshot; got {'only white space' if data else 'an empty file'}")
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise Malformed(f"byte {error.start}", "expected JSON in UTF-8, or a pickle; got other bytes") from None
    except json.JSONDecodeError as error:
        problem = f"expected complete JSON; got something else: {error.msg}"
        raise Malformed(f"line {error.lineno}, column {error.colno}", problem) from None
    except RecursionError:
        raise Malformed("the top", "expected a snapshot; got too deeply nested containers") from None
    except ValueError as error:  # an integer with thousands of digits
        raise Malformed("the top", f"expected a snapshot; {error}") from None


def _no_constant(name: str) -> NoReturn:
    raise Malformed("the top", f"expected finite numbers; got {name}")


def _finite(text: str) -> Any:
    value = float(text)
    return value if isfinite(value) else _no_constant(text[:20])
