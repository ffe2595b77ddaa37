"""The bytes of a file: a path, read by several threads, or an open file."""

from __future__ import annotations

import os
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

from facula_errors import FileError, UnsupportedError

from .._streams import Readable, shown, take
from .tables import refuse

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

TRUNCATED = "it was truncated while it was read"
PIECE = 8 << 20  # bytes that a thread reads at a time
MAX_THREADS = 4

# Note [Pages of loaded memory]
# ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# Most of the time of a load is spent on new pages. The allocator requests huge pages, which cost a new process 2 to 4
# ms each if memory is fragmented or belongs to a virtual machine: 1 s for 500 MB, compared with 0.25 s for small pages.
# Therefore memory is filled in small pages, created in bulk, and the kernel may merge them into huge pages afterwards.
LARGE = 1 << 20  # bytes of a storage that justify the calls
HUGE_PAGE, NO_HUGE_PAGE, POPULATE_WRITE = 14, 15, 23  # advice; the last one since Linux 5.14


@cache
def _madvise() -> Callable[[int, int, int], int]:
    """Return C's `madvise`, which Python offers only for its own mappings."""
    import ctypes

    function = ctypes.CDLL(None).madvise
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function


def advise(view: memoryview, advice: int) -> None:
    """Advise the kernel about whole pages of memory; old kernels may reject the advice."""
    from ctypes import addressof, c_char

    start, page = addressof(c_char.from_buffer(view)), os.sysconf("SC_PAGE_SIZE")
    first = -(-start // page) * page
    length = (start + len(view) - first) // page * page
    if length > 0:
        _madvise()(first, length, advice)


class Source:
    """Bytes by their offset.

    Fields:
        name: the name of the file, for messages.
        size: the number of bytes.
        open: whether it is a file opened by the caller, which may contain more data.
    """

    name: str
    size: int
    open: bool = False

    def read(self, offset: int, count: int) -> bytes:
        """Return `count` bytes from `offset` on, or fewer at the end."""
        if offset < 0 or count < 0:
            return b""
        data = bytearray(min(count, max(0, self.size - offset)))
        self.fill(memoryview(data), offset)
        return bytes(data)

    def fill(self, view: memoryview, offset: int) -> None:
        """Fill `view` with the bytes from `offset` on."""
        raise UnsupportedError(f"load: {type(self).__name__} has no bytes")

    def fill_all(self, wanted: list[tuple[memoryview, int]]) -> None:
        """Fill each view from its offset."""
        for view, offset in wanted:
            self.fill(view, offset)

    def finish(self, end: int) -> None:
        """Position an open file after the `end` bytes of its contents."""


class FileSource(Source):
    """A regular file by its descriptor."""

    def __init__(self, name: str, file: int, size: int) -> None:
        self.name, self.file, self.size = name, file, size

    def read(self, offset: int, count: int) -> bytes:
        if 0 <= count < LARGE and 0 <= offset <= self.size - count:
            try:
                data = os.pread(self.file, count, offset)
            except OSError as error:
                raise FileError(error.errno, f"load: {error.strerror}; check the file", self.name) from None
            if len(data) == count:
                return data
        return super().read(offset, count)

    def fill(self, view: memoryview, offset: int) -> None:
        if len(view) >= LARGE:
            advise(view, POPULATE_WRITE)
        while view:
            try:
                count = os.preadv(self.file, [view], offset)
            except OSError as error:
                raise FileError(error.errno, f"load: {error.strerror}; check the file", self.name) from None
            if not count:
                refuse(TRUNCATED)
            view, offset = view[count:], offset + count

    def fill_all(self, wanted: list[tuple[memoryview, int]]) -> None:
        """Fill the views in threads, because all cores can create pages: Note [Pages of loaded memory]."""
        large = [view for view, _ in wanted if len(view) >= LARGE]
        for view in large:
            advise(view, NO_HUGE_PAGE)
        try:
            self._fill_pieces(wanted)
        finally:
            for view in large:
                advise(view, HUGE_PAGE)

    def _fill_pieces(self, wanted: list[tuple[memoryview, int]]) -> None:
        pieces = [
            (view[start : start + PIECE], offset + start)
            for view, offset in wanted
            for start in range(0, len(view), PIECE)
        ]
        count = min(MAX_THREADS, len(os.sched_getaffinity(0)), sum([len(view) for view, _ in pieces]) // PIECE)
        if count < 2:
            super().fill_all(pieces)
            return
        failed: list[BaseException] = []

        def work() -> None:
            try:
                while pieces and not failed:
                    self.fill(*pieces.pop())
            except IndexError:
                return  # another thread took the last piece
            except BaseException as error:
                failed.append(error)

        from threading import Thread

        pieces.reverse()
        threads = [Thread(target=work, name="facula-load") for _ in range(count - 1)]
        for thread in threads:
            thread.start()
        try:
            work()
        finally:
            if pieces:
                failed.append(KeyboardInterrupt())
            for thread in threads:
                thread.join()
        if failed:
            raise failed[0]


class StreamSource(Source):
    """The contents of an open file from its current position."""

    open = True

    def __init__(self, file: BinaryIO) -> None:
        self.name = shown(file)
        try:
            seekable = isinstance(file, Readable) and file.seekable()
        except ValueError:
            seekable = False
        self.file: BinaryIO = file if seekable else BytesIO(take(file, 1 << 62))
        self.start = self.file.tell()
        self.size = self.file.seek(0, os.SEEK_END) - self.start

    def fill(self, view: memoryview, offset: int) -> None:
        self.file.seek(self.start + offset)
        while view:
            count = self.file.readinto(view)  # type: ignore[attr-defined]
            if not count:
                refuse(TRUNCATED)
            view = view[count:]

    def finish(self, end: int) -> None:
        self.file.seek(self.start + end)
