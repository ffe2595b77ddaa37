"""Memory-mapped files of arrays, the on-disk form of shared containers.

The layout, little-endian: `MAGIC`; 16 bytes that distinguish this file from later files of its name; the number of
buffers and the length of the header (8 bytes each); offset and length of each buffer (8 bytes each); the header; the
buffers at multiples of 64. The header is a pickle whose arrays are the buffers (protocol 5, out-of-band).
"""

from __future__ import annotations

import mmap
import os
import pickle
import struct
from pathlib import Path
from typing import Any
from uuid import uuid4

from facula_errors import FileError, InvalidValueError

MAGIC = b"facula\x00\x01"
FIXED = struct.Struct("<8s16sQQ")
PLACE = struct.Struct("<QQ")
ALIGNMENT = 64

Contents = Any  # an object that contains columns


def write(operation: str, path: Path, contents: Contents) -> None:
    """Write a file for mapping. The file is renamed to `path` when it is complete and replaces an existing file.

    Arguments:
        operation: the prefix of error messages.
        path: the file.
        contents: the object to pickle, with its arrays out-of-band.

    Raises:
        OSError: the file cannot be written.
    """
    buffers: list[pickle.PickleBuffer] = []
    header = pickle.dumps(contents, 5, buffer_callback=buffers.append)
    pieces = [buffer.raw() for buffer in buffers]
    end = FIXED.size + PLACE.size * len(pieces) + len(header)
    places = []
    for piece in pieces:
        begin = -(-end // ALIGNMENT) * ALIGNMENT
        places.append((begin, piece.nbytes))
        end = begin + piece.nbytes
    token = uuid4().bytes
    temporary = path.with_name(f"{path.name}.{token.hex()[:8]}.tmp")
    try:
        try:
            with open(temporary, "xb") as file:
                file.write(FIXED.pack(MAGIC, token, len(pieces), len(header)))
                file.writelines(PLACE.pack(*place) for place in places)
                file.write(header)
                for (begin, _), piece in zip(places, pieces, strict=True):
                    file.write(bytes(begin - file.tell()))
                    file.write(piece)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(
            error.errno, f"{operation}: cannot write {str(path)!r}: {error.strerror}; check the path", str(path)
        ) from error


def read(operation: str, path: Path, token: bytes | None = None) -> tuple[Contents, bytes]:
    """Return the contents of a file, with arrays that map the file's memory, and the file's token.

    Arguments:
        operation: the prefix of error messages.
        path: the file.
        token: the expected token; None accepts any.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file has another format, is damaged, or has another token.
    """
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size >= FIXED.size else b""
    except OSError as error:
        raise FileError(
            error.errno, f"{operation}: cannot read {str(path)!r}: {error.strerror}; check the path", str(path)
        ) from error
    if mapped[: len(MAGIC)] != MAGIC:
        raise InvalidValueError(
            f"{operation}: expected a file that SharedList or SharedDict wrote; got {str(path)!r}, which begins "
            f"otherwise; write it with file="
        )
    _, found, count, length = FIXED.unpack_from(mapped)
    if token is not None and token != found:
        raise InvalidValueError(
            f"{operation}: expected {str(path)!r} as it was when the container was pickled; it was rewritten since "
            "then; send the container again"
        )
    begin = FIXED.size + PLACE.size * count
    whole = begin + length <= size
    places = [PLACE.unpack_from(mapped, FIXED.size + PLACE.size * i) for i in range(count)] if whole else []
    if not whole or any(offset + nbytes > size for offset, nbytes in places):
        raise InvalidValueError(f"{operation}: expected the whole of {str(path)!r}; it is cut short; write it again")
    memory = memoryview(mapped)
    buffers = [memory[offset : offset + nbytes] for offset, nbytes in places]
    try:
        return pickle.loads(memory[begin : begin + length], buffers=buffers), found
    except Exception as error:
        raise InvalidValueError(
            f"{operation}: expected {str(path)!r} as it was written; it cannot be decoded: {error}; write it again"
        ) from error
