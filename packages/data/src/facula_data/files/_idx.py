"""IDX files, the format of MNIST: a magic number, sizes, and elements in big-endian order."""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from typing import NamedTuple

import numpy as np

from facula_errors import CorruptFileError
from facula_errors.extend import boundary

from .. import _checks
from ._file_errors import Path, path_of
from ._local_file import TRUNCATED, MappedArray, count_of

DTYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
GZIP = b"\x1f\x8b"
MAX_BYTES = 1 << 31
DEFLATE = 1032  # the maximum number of bytes that one byte of a deflated stream can expand to
PIECE = 1 << 20  # bytes decompressed at a time
NOT_IDX = "expected an IDX file: two zero bytes, a code of the dtype, and the number of dimensions"


class IdxLayout(NamedTuple):
    """The contents of an IDX header."""

    dtype: np.dtype
    shape: tuple[int, ...]
    offset: int

    @property
    def size(self) -> int:
        """The number of bytes of the elements."""
        return count_of(self.shape) * self.dtype.itemsize


def _layout(path: str, header: bytes) -> IdxLayout:
    """Parse the layout from the first bytes of a file."""

    def corrupt(place: int, problem: str, remedy: str) -> CorruptFileError:
        return CorruptFileError("read_idx", path, f"byte {place}", problem, remedy)

    if len(header) < 4 or header[:2] != b"\0\0" or header[2] not in DTYPES:
        raise corrupt(0, f"{NOT_IDX}; got {header[:4]!r}", "check that it is the right file, and not a web page")
    dimensions = header[3]
    if len(header) < 4 + 4 * dimensions:
        raise corrupt(len(header), f"expected {dimensions} sizes of four bytes; the header ends before", TRUNCATED)
    shape = struct.unpack_from(f">{dimensions}I", header, 4)
    return IdxLayout(np.dtype(DTYPES[header[2]]), shape, 4 + 4 * dimensions)


def is_gzip(path: str) -> bool:
    """Return whether the file begins with gzip's magic number, whatever its name."""
    with open(path, "rb") as file:
        return file.read(2) == GZIP


def map_idx(path: Path) -> MappedArray:
    """Map the array of an uncompressed IDX file."""
    name = path_of("read_idx", path)
    with open(name, "rb") as file:
        layout = _layout(name, file.read(4 + 4 * 255))
    mapped = MappedArray("read_idx", name, layout.dtype, layout.shape, layout.offset)
    size, end = os.path.getsize(name), layout.offset + layout.size
    if size > end:
        raise _bytes_left(name, end, layout)
    return mapped


@boundary
def read_idx(path: Path, *, max_bytes: int = MAX_BYTES) -> np.ndarray:
    """Read the array of an IDX file, such as those of MNIST; gzip compression is detected.

    Arguments:
        path: the file. Its first bytes, not its name, determine whether it is compressed.
        max_bytes: the maximum size of a compressed file's contents; an uncompressed file is mapped into memory, and
            read-only.

    Returns:
        uint8, int8, int16, int32, float32 or float64; multi-byte elements are copied and converted to native byte
            order.

    Raises:
        CorruptFileError: the header is invalid, or the number of elements differs from it.
        OSError: the file does not exist.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(bytes([0, 0, 8, 1, 0, 0, 0, 3]) + b"abc")
    ...     file.flush()
    ...     print(read_idx(file.name))
    [97 98 99]
    """
    _checks.whole_number("read_idx", "max_bytes", max_bytes, 1)
    name = path_of("read_idx", path)
    array = _unpacked(name, max_bytes) if is_gzip(name) else map_idx(name).array
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _unpacked(path: str, max_bytes: int) -> np.ndarray:
    """Read the array of a compressed file, checking the header's size before decompressing that much."""
    try:
        with gzip.open(path, "rb") as file:
            start = file.read(4)
            layout = _layout(path, start + file.read(4 * start[3] if len(start) == 4 else 0))
            if layout.size > max_bytes or layout.size > DEFLATE * os.path.getsize(path):
                raise CorruptFileError(
                    "read_idx", path, "byte 4",
                    f"expected at most {max_bytes} bytes, and {DEFLATE} for each that is compressed; the header says "
                    f"{layout.dtype} {layout.shape}, which is {layout.size}",
                    "pass max_bytes if this size is intended",
                )  # fmt: skip
            memory = bytearray(layout.size)
            view, got = memoryview(memory), 0
            while got < layout.size:
                count = file.readinto(view[got : got + PIECE])
                if not count:
                    raise _too_short(path, layout, got)
                got += count
            if file.read(1):
                raise _bytes_left(path, layout.offset + layout.size, layout)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise CorruptFileError(
            "read_idx", path, "", f"expected a complete gzip file; {error}", "copy or download it again"
        ) from None
    return np.frombuffer(memory, layout.dtype).reshape(layout.shape)


def _too_short(path: str, layout: IdxLayout, got: int) -> CorruptFileError:
    problem = f"expected {layout.size} bytes for {layout.dtype} {layout.shape}; got {got}"
    return CorruptFileError("read_idx", path, f"byte {layout.offset + got}", problem, TRUNCATED)


def _bytes_left(path: str, end: int, layout: IdxLayout) -> CorruptFileError:
    problem = f"expected the end of the file after {layout.dtype} {layout.shape}; there is more"
    return CorruptFileError("read_idx", path, f"byte {end}", problem, "check that it is the right file")
