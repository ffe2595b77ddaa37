"""The archive: a zip whose members are stored as they are, written at once or not at all, and read whole or refused.

`graph.json` and `tensors.safetensors` are always there. Others, as `run/NAME.bin`, may be for programs that run a graph
without Python.
"""

from __future__ import annotations

import os
import re
import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Any, cast

from facula_checkpoint import CheckpointError, load_file, save_file
from facula_checkpoint.extend import replacing
from facula_errors import FileError, InvalidTypeError

from .errors import GraphFileError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

    from facula_storage import Layout, Storage

    Parts = tuple[Storage, Layout, int]

GRAPH, TENSORS = "graph.json", "tensors.safetensors"
FURTHER = re.compile(r"run/[A-Za-z0-9_.-]{1,100}\.bin")
MOST_MEMBERS = 1000
EPOCH = (1980, 1, 1, 0, 0, 0)  # so that equal graphs are equal files


def path_of(operation: str, path: object) -> str:
    """The path as text; TypeError for what is none."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise InvalidTypeError(f"{operation}: expected a path; got {type(path).__name__}")
    return os.fsdecode(path)


def write(path: str, graph: bytes, tensors: Mapping[str, Parts], further: Mapping[str, bytes]) -> None:
    """Replace the file at `path`.

    Arguments:
        path: where.
        graph: the contents of graph.json.
        tensors: what tensors.safetensors has.
        further: other members, by name.

    Raises:
        OSError: it cannot be written; the old file is as it was.
    """
    with replacing(path) as descriptor, open(descriptor, "w+b", closefd=False) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name, contents in {GRAPH: graph, **further}.items():
                archive.writestr(_entry(name), contents)
            with archive.open(_entry(TENSORS), "w", force_zip64=True) as member:
                save_file(tensors, cast("BinaryIO", member))


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.external_attr = 0o644 << 16
    return entry


def read(path: str) -> tuple[bytes, dict[str, Parts], dict[str, bytes]]:
    """graph.json, the tensors, and other members; GraphFileError for any other file, OSError where there is none."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            with zipfile.ZipFile(file) as archive:
                members = _checked(path, archive, size)
                contents = {name: archive.read(one) for name, one in members.items()}
    except OSError as error:
        raise FileError(error.errno, f"load: {error.strerror or error}", path) from None
    except (zipfile.BadZipFile, EOFError, ValueError, RuntimeError, OverflowError, MemoryError) as error:
        if isinstance(error, GraphFileError):
            raise
        raise GraphFileError(path, f"not a graph: {error or type(error).__name__}") from None
    except Exception as error:  # zipfile unpacks structs of strangers, and raises what that raises
        raise GraphFileError(path, f"not a graph: {type(error).__name__}: {error}") from None
    graph, packed = contents.pop(GRAPH), contents.pop(TENSORS)
    try:
        tensors: dict[str, Any] = load_file(BytesIO(packed))
    except CheckpointError as error:
        raise GraphFileError(path, f"{TENSORS}: {error.reason}") from None
    return graph, tensors, contents


def _checked(path: str, archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """The members by name: stored ones alone, none twice, none from elsewhere, none larger than the file."""
    found: dict[str, zipfile.ZipInfo] = {}
    listed = archive.infolist()
    if len(listed) > MOST_MEMBERS:
        raise GraphFileError(path, f"it has {len(listed)} members; expected at most {MOST_MEMBERS}")
    for one in listed:
        name = one.orig_filename
        if one.filename != name or (name not in (GRAPH, TENSORS) and not FURTHER.fullmatch(name)):
            raise GraphFileError(path, f"it has a member {name!r:.100}, which no graph has")
        if name in found:
            raise GraphFileError(path, f"it has two members {name!r}")
        if one.compress_type != zipfile.ZIP_STORED or one.flag_bits & 1 or one.compress_size != one.file_size:
            raise GraphFileError(path, f"its member {name!r} is compressed or encrypted; expected it as it is")
        found[name] = one
    if sum([one.file_size for one in listed]) > size:
        raise GraphFileError(path, "its members are larger than the file")
    for name in (GRAPH, TENSORS):
        if name not in found:
            raise GraphFileError(path, f"it has no member {name!r}: not a graph that jit.save wrote")
    return found
