"""Reading of safetensors files: open, validate, then map or read."""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING

from facula_errors.extend import boundary
from facula_storage import Storage, bool_, contiguous, from_buffer, to_buffer, to_numpy, uint8
from facula_storage.extend.memory import allocate, borrow

from ._errors import CheckpointError
from ._foreign import beginning_of_text, recognized_format
from ._header import LENGTH_BYTES, MAX_HEADER, RESERVED, Entry, Header, parse_header
from ._parts import Parts
from ._streams import File, limited, opened, resolved, shown, take, why_readonly

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO


@boundary
def load_file(path: File, *, lazy: bool = True, copy: bool = False) -> dict[str, Parts]:
    """Load the tensors of a safetensors file by name, in the order of its header, on the CPU.

    Each is (storage, contiguous layout, offset 0), with its own storage. By default the file is mapped: elements are
    read-only, and fetched on first access.

    Saves of this package replace a file and do not affect its mappings. If a program truncates a mapped file in place,
    access to the removed part kills a process (SIGBUS): pass `lazy=False` for files that others may rewrite.

    Arguments:
        path: the file. A file opened in binary mode is read immediately, from its current position to its last tensor.
        lazy: map the file. False reads all tensors now into new, writable memory.
        copy: map the file copy-on-write, so that elements are writable; the file never changes.

    Raises:
        CheckpointError: the file violates the format, see README; raised before any tensor is created.
        OSError: the file cannot be opened.

    >>> import tempfile, numpy, facula_storage
    >>> from facula_checkpoint import save_file
    >>> storage, layout = facula_storage.from_numpy(numpy.arange(6.0).reshape(2, 3).T)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_file({"weight": (storage, layout, 0)}, f"{folder}/model.safetensors")
    ...     storage, layout, offset = load_file(f"{folder}/model.safetensors")["weight"]
    >>> facula_storage.to_numpy(storage, layout, offset)
    array([[0., 3.],
           [1., 4.],
           [2., 5.]])
    """
    return read("load_file", path, lazy, copy)[0]


@boundary
def load_metadata(path: File) -> dict[str, str]:
    """Load the texts that were saved with the tensors, without reading tensors. Errors as for `load_file`.

    >>> import tempfile
    >>> from facula_checkpoint import save_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_file({}, f"{folder}/empty.safetensors", {"licence": "CC0"})
    ...     load_metadata(f"{folder}/empty.safetensors")
    {'licence': 'CC0'}
    """
    name = resolved("load_metadata", path, "read")
    if not isinstance(name, str):
        metadata = _stream_header(name).metadata
    else:
        with opened(name) as (file, size):
            metadata = _read_header(name, file, size)[0].metadata
    return {key: value for key, value in metadata.items() if not key.startswith(RESERVED)}


def read(operation: str, path: File, lazy: bool, copy: bool) -> tuple[dict[str, Parts], dict[str, str]]:
    """Read the tensors and all metadata of a file."""
    name = resolved(operation, path, "read")
    if not isinstance(name, str):
        return _read_stream(name)
    with opened(name) as (file, size):
        header, start = _read_header(name, file, size)
        mapped = _Mapped(name, file, size, copy) if lazy else None
        tensors = {}
        for key, entry in header.entries.items():
            begin = start + entry.begin
            if mapped is not None and begin % min(entry.layout.dtype.itemsize, 8) == 0:
                storage = mapped.storage(begin, entry)
            else:  # requested, or not aligned: kernels could not use the mapped memory
                storage = _fresh(name, file, begin, entry, "" if copy or not lazy else why_readonly(name))
            if entry.layout.dtype is bool_:
                _check_bools(name, key, storage, entry)
            tensors[key] = (storage, entry.layout, 0)
        if os.fstat(file).st_size != size:
            raise CheckpointError(name, "its length changed while it was read; try again")
    return tensors, header.metadata


def _read_stream(file: BinaryIO) -> tuple[dict[str, Parts], dict[str, str]]:
    """Read the tensors into new memory, and all metadata, from an open file's current position to its last tensor."""
    name = shown(file)
    header = _stream_header(file)
    source = limited(file, max((entry.end for entry in header.entries.values()), default=0))
    tensors = {}
    for key, entry in sorted(header.entries.items(), key=lambda item: item[1].begin):
        storage = allocate(entry.layout)
        _fill(name, storage, entry, lambda view, done: source.readinto(view))
        if entry.layout.dtype is bool_:
            _check_bools(name, key, storage, entry)
        tensors[key] = (storage, entry.layout, 0)
    return {key: tensors[key] for key in header.entries}, header.metadata


def _stream_header(file: BinaryIO) -> Header:
    """Read the header of an open file and validate it, except that the tensors' bytes follow."""
    name = shown(file)
    begin = take(file, LENGTH_BYTES + 1)
    length = int.from_bytes(begin[:LENGTH_BYTES], "little")
    if len(begin) <= LENGTH_BYTES or length > MAX_HEADER or begin[LENGTH_BYTES:] != b"{":
        start = bytes(begin + take(file, 512 - len(begin)))
        wrong = recognized_format(start) or "it does not begin with the length of a header, and the header with '{'"
        if not start:
            wrong = "the file has no data at or after its position; to read what was written, rewind it with .seek(0)"
        raise CheckpointError(name, f"not a safetensors file: {wrong}")
    text = begin[LENGTH_BYTES:] + take(file, length - 1)
    if len(text) != length:
        raise CheckpointError(name, f"its header has {length} bytes, of which there are {len(text)}: it is truncated")
    return parse_header(name, bytes(text), None)


def _other_format(begin: bytes, wrong: str) -> str:
    """Describe a file by its first bytes; `wrong` says why it is not a safetensors file."""
    recognized = recognized_format(begin)
    if not recognized and (words := beginning_of_text(begin)):
        wrong = f"it is text that begins with {words!r}"
    if recognized:
        return f"not a safetensors file: {recognized}"
    return f"neither a safetensors file nor one of torch.save: {wrong}"


def _read_header(path: str, file: int, size: int) -> tuple[Header, int]:
    """Read and validate the header; return it and the start of the tensors' bytes."""
    begin = os.pread(file, 512, 0)
    if len(begin) < LENGTH_BYTES:
        raise CheckpointError(path, _other_format(begin, f"it has {size} bytes"))
    length = int.from_bytes(begin[:LENGTH_BYTES], "little")
    start = LENGTH_BYTES + length
    wrong = ""
    if length > MAX_HEADER:
        wrong = f"its header would have {length} bytes; at most {MAX_HEADER} are allowed"
    elif start > size:
        wrong = (
            f"its header would have {length} bytes, but only {size - LENGTH_BYTES} follow: truncated, or another format"
        )
    elif begin[LENGTH_BYTES : LENGTH_BYTES + 1] != b"{" or not length:
        wrong = "its header does not begin with '{'"
    if wrong:
        raise CheckpointError(path, _other_format(begin, wrong))
    text = os.pread(file, length, LENGTH_BYTES)
    if len(text) != length:
        raise CheckpointError(path, "it was truncated while it was read")
    return parse_header(path, text, size - start), start


class _Mapped:
    """A mapped file, kept alive by its tensors."""

    __slots__ = ("readonly", "whole")

    def __init__(self, path: str, file: int, size: int, copy: bool) -> None:
        try:
            memory = mmap.mmap(file, size, access=mmap.ACCESS_COPY if copy else mmap.ACCESS_READ)
        except ValueError:  # the file was truncated after its size was read
            raise CheckpointError(path, "it was truncated while it was read") from None
        self.whole, _ = from_buffer(memory, uint8)
        self.readonly = "" if copy else why_readonly(path)

    def storage(self, begin: int, entry: Entry) -> Storage:
        address = self.whole.ptr + begin if entry.layout.numel else 0
        return borrow(address, entry.layout.nbytes, self, self.readonly)


def _fresh(path: str, file: int, begin: int, entry: Entry, readonly: str) -> Storage:
    """Read a tensor into its own memory; a non-empty `readonly` is the reason why it cannot be written."""
    storage = allocate(entry.layout)
    _fill(path, storage, entry, lambda view, done: os.preadv(file, [view], begin + done))
    if readonly:
        storage.version, storage.readonly = None, readonly
    return storage


def _fill(path: str, storage: Storage, entry: Entry, read_into: Callable[[memoryview, int], int]) -> None:
    """Fill a tensor's memory: `read_into` reads into a view of the rest, after `done` bytes, and returns the count."""
    left, done = memoryview(to_buffer(storage, contiguous((entry.layout.nbytes,), uint8))), 0
    while left:
        count = read_into(left, done)
        if not count:
            raise CheckpointError(path, "it was truncated while it was read")
        left, done = left[count:], done + count


def _check_bools(path: str, name: str, storage: Storage, entry: Entry) -> None:
    """Check that bools are 0 or 1: kernels assume C's type, and other bytes could cause undefined behavior."""
    if entry.layout.numel:
        largest = int(to_numpy(storage, contiguous((entry.layout.nbytes,), uint8)).max())
        if largest > 1:
            raise CheckpointError(path, f"tensor {name!r:.200} is BOOL and has a byte {largest}; expected 0 and 1")
