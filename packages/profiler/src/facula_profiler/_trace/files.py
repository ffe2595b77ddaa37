"""Files of traces: a zip archive of arrays in NumPy's format and one member in JSON."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import CorruptFileError

from .._files import checked_path, read_file, write_file
from .records import Frame, Lane, Signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

VERSION = 1
DESCRIPTION = "trace.json"


def write_archive(
    operation: str, path: object, described: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]
) -> None:
    """Write an archive of arrays and a description in JSON."""
    contents = io.BytesIO()
    with zipfile.ZipFile(contents, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(DESCRIPTION, json.dumps({"version": VERSION, **described}))
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            archive.writestr(f"{name}.npy", member.getbuffer())
    write_file(operation, path, contents.getvalue())


def read_archive(
    operation: str, path: object, names: Iterable[str]
) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """Return the description and the arrays of these names; raise ValueError for other files."""
    data = read_file(operation, path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            described = json.loads(archive.read(DESCRIPTION))
            arrays = {
                name: np.lib.format.read_array(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False)
                for name in names
            }
        version = described.pop("version")
    except Exception as error:  # the parsers of damaged archives, arrays and JSON raise errors of many types
        raise corrupt(operation, path, error) from None
    if version != VERSION:
        problem = f"expected a trace of version {VERSION}; got {version!r:.20}"
        raise CorruptFileError(operation, checked_path(operation, path), "", problem, "use the facula that wrote it")
    return described, arrays


def corrupt(operation: str, path: object, error: Exception) -> CorruptFileError:
    """Return the error to raise for a file that cannot be parsed because of `error`."""
    problem = f"expected an archive of Trace.save; got {type(error).__name__}: {error!s:.200}"
    return CorruptFileError(operation, checked_path(operation, path), "", problem, "pass a file of Trace.save")


def lane_of_values(kind: object, label: object, thread: Any) -> Lane:
    """Return a lane from values in JSON."""
    return Lane(str(kind), str(label), int(thread))


def frame_of_values(file: object, line: Any, function: object, is_library: object) -> Frame:
    """Return a frame from values in JSON."""
    return Frame(str(file), int(line), str(function), bool(is_library))


def signature_of_values(
    operator: object, shapes: Any, dtypes: Any, parameters: Any, flops: Any, nbytes: Any
) -> Signature:  # fmt: skip
    """Return a signature from values in JSON."""
    return Signature(
        str(operator), None if shapes is None else tuple([tuple(map(int, shape)) for shape in shapes]),
        tuple(map(str, dtypes)), tuple(map(str, parameters)), int(flops), int(nbytes),
    )  # fmt: skip


def _int64(value: Any) -> int:
    """Return an integer that fits in arrays of int64; raise OverflowError for others."""
    return int(np.int64(int(value)))


def records_of(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return a description from JSON with the records and tuples of a trace."""
    return {
        "names": list(map(str, described["names"])),
        "lanes": [lane_of_values(*values) for values in described["lanes"]],
        "stacks": [
            tuple([frame_of_values(*values) for values in stack])
            for stack in described["stacks"]
        ],
        "signatures": [
            signature_of_values(*values) for values in described["signatures"]
        ],
        "categories": [
            (_int64(time), {_int64(address): str(what) for address, what in found})
            for time, found in described["categories"]
        ],
        "dropped": int(described["dropped"]),
        "metadata": described["metadata"],
    }  # fmt: skip
