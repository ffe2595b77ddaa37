"""`save_on_disk`: keep saved values in files until the backward pass.

Note [Files without names]
Values are stored one after the other in temporary files that are unlinked on creation. The system therefore reclaims
the space when the last reference to a file is dropped: with the graph, after an error, at exit, and after a kill. Only
the values in a file refer to it, and a file holds about 64 MiB, so space is reclaimed in pieces during a backward pass.
Reads and writes give explicit offsets: threads and forked processes do not disturb each other, and a Ctrl-C during a
write only leaves an unused gap.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from io import FileIO
from weakref import ref

from facula_errors import FaculaError, FileError, InvalidTypeError, InvalidValueError, NoDirectoryError
from facula_errors.extend import trim_traceback

from .._adapters import adapter_of
from .._graph.node import LEAF
from .._modes.grad_mode import saved_tensors_hooks
from .saved_tensor_modes import Unmoved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from .._types import AnyAdapter, Leaf

SEGMENT_BYTES = 64 << 20
MIN_BYTES = 64  # a Python number takes up to half as much


class _LastingFile(FileIO):
    """A file that is closed when its last reference is dropped, without Python's ResourceWarning."""

    _finalizing = property()  # FileIO sets this attribute before it warns, and does not warn if it cannot


class _Segment:
    """One file, and the number of bytes in use."""

    __slots__ = ("__weakref__", "file", "taken")

    def __init__(self, folder: str) -> None:
        from tempfile import TemporaryFile

        with TemporaryFile(dir=folder, prefix="saved-") as file:
            self.file = _LastingFile(os.dup(file.fileno()), "r+")
        self.taken = 0


class OnDisk:
    """The place of a value in a file."""

    __slots__ = ("adapter", "files", "metadata", "nbytes", "offset", "segment")

    def __init__(self, files: _Files, segment: _Segment, offset: int, nbytes: int) -> None:
        self.files, self.segment, self.offset, self.nbytes = files, segment, offset, nbytes
        self.adapter: AnyAdapter
        self.metadata: Hashable

    def get(self) -> object:
        """Read the value."""
        return self.adapter.from_bytes(self.metadata, self.fill)

    def fill(self, memory: memoryview) -> None:
        """Read the elements into `memory`."""
        done, number = 0, self.segment.file.fileno()
        while done < self.nbytes:
            count = os.preadv(number, [memory[done:]], self.offset + done)
            if not count:
                raise FileError(
                    f"save_on_disk: expected {self.nbytes} bytes at {self.offset} of a file in {self.files.folder}; "
                    f"got {done}: another process has truncated it"
                )
            done += count
        self.files.bytes_read += self.nbytes


class _Files:
    """The files of one `save_on_disk`. This object keeps no file alive: see Note [Files without names]."""

    def __init__(self, folder: str, min_bytes: int) -> None:
        self.folder, self.min_bytes = folder, min_bytes
        self.bytes_written = self.bytes_read = 0
        self.lock = allocate_lock()
        self.segments: list[ref[_Segment]] = []

    def live(self) -> list[_Segment]:
        """Return the files still in use."""
        return [segment for link in list(self.segments) if (segment := link()) is not None]

    def pack(self, value: Leaf) -> OnDisk | Unmoved:
        """Pack a value: write it and return its place, or return the value itself."""
        adapter = adapter_of(value)
        if value.node is LEAF or adapter.nbytes(value) < self.min_bytes:
            return Unmoved(value, "save_on_disk")
        packed = self.write(adapter.to_bytes(value))
        packed.adapter, packed.metadata = adapter, adapter.metadata(value)
        return packed

    def reserve(self, nbytes: int) -> OnDisk:
        """Return a place for `nbytes`: in the newest file, or in a separate one."""
        with self.lock:
            segments = self.live()
            self.segments[:] = map(ref, segments)
            fits = segments and segments[-1].taken + nbytes <= SEGMENT_BYTES
            segment = segments[-1] if fits else _Segment(self.folder)
            if not fits:
                self.segments.append(ref(segment))
            offset = segment.taken
            segment.taken += nbytes
            return OnDisk(self, segment, offset, nbytes)

    def write(self, data: memoryview) -> OnDisk:
        """Write bytes. Raises FileError, with the folder and the number of bytes, if the disk is full or refuses."""
        try:
            place = self.reserve(data.nbytes)
            done, number = 0, place.segment.file.fileno()
            while done < data.nbytes:
                done += os.pwrite(number, data[done:], place.offset + done)
        except OSError as error:
            raise FileError(
                error.errno or 0,
                f"save_on_disk: cannot write {data.nbytes} bytes of saved values ({error.strerror}); "
                f"{self.bytes_written} were written before. Free some space, or give another folder",
                self.folder,
            ) from None
        self.bytes_written += data.nbytes
        return place


def _read_packed(packed: OnDisk | Unmoved) -> object:
    return packed.get()


class save_on_disk(saved_tensors_hooks):
    """Context manager and decorator: keep large values that operators save in files until the backward pass.

    The files have no names and disappear with the graph, however the program ends. Leaves stay in memory, since the
    program keeps them anyway. Systems whose folder for temporary files is in memory need another `folder`.

    Arguments:
        folder: an existing directory; None for the system's folder for temporary files.
        min_bytes: values smaller than this also stay in memory.

    Raises:
        OSError: raised by an operator inside the block, not on entry, if there is no space. It names the folder.

    >>> import numpy as np
    >>> from facula_autograd import Variable
    >>> x = Variable(np.ones(1000), requires_grad=True)
    >>> with save_on_disk(min_bytes=1000) as disk:
    ...     y = ((x * 2.0) ** 3).sum()
    >>> disk.bytes_written, disk.bytes_on_disk
    (16000, 16000)
    >>> y.backward()
    >>> float(x.grad[0]), disk.bytes_read, disk.bytes_on_disk
    (24.0, 16000, 0)
    """

    __slots__ = ("_files",)

    def __init__(self, folder: str | os.PathLike[str] | None = None, min_bytes: int = 1 << 16) -> None:
        try:
            if not isinstance(min_bytes, int) or isinstance(min_bytes, bool):
                raise InvalidTypeError(f"save_on_disk: expected min_bytes to be an int; got {min_bytes!r}")
            if min_bytes < MIN_BYTES:
                raise InvalidValueError(f"save_on_disk: expected min_bytes of at least {MIN_BYTES}; got {min_bytes}")
            if folder is None:
                from tempfile import gettempdir

                folder = gettempdir()
            if not isinstance(folder, (str, os.PathLike)):
                raise InvalidTypeError(
                    f"save_on_disk: expected folder to be a string, a path or None; got {type(folder).__name__}"
                )
            path = os.fspath(folder)
            if not os.path.isdir(path):
                raise NoDirectoryError(f"save_on_disk: expected folder to be an existing directory; got {path!r}")
            self._files = files = _Files(path, min_bytes)
            super().__init__(files.pack, _read_packed)
        except FaculaError as error:
            trim_traceback(error)
            raise

    @property
    def bytes_written(self) -> int:
        """Total bytes of the values written."""
        return self._files.bytes_written

    @property
    def bytes_read(self) -> int:
        """Total bytes of the values read back."""
        return self._files.bytes_read

    @property
    def bytes_on_disk(self) -> int:
        """Bytes of the files in use now."""
        return sum(segment.taken for segment in self._files.live())
