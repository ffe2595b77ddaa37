"""The archive: a zip with uncompressed members, which is written atomically and validated when it is read.

`graph.json` and `tensors.safetensors` are always present. `run/NAME.bin` are programs that run a graph without Python,
and `extra/NAME` members that a user added.
"""

from __future__ import annotations

import os
import re
import sys
import zipfile
from io import BufferedRandom, BufferedReader, BytesIO, FileIO
from typing import TYPE_CHECKING, Any, cast

from facula_checkpoint import CheckpointError, load_file, save_file
from facula_checkpoint.extend import replacing, resolved, shown, take, write_pieces
from facula_errors import FileError, InvalidTypeError, InvalidValueError

from .errors import GraphFileError

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping
    from typing import BinaryIO

    from facula_storage import Layout, Storage

    File = str | os.PathLike[str] | BinaryIO
    Parts = tuple[Storage, Layout, int]

GRAPH, TENSORS = "graph.json", "tensors.safetensors"
EXTRA = "extra/"
CPU = ("cpu", "cpu:0")  # names of the device
MEMBER_NAMES = re.compile(r"run/[A-Za-z0-9_.-]{1,100}\.bin|extra(?:/[A-Za-z0-9_][A-Za-z0-9_. -]*)+")
MAX_NAME_LENGTH = 200  # maximum length of a name
MAX_MEMBERS = 1000
EPOCH = (1980, 1, 1, 0, 0, 0)  # so that equal graphs are equal files


def extra_members(extra: Mapping[str, bytes | str] | None) -> dict[str, bytes]:
    """Return the members that a user adds, by their names in the archive; raise TypeError or ValueError for
    invalid ones.
    """
    found = {}
    for name, contents in (extra or {}).items():
        if not isinstance(name, str) or not isinstance(contents, (str, bytes, bytearray, memoryview)):
            raise InvalidTypeError(
                f"save: expected _extra_files to have names and bytes or texts; got {name!r:.60} and "
                f"{type(contents).__name__}"
            )
        if not _is_extra_member(EXTRA + name):
            raise InvalidValueError(
                "save: expected names in _extra_files as 'folder/name.txt', of letters, digits, '_', '-', '.' and "
                f"spaces, {MAX_NAME_LENGTH - len(EXTRA)} at most; got {name!r:.60}"
            )
        found[EXTRA + name] = contents.encode() if isinstance(contents, str) else bytes(contents)
    return found


def _is_extra_member(name: str) -> bool:
    return len(name) <= MAX_NAME_LENGTH and MEMBER_NAMES.fullmatch(name) is not None


def fill_extra(extra: MutableMapping[str, Any] | None, members: Mapping[str, bytes]) -> None:
    """Store the user's members in a dict for the names that it contains; missing ones are empty."""
    for name in extra or ():
        extra[name] = members.get(f"{EXTRA}{name}", b"")  # type: ignore[index]


def write(target: File, graph: bytes, tensors: Mapping[str, Parts], further: Mapping[str, bytes]) -> None:
    """Replace the file at a path, or write to an open file at its position.

    Arguments:
        target: the path or file.
        graph: the contents of graph.json.
        tensors: the contents of tensors.safetensors.
        further: other members, by name.

    Raises:
        TypeError, ValueError: the target is neither a path nor a binary file that is open for writing.
        OSError: it cannot be written; an existing file at the path is unchanged.
    """
    found = resolved("save", target, "write")
    if isinstance(found, str):
        with replacing(found) as descriptor, open(descriptor, "w+b", closefd=False) as file:
            _write(file, graph, tensors, further)
        return
    whole = BytesIO()
    _write(whole, graph, tensors, further)
    write_pieces(found, [whole.getbuffer()])


def _write(file: BinaryIO, graph: bytes, tensors: Mapping[str, Parts], further: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, contents in {GRAPH: graph, **further}.items():
            archive.writestr(_entry(name), contents)
        with archive.open(_entry(TENSORS), "w", force_zip64=True) as member:
            save_file(tensors, cast("BinaryIO", member))


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.external_attr = 0o644 << 16
    return entry


def read(source: File) -> tuple[bytes, dict[str, Parts], dict[str, bytes]]:
    """Return graph.json, the tensors, and other members; an open file is read from its position to its end.

    Raises:
        GraphFileError: the file is invalid.
        TypeError, ValueError: the source is neither a path nor a binary file that is open for reading.
        OSError: it does not exist, or cannot be read.
    """
    found = resolved("load", source, "read")
    path = shown(found)
    try:
        if isinstance(found, str):
            with open(found, "rb") as file:
                contents = _members(path, file, None)
        else:
            window, start = _seekable(found)
            contents = _members(path, window, start)
            window.seek(0, os.SEEK_END)
    except OSError as error:
        raise FileError(error.errno, f"load: {error.strerror or error}; check the path", path) from None
    except (zipfile.BadZipFile, EOFError, ValueError, RuntimeError, OverflowError, MemoryError) as error:
        if isinstance(error, GraphFileError):
            raise
        raise GraphFileError(path, f"not a graph: {error or type(error).__name__}") from None
    except Exception as error:  # zipfile unpacks untrusted structs, which may raise any error
        raise GraphFileError(path, f"not a graph: {type(error).__name__}: {error}") from None
    graph, packed = contents.pop(GRAPH), contents.pop(TENSORS)
    try:
        tensors: dict[str, Any] = load_file(BytesIO(packed))
    except CheckpointError as error:
        raise GraphFileError(path, f"{TENSORS}: {error.reason}") from None
    return graph, tensors, contents


def _seekable(file: BinaryIO) -> tuple[BinaryIO, int]:
    """Return an open file and its position; a file that may return short reads is read into memory."""
    if isinstance(file, (BytesIO, FileIO, BufferedReader, BufferedRandom)) and file.seekable():
        return file, file.tell()
    return BytesIO(take(file, sys.maxsize)), 0


def _members(path: str, file: BinaryIO, start: int | None) -> dict[str, bytes]:
    size = file.seek(0, os.SEEK_END) - (start or 0)
    with zipfile.ZipFile(file) as archive:
        members = _checked(path, archive, size)
        first = min([member.header_offset for member in members.values()])
        if start is not None and first != start:
            raise GraphFileError(path, f"a graph begins at byte {first}, and the file is at {start}; seek there first")
        return {name: archive.read(member) for name, member in members.items()}


def _checked(path: str, archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """Return the members by name, after checking that each is uncompressed, unique, known, and within the size of the
    file.
    """
    found: dict[str, zipfile.ZipInfo] = {}
    listed = archive.infolist()
    if len(listed) > MAX_MEMBERS:
        raise GraphFileError(path, f"it has {len(listed)} members; expected at most {MAX_MEMBERS}")
    for member in listed:
        name = member.orig_filename
        if member.filename != name or (name not in (GRAPH, TENSORS) and not _is_extra_member(name)):
            raise GraphFileError(path, f"it has a member {name!r:.100}, which graph files do not contain")
        if name in found:
            raise GraphFileError(path, f"it has two members {name!r}")
        if (
            member.compress_type != zipfile.ZIP_STORED
            or member.flag_bits & 1
            or member.compress_size != member.file_size
        ):
            raise GraphFileError(path, f"its member {name!r} is compressed or encrypted; expected plain data")
        found[name] = member
    if sum([member.file_size for member in listed]) > size:
        raise GraphFileError(path, "its members are larger than the file")
    for name in (GRAPH, TENSORS):
        if name not in found:
            raise GraphFileError(path, f"it has no member {name!r}: not a graph that jit.save wrote")
    return found
