"""Writing of PyTorch's zip format: uncompressed members, storages at multiples of 64 bytes.

PyTorch requires `data.pkl`, `version` and `data/N`. It reads `byteorder` if present; `.format_version` and
`.storage_alignment` record how the file was made. Sizes are in the members' headers, so that archives can be
concatenated in one file; PyTorch itself writes them after the data.
"""

from __future__ import annotations

import io
import pickle
import struct
import zlib
from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError
from facula_storage import contiguous, uint8

from .._atomic import replacing, write_all
from .._parts import elements
from .._streams import File, resolved, write_pieces
from .pickling import CheckpointPickler, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from facula_storage import DType

    from .pickling import Block, Reduced

    Pieces = Iterable[memoryview | bytes]

ALIGNMENT = 64
FOLDER = "archive"
VERSION = 3
_LARGE = 0xFFFFFFFF
_MANY = 0xFFFF
_FLAGS = 0x800  # names are UTF-8
_DAY = 0x21  # 1 January 1980, so that equal objects yield equal files


def write_pytorch(
    value: object,
    file: File,
    reduce: Callable[[CheckpointPickler, Any], Reduced],
    storages: Mapping[type, Callable[[Any], tuple[Block, DType]]],
) -> None:
    """Write an object like `torch.save`.

    Arguments:
        value: the object to save.
        file: the path, replaced atomically and unchanged on any error; or a file opened in binary mode, written at its
            current position.
        reduce, storages: see `CheckpointPickler`.

    Raises:
        TypeError: a part of the object cannot be pickled.
        OSError: the file cannot be written.
    """
    target = resolved("save", file, "write")
    try:
        pickler = CheckpointPickler(io.BytesIO(), reduce, storages)
        pickler.dump(value)
        overlapping = merged(pickler.blocks)
        if overlapping:
            pickler = CheckpointPickler(io.BytesIO(), reduce, storages, overlapping)
            pickler.dump(value)
    except FaculaError:
        raise
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise InvalidTypeError(
            f"save: something cannot be pickled: {error}; save state_dict()s and plain values"
        ) from error
    except RecursionError:
        raise InvalidValueError("save: the object is nested too deeply to be pickled; flatten it") from None
    members = archive_members(pickler)
    if not isinstance(target, str):
        write_pieces(target, zip_pieces(members))
        return
    with replacing(target) as descriptor:
        for piece in zip_pieces(members):
            write_all(descriptor, piece)


def archive_members(pickler: CheckpointPickler) -> Iterator[tuple[str, int, Pieces]]:
    """Iterate over name, size and contents of each member."""
    texts = {
        "data.pkl": pickler.renamed(),
        ".format_version": b"1",
        ".storage_alignment": str(ALIGNMENT).encode(),
        "byteorder": b"little",
    }
    for name, text in texts.items():
        yield name, len(text), [text]
    for key, block in enumerate(pickler.blocks):
        layout = contiguous((block.nbytes,), uint8, block.device)
        yield f"data/{key}", block.nbytes, [*elements((block.storage, layout, block.offset))]
    yield "version", 2, [f"{VERSION}\n".encode()]


def zip_pieces(members: Iterable[tuple[str, int, Pieces]]) -> Iterator[memoryview | bytes]:
    """Iterate over the pieces of the archive."""
    directory, position = [], 0
    for name, size, contents in members:
        raw = f"{FOLDER}/{name}".encode()
        check = 0
        for piece in contents:
            check = zlib.crc32(piece, check)
        large = struct.pack("<2H2Q", 1, 16, size, size) if size >= _LARGE else b""
        short = min(size, _LARGE)
        begin = position + 30 + len(raw) + len(large) + 4
        padding = -begin % ALIGNMENT
        extra = large + struct.pack("<2s1H", b"FB", padding) + b"Z" * padding
        fields = (_FLAGS, 0, 0, _DAY, check, short, short, len(raw))
        yield struct.pack("<4s5H3L2H", b"PK\3\4", 45 if large else 20, *fields, len(extra)) + raw + extra
        yield from contents
        numbers = struct.pack("<2Q", size, size) if size >= _LARGE else b""
        numbers += struct.pack("<Q", position) if position >= _LARGE else b""
        extra = struct.pack("<2H", 1, len(numbers)) + numbers if numbers else b""
        version = 45 if extra else 20
        directory.append(
            struct.pack("<4s6H3L5H2L", b"PK\1\2", version, version, *fields, len(extra), 0, 0, 0, 0,
                        min(position, _LARGE)) + raw + extra
        )  # fmt: skip
        position = begin + padding + size
    yield b"".join(directory)
    count, size = len(directory), sum(map(len, directory))
    end = position + size
    if count >= _MANY or end >= _LARGE:
        yield struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, position)
        yield struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    short = min(count, _MANY)
    yield struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, short, short, min(size, _LARGE), min(position, _LARGE), 0)
