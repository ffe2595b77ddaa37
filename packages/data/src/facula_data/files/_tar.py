"""Sequential reading of the members of a tar archive from a stream, without extracting files to disk.

`tarfile` only parses headers here (`TarInfo.frombuf`). Its reader allocates memory by the sizes in the archive, and its
errors for damaged archives name neither the file nor the place.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple, Protocol, TypeAlias

from facula_errors import CorruptFileError

from ._file_errors import path_of, unreadable
from ._local_file import TRUNCATED

BLOCK = 512
MAX_NAMES = 1 << 20  # maximum bytes of a header with a long name
PIECE = 1 << 20
PADDING = 16  # maximum number of pieces of padding, which consists of zeros
LONG = (
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
)  # fmt: skip
WITHOUT_DATA = (
    tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE,
)  # fmt: skip
Unpack: TypeAlias = Callable[[IO[bytes]], IO[bytes] | gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile]
MAGICS: dict[bytes, Unpack] = {
    b"\x1f\x8b": lambda raw: gzip.GzipFile(fileobj=raw, mode="rb"),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
}
COPY_REMEDY = "copy or download it again"


class Readable(Protocol):
    """The protocol of a sequential stream of bytes."""

    def read(self, size: int, /) -> bytes: ...


class Member(NamedTuple):
    """A file in an archive."""

    name: str
    data: bytes
    place: str


@contextmanager
def opened(path: str) -> Iterator[Readable]:
    """Open the archive as a stream of uncompressed bytes; the first bytes determine the compression."""
    try:
        with open(path_of("TarShards", path), "rb") as raw:
            start = raw.read(6)
            raw.seek(0)
            for magic, unpacker in MAGICS.items():
                if start.startswith(magic):
                    with unpacker(raw) as stream:
                        yield stream
                    return
            yield raw
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise CorruptFileError("TarShards", path, "", f"expected a complete archive; {error}", COPY_REMEDY) from None
    except OSError as error:
        if error.errno is None:  # bz2 raises a plain OSError without errno
            raise CorruptFileError(
                "TarShards", path, "", f"expected a complete archive; {error}", COPY_REMEDY
            ) from None
        raise unreadable("TarShards", path, error) from None


class _Stream:
    """The bytes read from an archive, and the current offset."""

    def __init__(self, path: str, stream: Readable) -> None:
        self.path, self.offset, self._stream = path, 0, stream

    def corrupt(self, problem: str, remedy: str = COPY_REMEDY) -> CorruptFileError:
        """Return an error for the current offset."""
        return CorruptFileError("TarShards", self.path, f"byte {self.offset}", problem, remedy)

    def read(self, count: int) -> bytes:
        """Read `count` bytes in pieces, so that a large size in a header does not allocate memory."""
        parts: list[bytes] = []
        while count:
            part = self._stream.read(min(count, PIECE))
            if not part:
                raise self.corrupt(f"expected {count} bytes more; the archive ends", TRUNCATED)
            parts.append(part)
            count, self.offset = count - len(part), self.offset + len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def skip(self, count: int) -> None:
        """Skip `count` bytes."""
        while count:
            count -= len(self.read(min(count, PIECE)))

    def finish(self) -> None:
        """Read the padding after the end, so that the decompressor verifies its checksum."""
        for _ in range(PADDING):
            if not self._stream.read(PIECE):
                return

    def header(self) -> bytes | None:
        """Return the next block, or None at the end of the archive."""
        block = self._stream.read(BLOCK)
        if not block and self.offset:
            raise self.corrupt("expected two blocks of zeros at the end; the archive ends before", TRUNCATED)
        if not block:
            raise self.corrupt("expected a tar archive; the file is empty")
        if len(block) < BLOCK:
            self.offset += len(block)
            raise self.corrupt(f"expected a header of {BLOCK} bytes; got {len(block)}", TRUNCATED)
        return block if block.strip(b"\0") else None


def _extended(stream: _Stream, data: bytes) -> dict[str, str]:
    """Parse the records of a pax header: b"LENGTH NAME=VALUE\\n", concatenated."""
    found: dict[str, str] = {}
    while data:
        length, _, _ = data.partition(b" ")
        if (
            not (length.isdigit() and len(length) < 8)
            or not len(length) + 3 <= int(length) <= len(data)
            or data[int(length) - 1] != 10
        ):
            raise stream.corrupt(f"expected a record of an extended header; got {data[:40]!r}")
        record, data = data[len(length) + 1 : int(length) - 1], data[int(length) :]
        name, _, value = record.partition(b"=")
        found[name.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
    return found


def members(path: str, max_bytes: int) -> Iterator[Member]:
    """Iterate over the regular files of an archive, in order; other members are skipped.

    Arguments:
        path: the archive, uncompressed or compressed by gzip, bzip2 or xz.
        max_bytes: the maximum size of a file; a larger one is an error before it is read.

    Raises:
        CorruptFileError: the archive is damaged, or contains a file that is larger or sparse.
    """
    with opened(path) as raw:
        stream = _Stream(path, raw)
        fields: dict[str, str] = {}
        general: dict[str, str] = {}
        while True:
            start = stream.offset
            block = stream.header()
            if block is None:
                stream.finish()
                return
            try:
                info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
            except tarfile.HeaderError as error:
                raise stream.corrupt(f"expected the header of a member; {error}") from None
            stream.offset += BLOCK
            size = int(info.size)
            if "size" in fields:
                size = int(fields["size"]) if fields["size"].isdecimal() and len(fields["size"]) < 20 else -1
            if size < 0:
                raise stream.corrupt("expected a size of at least 0")
            padding = -size % BLOCK
            if info.type in LONG:
                if size > MAX_NAMES:
                    raise stream.corrupt(f"expected a name of at most {MAX_NAMES} bytes; got {size}")
                data = stream.read(size)
                stream.skip(padding)
                if info.type == tarfile.GNUTYPE_LONGLINK:
                    continue
                if info.type == tarfile.GNUTYPE_LONGNAME:
                    fields["path"] = data.rstrip(b"\0").decode("utf-8", "surrogateescape")
                elif info.type == tarfile.XGLTYPE:
                    general |= _extended(stream, data)
                else:
                    fields |= _extended(stream, data)
                continue
            if info.type in WITHOUT_DATA:  # their size fields are ignored
                fields = {}
                continue
            name = fields.get("path", general.get("path", info.name))
            if info.type == tarfile.GNUTYPE_SPARSE or any(key.startswith("GNU.sparse") for key in fields):
                raise stream.corrupt(f"expected files without holes; got {name!r}", "write it without --sparse")
            fields = {}
            if not info.isreg():
                stream.skip(size + padding)
                continue
            if size > max_bytes:
                problem = f"expected files of at most {max_bytes} bytes; got {name!r} of {size}"
                raise stream.corrupt(problem, "pass max_member_bytes if this size is intended")
            data = stream.read(size)
            stream.skip(padding)
            yield Member(name, data, f"byte {start}")
